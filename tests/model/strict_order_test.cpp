// SPDX-License-Identifier: MIT
// [fifo] A strict semaphore, and a strict SharedLock, serve their waiters in the order in which they were queued, threads and tasks alike.
#include <algorithm>
#include <memory>
#include <vector>

#include <futon/futon.hpp>
#include <futon/sync/semaphore.hpp>
#include <futon/sync/shared_lock.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Fairness;
using futon::Semaphore;
using futon::SharedLock;
namespace core = futon::core;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// The request of the task that is queued last.
class LastTask final : public core::QueueVisitor {
public:
    explicit LastTask(const void* key) { core::process_table().visit(key, *this); }
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

template <class Op>
class NotedWaiter final : public core::BlockedOperation<Op> {
public:
    NotedWaiter(Op& op, const Noting& noting) : core::BlockedOperation<Op>(op), noted_(noting.request) {}
    ~NotedWaiter() { *noted_ = this->request().word; }

private:
    std::uint64_t* noted_;
};

/// Blocks until the operation is done, and notes when it was queued; nothing if it had not to wait.
template <class Op>
auto block_noting(Op op, std::uint64_t& request) {
    return core::block<Op, Noting, NotedWaiter<Op>>(std::move(op), {}, Noting{{}, &request});
}

/// When those were queued that have acquired.
struct Order {
    void enter(std::uint64_t request) {
        if (request != 0) requests.push_back(request);
        ++entered;
    }
    void check_kept(int expected) const {
        check(entered == expected, "each has entered");
        const bool has_expired = futon::explorer::virtual_now() - begin >= Semaphore::handoff_threshold;
        check(has_expired || std::ranges::is_sorted(requests),
              "[fifo] waiters are served in the order of their queueing");
    }

    const std::chrono::steady_clock::time_point begin = futon::explorer::virtual_now();  // of all offers
    std::vector<std::uint64_t> requests;
    int entered = 0;
};

/// A strict semaphore without permits, and the loop of the main fiber.
struct SemaphoreScene : Order {
    /// Queues a task that acquires and releases.
    void post(bool is_noted = true) {
        auto request = std::make_shared<std::uint64_t>();
        take_on_loop(request);
        if (is_noted) *request = LastTask(&semaphore).request;
    }
    futon::Promise<void> take_on_loop(std::shared_ptr<std::uint64_t> request) {
        static_cast<void>(co_await semaphore.acquire_async());
        enter(*request);
        semaphore.release();
    }

    void take(std::uint32_t permits = 1) {
        std::uint64_t request = 0;
        static_cast<void>(block_noting(semaphore.acquiring(permits), request));
        enter(request);
        semaphore.release(permits);
    }

    void finish(int expected, std::uint32_t permits) {
        futon::explorer::join();
        check_kept(expected);
        check(semaphore.try_acquire(permits), "the permits can be had in the end");
        check(core::process_table().count(&semaphore) == 0, "no waiter is queued");
    }

    futon::EventLoop loop{futon::CanBlock::yes};
    Semaphore semaphore{0, Fairness::strict};
};

/// Waiters are told apart by when they were queued.
void let_time_pass() {
    futon::explorer::sleep_until("between", futon::explorer::virtual_now() + 10ns);
}

TEST(ModelSemaphore, AStrictOneServesAThreadBehindAnOfferBeforeThoseBehindIt) {
    expect_holds("a strict semaphore, a task, two threads", {.preemptions = 2}, [] {
        SemaphoreScene scene;
        scene.post();
        for (const char* name : {"first", "second"}) {
            spawn(name, [&] { scene.take(); });
            let_time_pass();
        }
        scene.semaphore.release();
        scene.loop.run();
        scene.finish(3, 1);
    });
}

TEST(ModelSemaphore, AStrictOneServesTasksAndAThreadInTheOrderOfTheirQueueing) {
    expect_holds("a strict semaphore, three tasks, a thread between or behind them", {.preemptions = 3}, [] {
        SemaphoreScene scene;
        scene.post();
        spawn("thread", [&] { scene.take(); });
        for (int i = 0; i < 2; ++i) {
            let_time_pass();
            scene.post();
        }
        scene.semaphore.release();
        scene.loop.run();
        scene.finish(4, 1);
    });
}

TEST(ModelSemaphore, AStrictOneServesABigRequestBehindAnOfferBeforeThoseBehindIt) {
    expect_holds("a strict semaphore, a task, a thread that wants two, a thread", {.preemptions = 2}, [] {
        SemaphoreScene scene;
        scene.post(false);  // it may own a permit beside U
        spawn("T", [&] { scene.take(2); });
        let_time_pass();
        spawn("U", [&] { scene.take(); });
        let_time_pass();
        scene.semaphore.release(2);  // one is offered, the other is kept for T
        scene.loop.run();
        scene.finish(3, 2);
    });
}

TEST(ModelSemaphore, NoCallerPassesAThreadBehindAnOfferOfAStrictOne) {
    expect_holds("a strict semaphore, a task, a thread, a passer-by", {.preemptions = 3}, [] {
        SemaphoreScene scene;
        scene.post();
        spawn("T", [&] { scene.take(); });
        futon::explorer::point("T may be queued", &scene);
        const bool is_queued = core::process_table().count(&scene.semaphore) == 2;
        scene.semaphore.release();
        scene.loop.run();
        if (scene.semaphore.try_acquire()) {
            const bool has_expired = futon::explorer::virtual_now() - scene.begin >= Semaphore::handoff_threshold;
            check(!is_queued || scene.entered == 2 || has_expired, "[fifo] no caller passes a thread that was queued");
            scene.semaphore.release();
        }
        scene.finish(2, 1);
    });
}

TEST(ModelSemaphore, OfTwoReleasesOfAStrictOneThatMeetNoneIsLost) {
    expect_holds("a strict semaphore, a loop that does not run, two threads, two releases",
                 {.preemptions = 2, .clock_leaps = 1}, [] {
                     Semaphore semaphore(0, Fairness::strict);
                     futon::EventLoop loop(futon::CanBlock::yes);
                     auto promise = futon::promise_of(semaphore.acquiring());
                     for (const char* name : {"A", "B"}) spawn(name, [&] { semaphore.acquire(); });
                     spawn("releaser", [&] { semaphore.release(); });
                     semaphore.release();
                     futon::explorer::join();
                     semaphore.release();
                     check(loop.run_until(promise) == futon::WaitResult::ok, "the task keeps its place");
                     check(semaphore.available() == 0, "no permit is made");
                 });
}

futon::Promise<void> write_on_loop(SharedLock& lock, Order& order, std::shared_ptr<std::uint64_t> request) {
    const auto hold = co_await lock.scoped_lock_async();
    order.enter(*request);
}

template <class Op>
void hold_noting(Op op, Order& order) {
    std::uint64_t request = 0;
    const auto hold = block_noting(std::move(op), request);
    order.enter(request);
}

TEST(ModelSharedLock, AStrictOneServesAThreadBehindAnOfferBeforeThoseBehindIt) {
    expect_holds("a strict SharedLock, a task that writes, a reader and a writer", {.preemptions = 2}, [] {
        Order order;
        futon::EventLoop loop(futon::CanBlock::yes);
        SharedLock lock(Fairness::strict);
        lock.lock();
        auto request = std::make_shared<std::uint64_t>();
        write_on_loop(lock, order, request);
        *request = LastTask(&lock).request;
        spawn("reader", [&] { hold_noting(lock.locking_shared(), order); });
        let_time_pass();
        spawn("writer", [&] { hold_noting(lock.locking(), order); });
        let_time_pass();
        lock.unlock();
        loop.run();
        futon::explorer::join();
        order.check_kept(3);
        check(lock.try_lock(), "the lock is free in the end");
        lock.unlock();
    });
}

}  // namespace
