// SPDX-License-Identifier: MIT
#include "kernel.hpp"

#include <cstdlib>
#include <utility>

#include "explorer.hpp"
#include "model.hpp"

namespace futon::model {

namespace {

using TimePoint = std::chrono::steady_clock::time_point;

Explorer* explorer = nullptr;

}  // namespace

Report explore(const Options& options, const std::function<void()>& program) {
    explorer = new Explorer(options);
    Report report = explorer->explore(program);
    if (report.failure.empty()) delete explorer;
    explorer = nullptr;
    return report;
}

std::uint64_t schedules_so_far() noexcept {
    return explorer == nullptr ? 0 : explorer->schedules_so_far();
}

std::string present_schedule() {
    return explorer == nullptr ? std::string() : explorer->present_schedule();
}

void spawn(std::string name, std::function<void()> body) {
    explorer->spawn(std::move(name), std::move(body));
}

void join() {
    explorer->join();
}

void check(bool claim, const char* what) {
    if (!claim) fail(what);
}

std::size_t choose(std::size_t count) {
    return explorer->choose(count);
}

AllocationsMayFail::AllocationsMayFail() {
    ++explorer->failing_scopes();
}

AllocationsMayFail::~AllocationsMayFail() {
    --explorer->failing_scopes();
}

void point(const char* what, const void* place, Access access) noexcept {
    if (explorer != nullptr) explorer->point(what, place, access);
}

bool await(const char* what, const void* place, Readiness* is_ready, TimePoint deadline) noexcept {
    if (explorer != nullptr) return explorer->await(what, place, is_ready, deadline);
    if (!is_ready(place)) std::abort();
    return true;
}

void touch(const void* place) noexcept {
    if (explorer != nullptr) explorer->touch(place);
}

void sleep_until(const char* what, TimePoint deadline) noexcept {
    await(
        what, &explorer, [](const void*) noexcept { return false; }, deadline);
}

bool allocation_fails() noexcept {
    return explorer != nullptr && explorer->allocation_fails();
}

bool wakes_spuriously() noexcept {
    return explorer != nullptr && explorer->wakes_spuriously();
}

int this_fiber() noexcept {
    return explorer == nullptr ? 0 : explorer->current();
}

void fail(const char* what) noexcept {
    if (explorer == nullptr) std::abort();
    explorer->fail(what);
}

TimePoint virtual_now() noexcept {
    return explorer == nullptr ? TimePoint(std::chrono::hours(1)) : explorer->now();
}

void*& fiber_slot() noexcept {
    static void* outside = nullptr;
    return explorer == nullptr ? outside : explorer->slot();
}

int& held_locks() noexcept {
    static int outside = 0;
    return explorer == nullptr ? outside : explorer->held_locks();
}

std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order) noexcept {
    return explorer == nullptr ? newest : explorer->load(cell, newest, order);
}

void store(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept {
    if (explorer != nullptr && explorer->is_weak())
        explorer->memory().store(this_fiber(), cell, previous, value, order);
}

void read_modify_write(const void* cell, std::uint64_t previous, std::uint64_t value,
                       std::memory_order order) noexcept {
    if (explorer != nullptr && explorer->is_weak())
        explorer->memory().modify(this_fiber(), cell, previous, value, order);
}

void read_newest(const void* cell, std::uint64_t newest, std::memory_order order) noexcept {
    if (explorer == nullptr || !explorer->is_weak()) return;
    explorer->memory().candidates(this_fiber(), cell, newest, order);
    explorer->memory().load(this_fiber(), cell, 0, order);
}

void forget(const void* cell) noexcept {
    if (explorer != nullptr) explorer->forget(cell);
}

void fence() noexcept {
    if (explorer != nullptr) explorer->fence();
}

void publish(Clock& clock) noexcept {
    if (explorer == nullptr) return;
    if (clock.schedule != explorer->schedule()) clock = {.schedule = explorer->schedule()};
    explorer->memory().publish(this_fiber(), clock);
}

void acquire(const Clock& clock) noexcept {
    if (explorer != nullptr && clock.schedule == explorer->schedule()) explorer->memory().acquire(this_fiber(), clock);
}

std::uint32_t tick() noexcept {
    return explorer != nullptr && explorer->is_weak() ? explorer->memory().tick(this_fiber()) : 0;
}

bool happened_before(int other, std::uint32_t time) noexcept {
    return time == 0 || explorer == nullptr || explorer->memory().knows(this_fiber(), other, time);
}

}  // namespace futon::model
