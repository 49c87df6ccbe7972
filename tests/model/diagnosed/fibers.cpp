// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <futon/diagnostics.hpp>
#include <futon/explorer.hpp>
#include <futon/explorer/kernel.hpp>

#include "diagnostics/environment.hpp"
#include "diagnostics/registry.hpp"
#include "diagnostics/trace.hpp"
#include "fibers.hpp"

// The diagnostics in the model: who calls is a fiber, a call's place is not looked up, and nothing is recorded for a timeline. A
// schedule begins with an empty registry. No program of the model deadlocks, so a report of a deadlock fails its schedule.
namespace futon::diagnostics::detail {

namespace {

struct Fiber {
    ThreadRecord record;
    core::probe::Attempt* attempt = nullptr;
};

std::array<Fiber, explorer::max_fibers>& fibers() noexcept {
    static auto& fibers = *new std::array<Fiber, explorer::max_fibers>;
    return fibers;
}

Fiber& this_fiber() noexcept {
    return fibers()[static_cast<std::size_t>(explorer::this_fiber())];
}

/// What waited and held in the schedule before this one.
void forget_all() noexcept {
    Registry& registry = Registry::get();
    registry.begin_child();
    registry.objects.clear();
    registry.held.clear();
    registry.names.clear();
    registry.orders.clear();
    registry.orders_to.clear();
    registry.tasks.clear();
    registry.last_thread = nullptr;
    std::uint32_t id = 0;
    for (Fiber& fiber : fibers()) {
        fiber.attempt = nullptr;
        fiber.record.id = ++id;
        fiber.record.has_ended = false;
        fiber.record.next = registry.last_thread;
        registry.last_thread = &fiber.record;
    }
}

[[maybe_unused]] const bool is_prepared = [] {
    explorer::before_schedules(&forget_all);
    test::let_reports_fail();
    return true;
}();

}  // namespace

ThreadRecord* this_thread() noexcept {
    return &this_fiber().record;
}

ThreadRecord* this_thread_if_known() noexcept {
    return &this_fiber().record;
}

core::probe::Attempt*& this_attempt() noexcept {
    return this_fiber().attempt;
}

Actor this_actor() noexcept {
    const core::probe::Attempt* const attempt = this_attempt();
    return {this_thread(), attempt != nullptr ? attempt->task : nullptr};
}

void take_place(Place& /*place*/, int /*skipped*/) noexcept {}

std::string text_of(const Place& /*place*/) {
    return "";
}

std::string stack_text_of(const Place& /*place*/) {
    return "";
}

void read_environment() noexcept {}

void note_wait(WaitRecord& wait) noexcept {
    wait.address = nullptr;
}

void note_hold(const void* /*address*/, const Object& /*object*/, const Holder& /*holder*/,
               std::int64_t /*until*/) noexcept {}

std::uint64_t note_wake() noexcept {
    return 0;
}

void note_job(const ThreadRecord& /*thread*/, std::int64_t /*since*/, std::int64_t /*length*/) noexcept {}

}  // namespace futon::diagnostics::detail

void futon::test::let_reports_fail() {
    diagnostics::respond([](const diagnostics::Report& report) {
        if (report.what == diagnostics::What::deadlock) explorer::fail(("a false report: " + report.text).c_str());
    });
}
