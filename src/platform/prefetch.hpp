// SPDX-License-Identifier: MIT
#pragma once

#include <futon_platform/prefetch.hpp>

namespace futon::platform {

/// A hint to the processor that memory is needed soon.
///
/// - `prefetch(address)` takes any address, even the null pointer, and reads nothing that the program could notice.
// clang-format off
template <class P>
concept PrefetcherContract = requires(const void* address) {
    { P::prefetch(address) } noexcept;
};
// clang-format on

static_assert(PrefetcherContract<Prefetcher>);

inline void prefetch(const void* address) noexcept {
    Prefetcher::prefetch(address);
}

}  // namespace futon::platform
