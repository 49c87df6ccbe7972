// SPDX-License-Identifier: MIT
#pragma once

#include "support/sanitizers.hpp"

namespace futon::test {

/// Whether an event loop can be embedded by a file descriptor on the platform that is tested.
#if defined(FUTON_PLATFORM_IS_generic) || defined(FUTON_PLATFORM_IS_emscripten)
inline constexpr bool has_descriptors = false;
#else
inline constexpr bool has_descriptors = true;
#endif

/// Whether a thread spins before it sleeps, where there are several processors.
inline constexpr bool spins_before_sleeping = has_descriptors;

/// Whether an impossible allocation throws, as it should; sanitizers end the program instead.
inline constexpr bool allocation_can_fail = !is_sanitized;

/// Whether a signal's handler runs when the signal comes. The thread sanitizer runs it with the next thing that it sees: after a
/// system call which it does not know, as the wait of a futex, if the signal came just before that. The call may never return.
inline constexpr bool handlers_run_at_once = !is_thread_sanitized;

/// Whether a thread is still itself after a signal. Under QEMU for i386 it is taken for another.
#ifdef FUTON_IS_EMULATED
inline constexpr bool threads_outlast_signals = sizeof(void*) > 4;
#else
inline constexpr bool threads_outlast_signals = true;
#endif

}  // namespace futon::test
