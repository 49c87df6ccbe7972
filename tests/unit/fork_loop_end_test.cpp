// SPDX-License-Identifier: MIT
// The end of an event loop in the child of a fork that copied it. [fork]
#include "support/child.hpp"
#ifdef FUTON_TESTS_CAN_FORK

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "loop/loop_core.hpp"
#include "support/gtest.hpp"
#include "support/platform.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::CanBlock;
using futon::EventLoop;
using futon::WaitResult;
using futon::test::Claims;
using futon::test::inherited_loop_rule;
using futon::test::waiting_at;
using futon::test::wrong_in_child;

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
    SlowLoop() : LoopBase(CanBlock::no, "SlowLoop", []() noexcept {}) {}

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

/// Forks in its first step, before it has waited for anything; what it returns, another coroutine awaits.
futon::Promise<int> fork_at_once(pid_t& child) {
    child = fork();
    co_return 5;
}
futon::Promise<int> await_a_fork(pid_t& child) {
    co_return co_await fork_at_once(child);
}

TEST(ForkedLoop, ACoroutineThatForksAndReturnsEndsNoChild) {
    pid_t child = -1;
    EventLoop loop;
    std::string said;
    try {
        EXPECT_EQ(loop.run_until(await_a_fork(child)), 5);
    } catch (const std::logic_error& error) {
        said = error.what();
    }
    if (child == 0) _exit(said == "futon::EventLoop::run_until: " + inherited_loop_rule ? 0 : 1);
    ASSERT_GT(child, 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(said, "");
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
        claim.throws<std::logic_error>([&] { loop->post([held] {}); },
                                       "futon::EventLoop::post: " + inherited_loop_rule);
        claim(held.use_count() == 1, "a function that is refused is destroyed");
        claim(job.discards == 0, "a job is kept");
        loop.reset();
        claim(job.discards == 1 && job.runs == 0, "and discarded then");
    });

    EXPECT_EQ(wrong, "");
    loop->run();
    EXPECT_EQ(job.runs + job.discards, 0);
}

}  // namespace

#endif
