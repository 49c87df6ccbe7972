// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <futon_platform/shared_object.hpp>

namespace futon::platform {

/// What several copies of the library in one process find each other by. Only a platform that lists
/// `futon_platform_common_table_sources` has it; its header also defines FUTON_SYMBOL, which makes a symbol one that other
/// objects can find by its name.
///
/// - `first_published(name, own)` gives the address of the symbol `name` in the shared object that published it first in
///   this process. `own` is the caller's symbol of that name, declared with FUTON_SYMBOL; this call publishes it, and keeps
///   its object loaded for good.
// clang-format off
template <class O>
concept SharedObjectContract = requires(const char* name, const void* own) {
    { O::first_published(name, own) } noexcept -> std::same_as<const void*>;
};
// clang-format on

static_assert(SharedObjectContract<SharedObject>);

inline const void* first_published(const char* name, const void* own) noexcept {
    return SharedObject::first_published(name, own);
}

}  // namespace futon::platform
