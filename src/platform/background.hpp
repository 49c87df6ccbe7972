// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <futon_platform/background.hpp>

namespace futon::platform {

/// A thread of the library's own, which never ends.
///
/// - `start(run, context)` has `run(context)` called on a new thread, which runs no signal handlers of the program. Returns false
///   if there is none to be had.
/// - `when_gone(handler)` has `handler` called where what was started does not run any more, before anything else does: in the
///   child of a fork. For the beginning of the program only.
// clang-format off
template <class B>
concept BackgroundContract = requires(void (*run)(void*) noexcept, void* context, void (*handler)() noexcept) {
    { B::start(run, context) } noexcept -> std::same_as<bool>;
    { B::when_gone(handler) } noexcept;
};
// clang-format on

static_assert(BackgroundContract<Background>);

inline bool start_background(void (*run)(void*) noexcept, void* context) noexcept {
    return Background::start(run, context);
}

/// A static object that has a function called where background threads are gone. Made with FUTON_EARLY.
class BackgroundHandler {
public:
    explicit BackgroundHandler(void (*handler)() noexcept) noexcept { Background::when_gone(handler); }
};

}  // namespace futon::platform
