// SPDX-License-Identifier: MIT
// Event loops and the children of a fork. [fork]
#include "support/child.hpp"
#ifdef FUTON_TESTS_CAN_FORK

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/platform.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::CanBlock;
using futon::EventLoop;
using futon::WaitResult;
using futon::core::LoopExecutor;
using futon::test::children_have_threads;
using futon::test::Claims;
using futon::test::inherited_loop_rule;
using futon::test::waiting_at;
using futon::test::wrong_in_child;

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
            claim.throws<std::logic_error>(f, "futon::EventLoop::" + function + ": " + inherited_loop_rule);
        };
        refuses("run", [&] { loop.run(); });
        refuses("poll", [&] { loop.poll(); });
        refuses("run_until", [&] { loop.run_until(promise); });
        refuses("post", [&] { loop.post([] {}); });
        refuses("post_after", [&] { loop.post_after(1ms, [] {}); });
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
        const std::string text = "in the child of a fork a new one";
        claim.throws<futon::NoExecutor>([&] { static_cast<void>(futon::wait_async(cell, 0)); }, text);
        const auto wait_for_inherited = [&] { static_cast<void>(futon::wait_async(cell, 0, {}, agent)); };
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

/// The first of two jobs forks. In the child the function that runs them throws, in the parent it goes on.
void expect_that_a_fork_ends_it_in_the_child(const std::string& function, void (*run_jobs)(EventLoop&)) {
    EventLoop loop;
    std::optional<futon::test::Child> child;
    bool is_child = false;
    int later = 0;
    std::string error = "none";
    loop.post([&] { child.emplace([&](Claims&) { is_child = true; }, futon::test::Child::Goes::on); });
    loop.post([&] { ++later; });

    try {
        run_jobs(loop);
    } catch (const std::logic_error& e) {
        error = e.what();
    }

    if (is_child) end_child(error == "futon::EventLoop::" + function + ": " + inherited_loop_rule && later == 0);
    EXPECT_EQ(child->wrong(), "");
    EXPECT_EQ(later, 1);
    EXPECT_EQ(error, "none");
}

TEST(ForkedLoop, AJobThatForksEndsTheRunInTheChild) {
    expect_that_a_fork_ends_it_in_the_child("run", [](EventLoop& loop) { loop.run(); });
}

TEST(ForkedLoop, AJobThatForksEndsThePollInTheChild) {
    expect_that_a_fork_ends_it_in_the_child("poll", [](EventLoop& loop) { loop.poll(); });
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
        claim.throws<std::logic_error>([&] { loop->post([] {}); }, inherited_loop_rule);
        claim.throws<std::logic_error>([&] { loop->run(); }, inherited_loop_rule);
        loop->stop();
        if (!children_have_threads) return;
        // The system may well give this thread the memory of the one that made the loop.
        std::thread([&] { claim.throws<std::logic_error>([&] { loop->run(); }, inherited_loop_rule); }).join();
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

TEST(ForkedLoop, AnExecutorDoesNotWakeItsHostInTheChild) {
    int wakes = 0;
    LoopExecutor executor([&]() noexcept { ++wakes; });
    const int before = wakes;

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        static Nothing job;
        executor.post(job);
        claim(wakes == before, "the host is not called");
        claim.throws<std::logic_error>([&] { executor.poll(); },
                                       "futon::core::LoopExecutor::poll: " + inherited_loop_rule);
    });

    EXPECT_EQ(wrong, "");
}

}  // namespace

#endif
