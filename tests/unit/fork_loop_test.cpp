// SPDX-License-Identifier: MIT
// Event loops and the children of a fork. [fork]
#include "support/child.hpp"
#ifdef FUTON_TESTS_CAN_FORK

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <futon/core/loop_executor.hpp>
#include <futon/futon.hpp>

#include "agent/loop_core.hpp"
#include "support/native_handle.hpp"
#include "support/platform.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::CanBlock;
using futon::EventLoop;
using futon::WaitResult;
using futon::core::LoopExecutor;
using futon::test::children_have_threads;
using futon::test::Claims;
using futon::test::until_waiting;
using futon::test::waiting_at;
using futon::test::wrong_in_child;

const std::string rule = "a loop that a fork has copied is its parent's; make one in the child";

/// A job that does nothing.
struct Nothing final : futon::Job {
    void run() noexcept override {}
    void discard() noexcept override {}
};

TEST(ForkedLoop, RunsNothingInTheChild) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = futon::wait_async(cell, 0).promise();
    bool has_run = false;
    loop.post([&] { has_run = true; });

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        const auto refuses = [&](const std::string& function, const std::function<void()>& f) {
            claim.throws<std::logic_error>(f, "futon::EventLoop::" + function + ": " + rule);
        };
        refuses("run", [&] { loop.run(); });
        refuses("poll", [&] { loop.poll(); });
        refuses("run_until", [&] { loop.run_until(promise); });
        refuses("post", [&] { loop.post([] {}); });
        refuses("post_at", [&] { loop.post_after(1ms, [] {}); });
        refuses("native_handle", [&] { loop.native_handle(); });
        refuses("keep_running", [&] { auto guard = loop.keep_running(); });
        loop.stop();
        claim(!has_run, "no job has run");
    });

    EXPECT_EQ(wrong, "");
    cell = 1;
    futon::notify(cell);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_TRUE(has_run);
}

TEST(ForkedLoop, TheThreadOfTheChildHasNoAgent) {
    EventLoop loop;
    Agent& agent = Agent::current();
    std::atomic<int> cell{0};

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(&Agent::current() != &agent, "another agent is current");
        claim(Agent::current().executor() == nullptr, "it has no executor");
        const std::string text = "make a futon::EventLoop on it, in the child of a fork a new one";
        claim.throws<futon::NoExecutor>([&] { static_cast<void>(futon::wait_async(cell, 0)); }, text);
        const auto wait_for_inherited = [&] {
            static_cast<void>(futon::wait_async(cell, 0, futon::Deadline::never(), {}, agent));
        };
        claim.throws<futon::NoExecutor>(wait_for_inherited, text);
        claim(futon::wait(cell, 0, 1ms) == WaitResult::timed_out, "it may block");
    });

    EXPECT_EQ(wrong, "");
    EXPECT_EQ(&Agent::current(), &agent);
}

TEST(ForkedLoop, ALoopThatTheChildMakesWorks) {
    EventLoop inherited;
    std::atomic<int> cell{0};
    auto queued = futon::wait_async(cell, 0).promise();

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        EventLoop loop;
        int runs = 0;
        loop.post([&] { ++runs; });
        loop.post_after(1ms, [&] { ++runs; });
        auto own = futon::wait_async(cell, 0).promise();
        loop.post([&] { claim(futon::notify(cell) == 1, "a notify finds the wait of the child alone"); });
        claim(loop.run_until(own) == WaitResult::ok, "its wait ends");
        loop.run();
        claim(runs == 2, "what was posted has run");
        futon::AsyncLock lock;
        auto locked = lock.execute_locked([&] { return 7; });
        claim(loop.run_until(locked) == 7, "a lock is got");
        if (!children_have_threads) return;
        auto awaited = futon::wait_async(cell, 0).promise();
        std::thread notifier([&] { futon::notify(cell); });
        claim(loop.run_until(awaited) == WaitResult::ok, "another thread wakes it");
        notifier.join();
    });

    EXPECT_EQ(wrong, "");
    EXPECT_EQ(waiting_at(cell), 1u);
    futon::notify(cell);
    EXPECT_EQ(inherited.run_until(queued), WaitResult::ok);
}

/// Ends a child that came out of a run; well if what it claims holds, and no agent of the parent is current.
[[noreturn]] void end_child(bool holds) {
    _exit(holds && Agent::current().executor() == nullptr ? 0 : 1);
}

TEST(ForkedLoop, AJobThatForksEndsTheRunInTheChild) {
    EventLoop loop;
    std::optional<futon::test::Child> child;
    bool is_child = false;
    int later = 0;
    std::string error = "none";
    loop.post([&] { child.emplace([&](Claims&) { is_child = true; }, futon::test::Child::Goes::on); });
    loop.post([&] { ++later; });

    try {
        loop.run();
    } catch (const std::logic_error& e) {
        error = e.what();
    }

    if (is_child) end_child(error == "futon::EventLoop::run: " + rule && later == 0);
    EXPECT_EQ(child->wrong(), "");
    EXPECT_EQ(later, 1);
    EXPECT_EQ(error, "none");
}

TEST(ForkedLoop, AJobThatForksEndsThePollInTheChild) {
    EventLoop loop;
    std::optional<futon::test::Child> child;
    bool is_child = false;
    int later = 0;
    std::string error = "none";
    loop.post([&] { child.emplace([&](Claims&) { is_child = true; }, futon::test::Child::Goes::on); });
    loop.post([&] { ++later; });

    try {
        loop.poll();
    } catch (const std::logic_error& e) {
        error = e.what();
    }

    if (is_child) end_child(error == "futon::EventLoop::poll: " + rule && later == 0);
    EXPECT_EQ(child->wrong(), "");
    EXPECT_EQ(later, 1);
}

/// A loop with one of everything.
struct BusyLoop {
    BusyLoop() : loop(std::in_place) {
        if (futon::test::has_descriptors) handle = loop->native_handle();
        promises.push_back(futon::wait_async(cell, 0).promise());
        promises.push_back(futon::wait_async(cell, 0, 1h).promise());
        futon::wait_async(cell, 0).promise().then([](WaitResult) {});
        lock.try_lock();
        locked.emplace(lock.execute_locked([] {}));
        auto [promise, source] = futon::make_promise<int>();
        promised.emplace(std::move(promise));
        sourced.emplace(std::move(source));
        timer = loop->post_after(1h, [] {});
        guard.emplace(loop->keep_running());
        loop->post([held = std::make_shared<int>(7)] {});
    }

    std::optional<EventLoop> loop;
    futon::NativeHandle handle{};
    std::atomic<int> cell{0};
    futon::AsyncLock lock;
    std::vector<futon::Promise<WaitResult>> promises;
    std::optional<futon::Promise<void>> locked;
    std::optional<futon::Promise<int>> promised;
    std::optional<futon::PromiseSource<int>> sourced;
    futon::TimerHandle timer;
    std::optional<futon::WorkGuard> guard;
};

TEST(ForkedLoop, IsDestroyedInTheChildInAnyOrder) {
    BusyLoop busy;

    const std::string loop_first = wrong_in_child([&](Claims& claim) {
        busy.guard.reset();
        busy.loop.reset();
        claim(waiting_at(busy.cell) == 0, "no waiter is queued");
        busy.sourced.reset();
        busy.promises.clear();
    });
    const std::string loop_last = wrong_in_child([&](Claims& claim) {
        busy.sourced.reset();
        busy.promises.clear();
        busy.locked.reset();
        busy.promised.reset();
        claim(busy.timer.cancel(), "a timer is cancelled");
        busy.guard.reset();
        busy.loop.reset();
    });
    const std::string under_another = wrong_in_child([&](Claims& claim) {
        EventLoop own;
        busy.guard.reset();
        busy.loop.reset();
        claim(Agent::current().executor() == &own, "the child's own loop is current");
        bool has_run = false;
        own.post([&] { has_run = true; });
        own.run();
        claim(has_run, "and runs");
    });

    EXPECT_EQ(loop_first, "");
    EXPECT_EQ(loop_last, "");
    EXPECT_EQ(under_another, "");
    EXPECT_EQ(waiting_at(busy.cell), 3u);
    busy.lock.unlock();
    busy.loop->run_until(*busy.locked);
    busy.guard.reset();
    busy.timer.cancel();
}

/// A loop on whose threshold a delivery stands still, until the test lets it go on.
class SlowLoop final : public futon::core::LoopBase {
public:
    SlowLoop() : LoopBase(CanBlock::no, []() noexcept {}) {}

    void post(futon::Job& job) noexcept override {
        is_under_way = true;
        futon::test::until([&] { return may_go_on.load(); });
        LoopBase::post(job);
    }
    void poll() { loop().poll("SlowLoop::poll"); }

    std::atomic<bool> is_under_way{false};
    std::atomic<bool> may_go_on{false};
};

TEST(ForkedLoop, IsDestroyedAlthoughADeliveryIsUnderWayThatNeverComesInTheChild) {
    std::atomic<int> cell{0};
    std::optional<SlowLoop> executor(std::in_place);
    std::optional<futon::Promise<WaitResult>> promise(futon::wait_async(cell, 0).promise());
    std::jthread notifier([&] { futon::notify(cell); });
    futon::test::until([&] { return executor->is_under_way.load(); });

    const std::string executor_first = wrong_in_child([&](Claims&) { executor.reset(); });
    const std::string promise_first = wrong_in_child([&](Claims&) {
        promise.reset();
        executor.reset();
    });
    executor->may_go_on = true;
    notifier.join();

    EXPECT_EQ(executor_first, "");
    EXPECT_EQ(promise_first, "");
    executor->poll();
    EXPECT_TRUE(promise->is_settled());
}

TEST(ForkedLoop, ACoroutineIsDestroyedAlthoughItsWakeUpIsUnderWayThatNeverComesInTheChild) {
    SlowLoop loop;
    futon::AsyncLock lock;
    lock.try_lock();
    std::optional<WaitResult> result;
    futon::test::OwnedCoroutine coroutine = futon::test::lock_owned(lock, result);
    std::jthread unlocker([&] { lock.unlock(); });
    futon::test::until([&] { return loop.is_under_way.load(); });

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        coroutine.destroy();
        claim(lock.try_lock_for(1h), "what it was woken for is passed on");
    });
    loop.may_go_on = true;
    unlocker.join();

    EXPECT_EQ(wrong, "");
    loop.poll();
    EXPECT_EQ(result, WaitResult::ok);
}

TEST(ForkedLoop, OfAnotherThreadRefusesToo) {
    std::optional<EventLoop> loop;
    std::atomic<bool> is_made{false};
    std::atomic<bool> is_over{false};
    std::jthread owner([&] {
        loop.emplace();
        is_made = true;
        futon::test::until([&] { return is_over.load(); });
        loop.reset();
    });
    futon::test::until([&] { return is_made.load(); });

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim.throws<std::logic_error>([&] { loop->post([] {}); }, rule);
        claim.throws<std::logic_error>([&] { loop->run(); }, rule);
        loop->stop();
        if (!children_have_threads) return;
        // The system may well give this thread the memory of the one that made the loop.
        std::thread([&] { claim.throws<std::logic_error>([&] { loop->run(); }, rule); }).join();
    });
    is_over = true;

    EXPECT_EQ(wrong, "");
}

TEST(ForkedLoop, AnAgentThatForbadeBlockingIsNotTheChilds) {
    std::optional<Agent> agent(std::in_place, CanBlock::no);

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(Agent::current().can_block(), "the thread may block");
        Agent own(CanBlock::no);
        agent.reset();
        claim(&Agent::current() == &own, "the child's own agent stays current");
    });

    EXPECT_EQ(wrong, "");
    EXPECT_FALSE(Agent::current().can_block());
}

TEST(ForkedLoop, WhatTheChildDoesDoesNotSignalTheParentsHandle) {
    if (!futon::test::has_descriptors) GTEST_SKIP() << "this platform has no descriptors";
    EventLoop loop;
    const auto handle = loop.native_handle();
    std::atomic<int> cell{0};
    const auto promise = futon::wait_async(cell, 0).promise();

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        loop.report_unhandled(std::make_exception_ptr(0));
        loop.stop();
        claim(futon::notify(cell) == 0, "a notify wakes none");
        static Nothing job;
        loop.post(job);
        loop.~EventLoop();
    });

    EXPECT_EQ(wrong, "");
    EXPECT_FALSE(futon::test::is_readable(handle));
    futon::notify(cell);
    EXPECT_TRUE(futon::test::is_readable(handle));
    EXPECT_TRUE(loop.poll());
    EXPECT_TRUE(promise.is_settled());
    EXPECT_FALSE(futon::test::is_readable(handle));
}

TEST(ForkedLoop, DiscardsAtItsEndWhatIsPostedInTheChild) {
    struct Counted final : futon::Job {
        void run() noexcept override { ++runs; }
        void discard() noexcept override { ++discards; }
        int runs = 0;
        int discards = 0;
    };
    std::optional<EventLoop> loop(std::in_place);
    Counted job;
    std::shared_ptr<int> held = std::make_shared<int>(7);

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        loop->post(job);
        claim.throws<std::logic_error>([&] { loop->post([held] {}); }, "futon::EventLoop::post: " + rule);
        claim(held.use_count() == 1, "a function that is refused is destroyed");
        claim(job.discards == 0, "a job is kept");
        loop.reset();
        claim(job.discards == 1 && job.runs == 0, "and discarded then");
    });

    EXPECT_EQ(wrong, "");
    loop->run();
    EXPECT_EQ(job.runs + job.discards, 0);
}

TEST(ForkedLoop, AnExecutorDoesNotWakeItsHostInTheChild) {
    int wakes = 0;
    LoopExecutor executor([&]() noexcept { ++wakes; });
    const int before = wakes;

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        static Nothing job;
        executor.post(job);
        claim(wakes == before, "the host is not called");
        claim.throws<std::logic_error>([&] { executor.poll(); }, "futon::core::LoopExecutor::poll: " + rule);
    });

    EXPECT_EQ(wrong, "");
}

}  // namespace

#endif
