// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

/// The seam through which tools follow what happens in wait queues and locks. All of it is empty here and compiles to
/// nothing.
///
/// A build that wants to see puts another file of this name first on its include path, for the library and for the
/// program: CMake's `FUTON_PROBE_INCLUDE_DIR` does both. The functions run where the event happens, some of them under a
/// queue's lock: they must not block, allocate, throw, or call futon.
namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

/// Whether a probe is there that does something; a program's own says true.
inline constexpr bool is_enabled = false;

/// What a probe keeps in each waiter: a time point, a number.
struct Stamp {};

/// A waiter was enqueued, under its queue's lock.
inline void enqueued(const void* /*address*/, Waiter&) noexcept {}

/// A waker dequeued a waiter, under its queue's lock; the delivery follows.
inline void woken(const void* /*address*/, Waiter&) noexcept {}

/// A waiter was dequeued for another reason: its deadline, a stop, the end of its agent, a group that is over; under its
/// queue's lock.
inline void dequeued(const void* /*address*/, Waiter&) noexcept {}

/// A waiter was moved to another queue, under the locks of both.
inline void requeued(const void* /*from*/, const void* /*to*/, Waiter&) noexcept {}

/// The caller has acquired the primitive at this address; is about to release it; is about to hand it off to a waiter, or to offer it, under its queue's lock.
inline void acquired(const void* /*address*/) noexcept {}
inline void releasing(const void* /*address*/) noexcept {}
inline void handing_off(const void* /*address*/, const Waiter&) noexcept {}

}  // namespace probe

}  // namespace futon::core

#include <futon/detail/end.hpp>
