// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <futon/explorer/kernel.hpp>

#include "causality.hpp"
#include "decisions.hpp"
#include "fibers.hpp"
#include "memory.hpp"
#include "names.hpp"

namespace futon::explorer {

/// One exploration: decides which fiber runs, and which of the rare things happen. It is left behind as it is when a
/// schedule fails: its fibers are stopped in the middle of functions that cannot be left by an exception.
class Exploration {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    explicit Exploration(const Options& options);

    Report run(const std::function<void()>& program);

    std::uint64_t schedules_so_far() const { return report_.schedules + 1; }
    std::string present_schedule() const { return decisions_.to_string(); }

    // For the running fiber. kernel.hpp and explorer.hpp document them.

    void spawn(std::string name, std::function<void()> body);
    void spawn_background(std::string name, std::function<void()> body);
    void join();
    void point(const char* what, const void* place, Access access);
    bool await(const char* what, const void* place, Readiness* is_ready, TimePoint deadline);
    void touch(const void* place) { causality_.step(current(), place, Access::write); }
    [[noreturn]] void fail(std::string what);
    [[noreturn]] void fail_at(const char* kind, const void* place, const char* what);
    void name(const void* begin, std::size_t size, std::string text);
    std::size_t choose(std::size_t count);
    bool allocation_fails();
    bool wakes_spuriously();
    TimePoint now();

    bool spins() const { return options_.spins; }
    bool is_weak() const { return options_.stale_loads > 0; }
    std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order);
    void fence();
    void heavy_fence();
    void forget(const void* cell);

    int current() const { return fibers_.current(); }
    std::uint64_t schedule() const { return schedule_; }

    /// What is called before each schedule.
    static std::vector<void (*)() noexcept>& handlers() {
        static std::vector<void (*)() noexcept> the_handlers;
        return the_handlers;
    }
    void*& slot() { return self().slot; }
    std::byte* fiber_memory() { return self().memory; }
    bool& may_block() { return self().may_block; }
    int& held_locks() { return self().held_locks; }
    int& failing_scopes() { return self().failing_scopes; }
    Memory& memory() { return memory_; }
    Causality& causality() { return causality_; }

private:
    struct Fiber {
        std::string name;
        bool has_ended = false;
        bool is_background = false;     // no one waits for its end
        Readiness* is_ready = nullptr;  // what it waits for; null while it can run
        const void* place = nullptr;
        TimePoint deadline = TimePoint::max();
        bool has_timed_out = false;
        void* slot = nullptr;
        alignas(std::max_align_t) std::byte memory[size_of_fiber_memory]{};
        bool may_block = true;  // while it has made no agent
        int held_locks = 0;
        int failing_scopes = 0;  // of AllocationsMayFail that it is in
        std::uint64_t priority = 0;
    };

    struct Event {
        int fiber;
        const char* what;
        const void* place;
    };

    Fiber& fiber(int index) { return all_[static_cast<std::size_t>(index)]; }
    const Fiber& fiber(int index) const { return all_[static_cast<std::size_t>(index)]; }
    Fiber& self() { return fiber(current()); }

    void run_once(const std::function<void()>& program);
    void start(int index, std::string name, int parent, std::function<void()> body);
    int end_fiber();
    bool can_go_on(const Fiber& fiber) const { return fiber.is_ready == nullptr || fiber.is_ready(fiber.place); }
    void gather();
    int decide_next();
    std::size_t decide_fairly();
    std::size_t decide_by_priority();
    void go_on();
    int time_out_unless_ready(int next);
    void record(const char* what, const void* place) { events_.push_back({current(), what, place}); }
    std::string trace() const;
    std::string waiting() const;

    Options options_;
    Decisions decisions_;
    Memory memory_;
    Causality causality_;
    SeenSteps seen_;
    SeenSteps ends_;
    Fibers fibers_;
    Report report_;

    std::array<Fiber, max_fibers> all_;
    int count_ = 0;
    std::uint64_t schedule_ = 0;  // unique in the process
    std::uint64_t steps_ = 0;
    bool is_coasting_ = false;  // the rest of this schedule was seen before
    bool is_deciding_ = false;  // the explorer itself runs, whose allocations do not fail
    int preemptions_left_ = 0;
    int stale_loads_left_ = 0;
    int clock_leaps_left_ = 0;
    int early_ticks_left_ = 0;
    int allocation_failures_left_ = 0;
    int spurious_wakes_left_ = 0;
    TimePoint clock_;

    std::vector<int> candidates_;
    bool is_one_ready_ = false;  // one of them could go on without a time-out
    bool can_stay_ = false;      // the current fiber is the first of them, and any other one a preemption
    std::vector<std::uint64_t> change_points_;
    std::vector<Event> events_;
    Names names_;  // of this schedule
};

}  // namespace futon::explorer
