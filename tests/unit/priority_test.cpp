// SPDX-License-Identifier: MIT
// An author's operation whose waiters are queued by a priority.
#include <cstdint>
#include <vector>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;

/// A turn for one at a time: the most urgent first, and of equals the one that waits longer.
class Turnstile {
public:
    class Passing;

    Passing passing(std::uint64_t priority) noexcept;
    void let_one_pass() { futon::core::process_table().notify(this, 1); }
};

class Turnstile::Passing {
public:
    using Result = WaitResult;
    static constexpr const char* name = "Turnstile::pass";

    Passing(Turnstile& turnstile, std::uint64_t priority) noexcept : turnstile_(&turnstile), priority_(priority) {}

    const void* key() const noexcept { return turnstile_; }
    bool try_now() noexcept { return false; }
    futon::core::WaitCheck check() noexcept {
        return {turnstile_, 0, [](void*, std::uint64_t) noexcept { return true; }};
    }
    static futon::core::Place place(futon::core::Enqueueing enqueueing) noexcept {
        using futon::core::Place;
        return enqueueing == futon::core::Enqueueing::first ? Place::by_priority : Place::by_request;
    }
    std::uint64_t request() const noexcept { return priority_; }
    bool woken(futon::core::WakeToken) noexcept { return true; }
    void give_back(futon::core::WakeToken) noexcept { turnstile_->let_one_pass(); }
    WaitResult result(futon::core::Ending ending) noexcept { return futon::core::to_wait_result(ending); }

private:
    Turnstile* turnstile_;
    std::uint64_t priority_;
};

Turnstile::Passing Turnstile::passing(std::uint64_t priority) noexcept {
    return {*this, priority};
}

TEST(Priority, TheMostUrgentIsServedFirstAndOfEqualsTheFirstToCome) {
    EventLoop loop;
    Turnstile turnstile;
    std::vector<int> passed;
    const auto awaits = [&](std::uint64_t priority, int number) -> Promise<void> {
        EXPECT_EQ(co_await futon::core::await(turnstile.passing(priority)), WaitResult::ok);
        passed.push_back(number);
    };
    const auto selects = [&](std::uint64_t priority, int number) -> Promise<void> {
        const auto chosen = co_await futon::select_async(turnstile.passing(priority));
        EXPECT_EQ(std::get<0>(chosen), WaitResult::ok);
        passed.push_back(number);
    };
    std::vector<Promise<void>> all;
    int number = 0;
    for (const std::uint64_t priority : {5U, 3U, 9U, 3U, 5U, 1U, 9U, 3U}) {
        all.push_back(number % 2 == 0 ? awaits(priority, number) : selects(priority, number));
        ++number;
    }
    ASSERT_EQ(futon::test::waiting_at(turnstile), 8U);
    for (int i = 0; i < 8; ++i) turnstile.let_one_pass();
    for (auto& one : all) loop.run_until(std::move(one));
    EXPECT_EQ(passed, (std::vector<int>{5, 1, 3, 7, 0, 4, 2, 6}));
}

TEST(Priority, DeadlinesAreComparedWithTheTimeThatTheyTell) {
    const auto now = futon::Deadline::now();
    EXPECT_TRUE(futon::Deadline(now).is_due());
    EXPECT_FALSE(futon::Deadline(now + std::chrono::hours(1)).is_due());
}

}  // namespace
