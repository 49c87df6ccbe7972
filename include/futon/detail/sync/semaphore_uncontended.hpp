// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/agent.hpp>
#include <futon/core/operation/arbiter.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/sync/semaphore.hpp>
#include <futon/wait_result.hpp>

// The uncontended half of a Semaphore, which programs inline: permits are taken and released without a waiter.
namespace futon {

constexpr Semaphore::Semaphore(std::uint64_t permits, std::uint64_t maximum, Fairness fairness)
    : permits_(static_cast<core::ResourceState>(permits), fairness), maximum_(static_cast<std::uint32_t>(maximum)) {
    if (maximum == 0 || maximum > max()) throw_impossible("futon::Semaphore: its maximum", max());
    if (permits > maximum) throw_too_many("futon::Semaphore", maximum_);
}

inline void Semaphore::require_can_block(const char* what) {
    if (!detail::this_thread_can_block()) detail::throw_blocking_forbidden(what);
}

inline void Semaphore::require_possible(std::uint64_t count, const char* what) const {
    if (count == 0 || count > maximum()) throw_impossible(what, maximum());
}

inline bool Semaphore::try_take(std::uint64_t count) noexcept {
    if (!permits_.try_take(count)) return false;
    core::probe::acquired(this, core::probe::Hold::permits, count, core::probe::Way::tried);
    return true;
}

inline bool Semaphore::try_acquire(std::uint64_t count) {
    require_possible(count, "futon::Semaphore::try_acquire");
    return try_take(count);
}

inline WaitResult Semaphore::acquire(std::uint64_t count, const Limits& limits) {
    require_can_block("futon::Semaphore::acquire");
    require_possible(count, "futon::Semaphore::acquire");
    return try_take(count) ? WaitResult::ok : acquire_contended(count, limits);
}

inline WaitResult Semaphore::acquire(std::uint64_t count) {
    require_can_block("futon::Semaphore::acquire");
    require_possible(count, "futon::Semaphore::acquire");
    return try_take(count) ? WaitResult::ok : acquire_contended(count);
}

template <class Rep, class Period>
inline bool Semaphore::try_acquire_for(std::chrono::duration<Rep, Period> time) {
    require_can_block("futon::Semaphore::try_acquire_for");
    return acquire(1, time) == WaitResult::ok;
}

inline bool Semaphore::try_acquire_until(Deadline deadline) {
    require_can_block("futon::Semaphore::try_acquire_until");
    return acquire(1, deadline) == WaitResult::ok;
}

inline void Semaphore::release(std::uint64_t count) {
    if (!try_release(count)) throw_too_many("futon::Semaphore::release", maximum());
}

inline bool Semaphore::try_release(std::uint64_t count) noexcept {
    core::probe::releasing(this, core::probe::Hold::permits, count);
    const std::uint32_t most = maximum();
    return count <= most && permits_.give_back_up_to(most - static_cast<std::uint32_t>(count), count);
}

}  // namespace futon

#include <futon/detail/end.hpp>
