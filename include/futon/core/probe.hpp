// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

/// The interface through which tools follow wait queues and locks. By default it is empty and compiles to nothing.
///
/// To observe events, put another file of this name first on the include path of both the library and the program;
/// CMake's `FUTON_PROBE_INCLUDE_DIR` does both. The functions run where the event happens, some of them under a queue's
/// lock: they must not block, allocate, throw, or call futon.
namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

/// Whether the probe does anything; a program's own probe says true.
inline constexpr bool is_enabled = false;

/// What the probe keeps in each waiter: a time point, a number.
struct Stamp {};

/// A waiter was enqueued, under its queue's lock.
inline void enqueued(const void* /*address*/, Waiter&) noexcept {}

/// A waker dequeued a waiter, under its queue's lock; the delivery follows.
inline void woken(const void* /*address*/, Waiter&) noexcept {}

/// A waiter was dequeued for another reason, under its queue's lock: its deadline, a stop, the end of its agent, or a
/// decided group.
inline void dequeued(const void* /*address*/, Waiter&) noexcept {}

/// A waiter was moved to another queue, under the locks of both.
inline void requeued(const void* /*from*/, const void* /*to*/, Waiter&) noexcept {}

/// The caller has acquired the primitive at this address; is about to release it; is about to hand it off or offer it
/// to a waiter, under its queue's lock.
inline void acquired(const void* /*address*/) noexcept {}
inline void releasing(const void* /*address*/) noexcept {}
inline void handing_off(const void* /*address*/, const Waiter&) noexcept {}

}  // namespace probe

}  // namespace futon::core

#include <futon/detail/end.hpp>
