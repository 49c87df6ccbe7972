// SPDX-License-Identifier: MIT
//
// 18. Is a loop that runs served beside threads, and do loops that do not run cost the threads nothing?
//
// First a loop whose every turn takes some time wants the lock in each, beside threads that hold it for a while: how long it
// waits, in how many of its turns it has it, and what the threads keep of what they have without it. Then loops that have
// queued tasks do not run: what the threads keep, and how long one of them waits.
//
// The peers: an Asio channel with one token in it, the lock that articles build of Atomics.wait and waitAsync, and a
// std::mutex which the loop locks by blocking, as it must not.

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <asio.hpp>
#include <futon/asio.hpp>
#include <futon/futon.hpp>

#include "harness/loops_and_threads.hpp"
#include "harness/session.hpp"
#include "harness/strict_lock.hpp"
#include "peers/article_lock.hpp"
#include "peers/asio_lock.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;
using bench::Turns;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// What a loop of futon awaits to have the lock; it gives what holds it.
template <class Lock>
auto hold(Lock& lock) requires requires {
    lock.scoped_lock_async();
}
{ return lock.scoped_lock_async(); }
auto hold(futon::Semaphore& semaphore) {
    return semaphore.scoped_acquire_async();
}

futon::Promise<std::unique_ptr<bench::ArticleLock, void (*)(bench::ArticleLock*)>> hold(bench::ArticleLock& lock) {
    co_await lock.lock_async();
    co_return std::unique_ptr<bench::ArticleLock, void (*)(bench::ArticleLock*)>(
        &lock, [](bench::ArticleLock* owned) { owned->unlock(); });
}

/// A lock that a loop of futon can await.
template <class Mutex>
struct OnFuton : Mutex {
    using Mutex::Mutex;

    futon::Promise<void> acquire_once(Turns& turns) {
        const Clock::time_point requested = turns.request();
        const auto guard = co_await hold(static_cast<Mutex&>(*this));
        turns.acquired(requested);
    }

    /// Runs a loop until its turns are over, and it has what it waits for then: so the others end before.
    template <class F>
    void run_loop(Turns& turns, F others_end) {
        futon::EventLoop loop;
        const std::function<void()> turn = [&] {
            if (turns.may_request()) acquire_once(turns);
            turns.take_one();
            if (turns.are_over()) others_end();
            if (!turns.are_over() || turns.is_waiting()) loop.post(turn);
        };
        loop.post(turn);
        loop.run();
    }

    futon::Promise<void> wait_once() { const auto guard = co_await hold(static_cast<Mutex&>(*this)); }

    /// Queues tasks on a loop, which runs only in the end.
    void stall(int tasks, std::latch& is_queued, const std::atomic<bool>& is_over) {
        futon::EventLoop loop;
        for (int i = 0; i < tasks; ++i) wait_once();
        is_queued.arrive_and_wait();
        is_over.wait(false);
    }
};

struct OnePermit : futon::Semaphore {
    OnePermit() : Semaphore(1) {}
    void lock() { acquire(); }
    void unlock() { release(); }
};

/// Runs a context of Asio as `OnFuton` runs a loop; `acquire_once` is a coroutine.
template <class Others, class Acquire>
void run_context(Turns& turns, Others others_end, Acquire acquire_once) {
    asio::io_context loop{1};
    const std::function<void()> turn = [&] {
        if (turns.may_request()) asio::co_spawn(loop, acquire_once(), asio::detached);
        turns.take_one();
        if (turns.are_over()) others_end();
        if (!turns.are_over() || turns.is_waiting()) asio::post(loop, turn);
    };
    asio::post(loop, turn);
    loop.run();
}

/// An Asio context that awaits the lock.
struct InAsio : futon::AsyncLock {
    asio::awaitable<void> acquire_once(Turns& turns) {
        const Clock::time_point requested = turns.request();
        const Guard guard = co_await futon::asio::async(locking(), asio::use_awaitable);
        turns.acquired(requested);
    }

    template <class F>
    void run_loop(Turns& turns, F others_end) {
        run_context(turns, others_end, [&] { return acquire_once(turns); });
    }

    void stall(int tasks, std::latch& is_queued, const std::atomic<bool>& is_over) {
        asio::io_context loop{1};
        for (int i = 0; i < tasks; ++i) futon::asio::async(loop, locking(), [](asio::error_code, Guard) {});
        is_queued.arrive_and_wait();
        is_over.wait(false);
    }
};

/// The same of Asio.
class OnAsio {
public:
    ~OnAsio() { work_.reset(); }

    void lock() { lock_.lock_async(asio::use_future).get(); }
    void unlock() { lock_.unlock(); }

    template <class F>
    void run_loop(Turns& turns, F others_end) {
        run_context(turns, others_end, [&] { return acquire_once(turns); });
    }

    void stall(int tasks, std::latch& is_queued, const std::atomic<bool>& is_over) {
        asio::io_context loop{1};
        for (int i = 0; i < tasks; ++i)
            lock_.lock_async(asio::bind_executor(loop, [this](asio::error_code, char) { lock_.unlock(); }));
        is_queued.arrive_and_wait();
        is_over.wait(false);
        loop.run();  // what it had got
    }

private:
    asio::awaitable<void> acquire_once(Turns& turns) {
        const Clock::time_point requested = turns.request();
        co_await lock_.lock_async(asio::use_awaitable);
        turns.acquired(requested);
        lock_.unlock();
    }

    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
    bench::AsioLock lock_{context_};
    std::jthread thread_{[this] { context_.run(); }};
};

/// The loop blocks.
struct Blocking : std::mutex {
    template <class F>
    void run_loop(Turns& turns, F) {
        while (!turns.are_over()) {
            const Clock::time_point requested = turns.request();
            {
                const std::scoped_lock guard(*this);
                turns.acquired(requested);
            }
            turns.take_one();
        }
    }
};

struct Scene {
    int threads;
    nanoseconds hold;
    nanoseconds turn;
};

template <class Lock>
Sample beside_threads(const Scene& scene, milliseconds length) {
    Lock lock;
    bench::Threads<Lock> threads(lock, scene.threads, scene.hold);
    const auto alone = threads.during([&] { std::this_thread::sleep_for(length / 2); });
    Turns turns(scene.turn, Clock::now() + length);
    const auto beside = threads.during([&] { lock.run_loop(turns, [&] { threads.stop(); }); });
    threads.stop();
    Sample sample;
    sample.values = {{"longest_ms", turns.longest_ms()},
                     {"per_turn", turns.per_turn()},
                     {"kept", beside.per_ms / alone.per_ms},
                     {"idle", beside.idle}};
    return sample;
}

template <class Lock>
Sample beside_stalled(int loops, int tasks, milliseconds length) {
    Lock lock;
    bench::Threads<Lock> threads(lock, 4, std::chrono::milliseconds(1));
    const auto alone = threads.during([&] { std::this_thread::sleep_for(length); });
    std::latch are_queued(loops + 1);
    std::atomic<bool> is_over{false};
    std::vector<std::jthread> stalled;
    for (int i = 0; i < loops; ++i) stalled.emplace_back([&] { lock.stall(tasks, are_queued, is_over); });
    are_queued.arrive_and_wait();
    const auto beside = threads.during([&] { std::this_thread::sleep_for(length); });
    threads.stop();
    is_over = true;
    is_over.notify_all();
    stalled.clear();
    if constexpr (requires { lock.rouse(); }) lock.rouse();
    Sample sample;
    sample.values = {{"kept", beside.per_ms / alone.per_ms},
                     {"longest_ms", beside.longest_ms},
                     {"longest_alone_ms", alone.longest_ms}};
    return sample;
}

/// Calls `f<Lock>(who, kind)` for each lock whose loop need not block.
template <class F>
void for_each_lock(F f) {
    f.template operator()<OnFuton<futon::AsyncLock>>("futon::AsyncLock", Kind::ours);
    f.template operator()<OnFuton<bench::StrictLock>>("futon::AsyncLock, strict", Kind::ours);
    f.template operator()<OnFuton<OnePermit>>("futon::Semaphore, one permit", Kind::ours);
    f.template operator()<OnFuton<futon::SharedLock>>("futon::SharedLock, exclusive", Kind::ours);
    f.template operator()<InAsio>("futon::AsyncLock in Asio", Kind::ours);
    f.template operator()<OnFuton<bench::ArticleLock>>("article's lock", Kind::peer);
    f.template operator()<OnAsio>("asio channel as a lock", Kind::peer);
}

}  // namespace

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    bench::Session session(argc, argv, "18_loops_and_threads");
    const milliseconds length = session.pick(60ms, 1'000ms, 4'000ms);
    std::vector<Scene> scenes{{4, 5ms, 2ms},   {4, 5ms, 16ms},   {4, 5ms, 40ms},
                              {4, 5ms, 100ms}, {4, 100us, 16ms}, {4, 100us, 40ms}};
    if (session.effort() == bench::Effort::extended)
        for (const int threads : {1, 16})
            for (const auto turn : {5ms, 16ms, 40ms}) scenes.push_back({threads, 5ms, turn});
    for (const Scene& scene : scenes) {
        const bench::Point at{{"threads", scene.threads},
                              {"hold_ms", bench::milliseconds(scene.hold)},
                              {"turn_ms", bench::milliseconds(scene.turn)}};
        for_each_lock([&]<class Lock>(const char* who, Kind kind) {
            session.add({"a busy loop beside threads", who, kind, at},
                        [=] { return beside_threads<Lock>(scene, length); });
        });
        session.add({"a busy loop beside threads", "std::mutex, which the loop locks by blocking", Kind::peer, at},
                    [=] { return beside_threads<Blocking>(scene, length); });
    }
    session.run(1);

    for (const int loops : {1, 8})
        for (const int tasks : {1, 1'000})
            for_each_lock([&]<class Lock>(const char* who, Kind kind) {
                session.add({"threads beside loops that do not run", who, kind, {{"loops", loops}, {"tasks", tasks}}},
                            [=] { return beside_stalled<Lock>(loops, tasks, length); });
            });
    session.run(1);
    return session.finish();
}
