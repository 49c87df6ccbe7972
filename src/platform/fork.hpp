// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>

#include <futon_platform/fork.hpp>

namespace futon::platform {

/// How the library learns that its process is the child of a fork: a copy of another process, in which only the thread that
/// forked lives on. Where a platform has no fork, or cannot tell, there are no children.
///
/// - `generation()` differs between each child and its parent, and never changes otherwise: an object that remembers it
///   can tell whether it was copied. It changes before any handler is called.
/// - `call_in_children(handler)` has `handler` called in each child, on the thread that forked, before `fork` returns
///   there. Handlers are called in the order of their registration. Only for the beginning of the program.
///
/// The header also defines FUTON_EARLY. If the platform can, it constructs a static object before the program's,
/// so that the program's own handlers are called later.
// clang-format off
template <class F>
concept ForkContract = requires(void (*handler)() noexcept) {
    { F::generation() } noexcept -> std::same_as<std::uint32_t>;
    { F::call_in_children(handler) } noexcept;
};
// clang-format on

static_assert(ForkContract<Fork>);

inline std::uint32_t fork_generation() noexcept {
    return Fork::generation();
}

/// A static object that registers a function for each child. Made with FUTON_EARLY.
class ChildHandler {
public:
    explicit ChildHandler(void (*handler)() noexcept) noexcept { Fork::call_in_children(handler); }
};

}  // namespace futon::platform
