// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include <futon/futon.hpp>

// What is waited for, behind one interface. Waiters must wait until `let_pass(n)` lets `n` of them pass, or all. What `is_used_up`
// lets no more pass than it was told to.
namespace futon::test {

struct AnEvent : Event {
    static constexpr const char* name = "Event";
    static constexpr bool is_used_up = false;
    void let_pass(std::size_t) { set(); }
};

struct AnAutoResetEvent : AutoResetEvent {
    static constexpr const char* name = "AutoResetEvent";
    static constexpr bool is_used_up = true;
    void let_pass(std::size_t n) {
        for (; n != 0; --n) set();
    }
};

struct ALatch : Latch {
    static constexpr const char* name = "Latch";
    static constexpr bool is_used_up = false;
    ALatch() : Latch(1) {}
    void let_pass(std::size_t) { count_down(); }
};

struct APhase : Barrier<> {
    static constexpr const char* name = "Barrier";
    static constexpr bool is_used_up = false;
    APhase() : Barrier(2), arrival(arrive()) {}
    void let_pass(std::size_t) { static_cast<void>(arrive()); }
    bool try_wait() { return Barrier::try_wait(arrival); }
    auto waiting() { return Barrier::waiting(arrival); }
    auto wait(const Limits& limits = {}) { return Barrier::wait(arrival, limits); }
    auto wait_async(Limits limits = {}) { return Barrier::wait_async(arrival, std::move(limits)); }
    Arrival arrival;
};

struct APermit : Semaphore {
    static constexpr const char* name = "Semaphore";
    static constexpr bool is_used_up = true;
    APermit() : Semaphore(0, Fairness::strict) {}
    void let_pass(std::size_t n) { release(static_cast<std::uint32_t>(n)); }
    bool try_wait() { return try_acquire(); }
    auto waiting() { return acquiring(); }
    auto wait(const Limits& limits = {}) { return acquire(limits); }
    auto wait_async(Limits limits = {}) { return acquire_async(std::move(limits)); }
};

}  // namespace futon::test
