// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <futon_platform/asymmetric_fence.hpp>

namespace futon::platform {

/// A fence of two unequal halves, between a side of a protocol that is taken always and one that is taken seldom. Each side
/// stores, passes its half, and loads what the other has stored: then not both miss the other's store. Only platforms that take
/// their `Mutex` from the folder `address_wait` need it.
///
/// - `light()` costs no instruction: it keeps the compiler from moving what comes after it before what comes before.
/// - `heavy()` makes each thread of the process pass a fence, wherever it is, and returns true when all have. Some microseconds.
///   Returns false if the system cannot do so; then it orders nothing.
// clang-format off
template <class F>
concept AsymmetricFenceContract = requires {
    { F::light() } noexcept;
    { F::heavy() } noexcept -> std::same_as<bool>;
};
// clang-format on

static_assert(AsymmetricFenceContract<AsymmetricFence>);

}  // namespace futon::platform
