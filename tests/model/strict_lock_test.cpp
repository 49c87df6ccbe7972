// SPDX-License-Identifier: MIT
// [fifo] A strict lock serves its waiters in the order in which they were queued, threads and tasks alike.
#include <algorithm>
#include <memory>
#include <vector>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Fairness;
using Locking = AsyncLock::Locking;
namespace core = futon::core;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// The request of the task that is queued last.
class LastTask final : public core::QueueVisitor {
public:
    explicit LastTask(const AsyncLock& lock) { core::process_table().visit(&lock, *this); }
    std::uint64_t request = 0;

private:
    void visit(const void*, const core::Waiter& waiter) noexcept override {
        if (waiter.owner().caller == core::Caller::task) request = waiter.request().word;
    }
};

/// How a thread sleeps that notes its request.
struct Noting : core::PlainSleep {
    std::uint64_t* request;
};

class NotedWaiter final : public core::BlockedOperation<Locking> {
public:
    NotedWaiter(Locking& op, const Noting& noting) : core::BlockedOperation<Locking>(op), noted_(noting.request) {}
    ~NotedWaiter() { *noted_ = request().word; }

private:
    std::uint64_t* noted_;
};

/// A strict lock that is held at the beginning, and the loop of the main fiber. Notes when those who acquire it were queued.
struct OrderScene {
    OrderScene() { lock.lock(); }

    /// Queues a function of the loop, while the lock is held.
    void post() {
        auto request = std::make_shared<std::uint64_t>();
        lock.execute_locked([this, request] { enter(*request); });
        *request = LastTask(lock).request;
    }

    /// Locks and unlocks, on a thread. Returns whether it acquired the lock before the deadline.
    bool take(const futon::Limits& limit = {});

    void enter(std::uint64_t request) {
        check(inside++ == 0, "one at a time");
        if (request != 0) requests.push_back(request);
        ++entered;
        futon::explorer::point("inside", this);
        --inside;
    }

    void finish(int expected) {
        futon::explorer::join();
        check(entered == expected, "each has entered");
        check(lock.try_lock(), "the lock is free in the end");
        lock.unlock();
        check(core::process_table().count(&lock) == 0, "no waiter is queued");
    }

    void finish_in_order(int expected) {
        finish(expected);
        const bool has_expired = futon::explorer::virtual_now() - begin >= AsyncLock::handoff_threshold;
        check(has_expired || std::ranges::is_sorted(requests),
              "[fifo] waiters acquire the lock in the order of queueing");
    }

    futon::EventLoop loop{futon::CanBlock::yes};
    AsyncLock lock{Fairness::strict};
    const std::chrono::steady_clock::time_point begin = futon::explorer::virtual_now();  // of all offers
    std::vector<std::uint64_t> requests;
    int inside = 0;
    int entered = 0;
};

bool OrderScene::take(const futon::Limits& limit) {
    std::uint64_t request = 0;
    auto guard = core::block<Locking, Noting, NotedWaiter>(lock.locking(), limit, Noting{{}, &request});
    if (!guard) return false;
    enter(request);
    return true;
}

/// Waiters are told apart by when they were queued. Others may be queued meanwhile.
void let_time_pass() {
    futon::explorer::sleep_until("between", futon::explorer::virtual_now() + 10ns);
}

TEST(ModelStrictLock, ServesTasksAndAThreadInTheOrderOfTheirQueueing) {
    expect_holds("strict lock, three functions of a loop, a thread between or behind them", {.preemptions = 3}, [] {
        OrderScene scene;
        scene.post();
        spawn("thread", [&] { scene.take(); });
        for (int i = 0; i < 2; ++i) {
            let_time_pass();
            scene.post();
        }
        scene.lock.unlock();
        scene.loop.run();
        scene.finish_in_order(4);
    });
}

TEST(ModelStrictLock, ServesAThreadThatIsLateBeforeThoseBehindIt) {
    expect_holds("strict lock, a function of a loop, two threads, a function", {.preemptions = 2}, [] {
        OrderScene scene;
        scene.post();
        for (const char* name : {"A", "B"}) spawn(name, [&] { scene.take(); });
        let_time_pass();
        scene.post();
        scene.lock.unlock();
        scene.loop.run();
        scene.finish_in_order(4);
    });
}

TEST(ModelStrictLock, IsPassedOnByAThreadThatLeavesWhileItIsOnItsWay) {
    expect_holds("strict lock, two functions of a loop, a thread with a deadline, a thread", {.preemptions = 2}, [] {
        OrderScene scene;
        int expected = 3;
        scene.post();
        let_time_pass();
        scene.post();
        spawn("impatient", [&] { expected += scene.take(1us) ? 1 : 0; });
        spawn("thread", [&] { scene.take(); });
        scene.lock.unlock();
        scene.loop.run();
        futon::explorer::join();
        scene.finish(expected);
    });
}

TEST(ModelStrictLock, IsPassedOnByASelectThatChoosesAnotherOperation) {
    expect_holds("strict lock, two functions of a loop, a select of it and a word, a notifier", {.preemptions = 2}, [] {
        OrderScene scene;
        int word = 0;
        int expected = 2;
        scene.post();
        let_time_pass();
        scene.post();
        spawn("select", [&] {
            auto chosen = futon::select(scene.lock.locking(), futon::waiting(futon::Word(word), 0));
            if (chosen.index() != 0) return;
            scene.enter(0);
            ++expected;
        });
        spawn("notifier", [&] {
            futon::Word(word).store(1);
            futon::notify(futon::Word(word));
        });
        scene.lock.unlock();
        scene.loop.run();
        futon::explorer::join();
        scene.finish(expected);
    });
}

}  // namespace
