// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include <futon_platform/background.hpp>

namespace futon::platform {

/// A thread of the library's own, which never ends.
///
/// - `start(run, context)` calls `run(context)` on a new thread, which runs no signal handlers of the program. Returns
///   false if no thread can be made.
/// - `when_gone(handler)` has `handler` called where the started threads do not run any more, in the child of a fork,
///   before any other code runs. Only for the beginning of the program.
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

/// A static object that registers a function for processes whose background threads are gone. Made with FUTON_EARLY.
class BackgroundHandler {
public:
    explicit BackgroundHandler(void (*handler)() noexcept) noexcept { Background::when_gone(handler); }
};

}  // namespace futon::platform
