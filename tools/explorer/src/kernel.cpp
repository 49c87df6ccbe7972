// SPDX-License-Identifier: MIT
#include <futon/explorer/kernel.hpp>

#include <cstdlib>
#include <utility>

#include "exploration.hpp"

namespace futon::explorer {

namespace {

using TimePoint = std::chrono::steady_clock::time_point;

Exploration* exploration = nullptr;
TimePoint clock_outside{std::chrono::hours(1)};

}  // namespace

Report explore(const Options& options, const std::function<void()>& program) {
    exploration = new Exploration(options);
    Report report = exploration->run(program);
    if (report.failure.empty()) delete exploration;
    exploration = nullptr;
    return report;
}

std::uint64_t schedules_so_far() noexcept {
    return exploration == nullptr ? 0 : exploration->schedules_so_far();
}

std::string present_schedule() {
    return exploration == nullptr ? std::string() : exploration->present_schedule();
}

void spawn(std::string name, std::function<void()> body) {
    exploration->spawn(std::move(name), std::move(body));
}

void spawn_background(const char* name, void (*run)(void*) noexcept, void* context) noexcept {
    if (exploration != nullptr) exploration->spawn_background(name, [run, context] { run(context); });
}

void before_schedules(void (*handler)() noexcept) noexcept {
    Exploration::handlers().push_back(handler);
}

void join() {
    exploration->join();
}

void check(bool claim, const char* what) {
    if (!claim) fail(what);
}

std::size_t choose(std::size_t count) {
    return exploration->choose(count);
}

AllocationsMayFail::AllocationsMayFail() {
    ++exploration->failing_scopes();
}

AllocationsMayFail::~AllocationsMayFail() {
    --exploration->failing_scopes();
}

void point(const char* what, const void* place, Access access) noexcept {
    if (exploration != nullptr) exploration->point(what, place, access);
}

bool await(const char* what, const void* place, Readiness* is_ready, TimePoint deadline) noexcept {
    if (exploration != nullptr) return exploration->await(what, place, is_ready, deadline);
    if (!is_ready(place)) std::abort();
    return true;
}

void touch(const void* place) noexcept {
    if (exploration != nullptr) exploration->touch(place);
}

void sleep_until(const char* what, TimePoint deadline) noexcept {
    await(
        what, &exploration, [](const void*) noexcept { return false; }, deadline);
}

bool allocation_fails() noexcept {
    return exploration != nullptr && exploration->allocation_fails();
}

bool wakes_spuriously() noexcept {
    return exploration != nullptr && exploration->wakes_spuriously();
}

bool fiber_may_block() noexcept {
    return exploration == nullptr || exploration->may_block();
}

void forbid_blocking() noexcept {
    if (exploration != nullptr) exploration->may_block() = false;
}

bool spins() noexcept {
    return exploration != nullptr && exploration->spins();
}

int this_fiber() noexcept {
    return exploration == nullptr ? 0 : exploration->current();
}

void fail(const char* what) noexcept {
    if (exploration == nullptr) std::abort();
    exploration->fail(what);
}

void fail_at(const char* kind, const void* place, const char* what) noexcept {
    if (exploration == nullptr) std::abort();
    exploration->fail_at(kind, place, what);
}

void name(const void* begin, std::size_t size, std::string text) {
    if (exploration != nullptr) exploration->name(begin, size, std::move(text));
}

TimePoint virtual_now() noexcept {
    return exploration == nullptr ? clock_outside : exploration->now();
}

void set_clock_outside(TimePoint time) noexcept {
    clock_outside = time;
}

void*& fiber_slot() noexcept {
    static void* outside = nullptr;
    return exploration == nullptr ? outside : exploration->slot();
}

std::byte* fiber_memory() noexcept {
    alignas(std::max_align_t) static std::byte outside[size_of_fiber_memory]{};
    return exploration == nullptr ? outside : exploration->fiber_memory();
}

int& held_locks() noexcept {
    static int outside = 0;
    return exploration == nullptr ? outside : exploration->held_locks();
}

std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order) noexcept {
    return exploration == nullptr ? newest : exploration->load(cell, newest, order);
}

void store(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept {
    if (exploration != nullptr && exploration->is_weak())
        exploration->memory().store(this_fiber(), cell, previous, value, order);
}

void read_modify_write(const void* cell, std::uint64_t previous, std::uint64_t value,
                       std::memory_order order) noexcept {
    if (exploration != nullptr && exploration->is_weak())
        exploration->memory().modify(this_fiber(), cell, previous, value, order);
}

void read_newest(const void* cell, std::uint64_t newest, std::memory_order order) noexcept {
    if (exploration == nullptr || !exploration->is_weak()) return;
    exploration->memory().candidates(this_fiber(), cell, newest, order);
    exploration->memory().load(this_fiber(), cell, 0, order);
}

void forget(const void* cell) noexcept {
    if (exploration != nullptr) exploration->forget(cell);
}

void fence() noexcept {
    if (exploration != nullptr) exploration->fence();
}

void heavy_fence() noexcept {
    if (exploration != nullptr) exploration->heavy_fence();
}

void publish(Clock& clock) noexcept {
    if (exploration == nullptr) return;
    if (clock.schedule != exploration->schedule()) clock = {.schedule = exploration->schedule()};
    exploration->memory().publish(this_fiber(), clock);
}

void acquire(const Clock& clock) noexcept {
    if (exploration != nullptr && clock.schedule == exploration->schedule())
        exploration->memory().acquire(this_fiber(), clock);
}

std::uint32_t tick() noexcept {
    return exploration != nullptr && exploration->is_weak() ? exploration->memory().tick(this_fiber()) : 0;
}

bool happened_before(int other, std::uint32_t time) noexcept {
    return time == 0 || exploration == nullptr || exploration->memory().knows(this_fiber(), other, time);
}

}  // namespace futon::explorer
