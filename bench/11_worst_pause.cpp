// SPDX-License-Identifier: MIT
//
// 11. What is the worst pause that another user meets beside very many waiters or timers?
//
// A thread waits, notifies and resumes on one word after another, while a word with very many waiters is notified. Its
// words are so many that some share a shard with that word. So are very many released by an event, a latch, a channel that
// is closed, a semaphore, a readers-writer lock, and moved by a condition. A loop keeps a heartbeat of a millisecond, and another
// thread posts a job to it each millisecond, while very many timers with one deadline move through the wheel and fire.
// The floor is the same user with no waiters or timers beside it: what the machine causes.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "harness/longest_pause.hpp"
#include "harness/pending_waiters.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "support/coroutines.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::LongestPause;
using bench::Sample;
using futon::Word;
using futon::test::OwnedCoroutine;

void note(Sample& sample, const LongestPause& pause, const char* own, const char* all) {
    sample.values[own] = pause.with_processor() / 1e6;
    sample.values[all] = pause.as_it_is() / 1e6;
}

/// Waits, is notified and resumes, on one of many words after the other.
LongestPause use_other_words(std::latch& start, const std::atomic<bool>& is_over) {
    constexpr std::size_t words = 1024;  // several times as many as there are shards
    futon::EventLoop loop;
    bench::StackDepth depth;
    bench::PendingWaiters waiters(1, true, loop, depth);
    std::vector<std::uint32_t> others(words);
    LongestPause pause;
    start.arrive_and_wait();
    for (std::size_t i = 0; i < words || !is_over; ++i) {
        const Word<std::uint32_t> word(others[i % words]);
        const Clock::time_point begin = Clock::now();
        waiters[0].enqueue(word.equals(0));
        futon::notify(word);
        loop.poll();
        pause.add(bench::nanoseconds(Clock::now() - begin));
    }
    return pause;
}

/// The pauses of a thread that uses other words, while `f()` runs.
template <class F>
Sample pauses_of_other_words(F&& f) {
    std::atomic<bool> is_over{false};
    std::latch start(2);
    LongestPause pause;
    std::jthread user([&] { pause = use_other_words(start, is_over); });
    start.arrive_and_wait();
    Sample sample = bench::time_of(1, std::forward<F>(f));
    is_over = true;
    user.join();
    note(sample, pause, "own_ms", "all_ms");
    return sample;
}

Sample beside_a_notify(std::size_t size) {
    futon::EventLoop loop;
    bench::StackDepth depth;
    bench::PendingWaiters waiters(size, true, loop, depth);
    waiters.enqueue_all();
    Sample sample = pauses_of_other_words([&] { waiters.notify_all(); });
    while (loop.poll()) {
    }
    return sample;
}

Sample beside_no_notify(std::size_t size) {
    const bench::Work as_long(std::chrono::nanoseconds(40) * size);
    return pauses_of_other_words([&] { as_long(); });
}

/// Very many coroutines that wait, as `wait` says, until `wake()`; and what they do once they run again.
template <class Wait, class Wake>
Sample beside_coroutines(std::size_t size, Wait wait, Wake wake) {
    futon::EventLoop loop;
    std::vector<OwnedCoroutine> coroutines;
    coroutines.reserve(size);
    for (std::size_t i = 0; i < size; ++i) coroutines.push_back(wait());
    Sample sample = pauses_of_other_words(wake);
    while (loop.poll()) {
    }
    return sample;
}

Sample beside_an_event(std::size_t size) {
    futon::Event event;
    return beside_coroutines(
        size, [&]() -> OwnedCoroutine { co_await event.wait_async(); }, [&] { event.set(); });
}

Sample beside_a_latch(std::size_t size) {
    futon::Latch latch(1);
    return beside_coroutines(
        size, [&]() -> OwnedCoroutine { co_await latch.wait_async(); }, [&] { latch.count_down(); });
}

Sample beside_a_channel(std::size_t size) {
    futon::Channel<int> channel(1);
    return beside_coroutines(
        size, [&]() -> OwnedCoroutine { static_cast<void>(co_await channel.receive_async()); },
        [&] { channel.close(); });
}

/// The lock is held while they are moved to its queue, as it usually is.
Sample beside_a_condition(std::size_t size) {
    futon::AsyncLock lock;
    futon::Condition condition;
    const auto wait = [&]() -> OwnedCoroutine {
        auto guard = co_await lock.scoped_lock_async();
        static_cast<void>(co_await condition.wait_async(guard));
    };
    return beside_coroutines(size, wait, [&] {
        const bool is_locked = lock.try_lock();
        condition.notify_all();
        if (is_locked) lock.unlock();
    });
}

Sample beside_a_semaphore(std::size_t size) {
    futon::Semaphore semaphore(0);
    const auto wait = [&]() -> OwnedCoroutine { static_cast<void>(co_await semaphore.acquire_async()); };
    return beside_coroutines(size, wait, [&] { semaphore.release(static_cast<std::uint32_t>(size)); });
}

Sample beside_readers(std::size_t size) {
    futon::SharedLock lock;
    const auto wait = [&]() -> OwnedCoroutine { const auto hold = co_await lock.scoped_lock_shared_async(); };
    const bool is_locked = lock.try_lock();
    return beside_coroutines(size, wait, [&] {
        if (is_locked) lock.unlock();
    });
}

/// Fires each millisecond.
class Heartbeat final : public futon::Timer {
public:
    explicit Heartbeat(futon::EventLoop& loop) : loop_(loop) { loop_.arm(*this, next_); }
    ~Heartbeat() { loop_.disarm(*this); }

    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

    const LongestPause& lateness() const { return lateness_; }

private:
    void fire() noexcept override {
        const Clock::time_point now = Clock::now();
        lateness_.add(bench::nanoseconds(now - next_));
        next_ = std::max(next_, now) + std::chrono::milliseconds(1);
        loop_.arm(*this, next_);
    }

    futon::EventLoop& loop_;
    Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(1);
    LongestPause lateness_;
};

class CountedTimer final : public futon::Timer {
public:
    explicit CountedTimer(std::size_t& fired) : fired_(&fired) {}

private:
    void fire() noexcept override { ++*fired_; }

    std::size_t* fired_;
};

/// A loop with a heartbeat and posted jobs, and as many timers with one deadline, which is `away`.
Sample beside_timers(std::size_t size, std::chrono::nanoseconds away) {
    futon::EventLoop loop;
    std::size_t fired = 0;
    std::allocator<CountedTimer> allocator;
    CountedTimer* timers = allocator.allocate(size);
    for (std::size_t i = 0; i < size; ++i) std::construct_at(timers + i, fired);
    const Clock::time_point due = Clock::now() + away;
    for (std::size_t i = 0; i < size; ++i) loop.arm(timers[i], due);

    std::atomic<bool> is_over{false};
    Heartbeat heartbeat(loop);
    LongestPause posted;
    Sample of_loop;
    Sample sample = bench::time_of(1, [&] {
        std::jthread poster([&] {
            while (!is_over) {
                loop.post([&, begin = Clock::now()] {
                    posted.add(bench::nanoseconds(Clock::now() - begin));
                    if (fired < size || Clock::now() < due + std::chrono::milliseconds(10)) return;
                    is_over = true;
                    loop.stop();
                });
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
        const auto running = loop.keep_running();
        loop.run();
        // What is still armed or posted is late because the loop does not run.
        note(of_loop, heartbeat.lateness(), "heartbeat_own_ms", "heartbeat_all_ms");
        note(of_loop, posted, "posted_own_ms", "posted_all_ms");
    });
    while (loop.poll()) {
    }
    std::destroy_n(timers, size);
    allocator.deallocate(timers, size);
    sample.values.merge(of_loop.values);
    return sample;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "11_worst_pause");
    const std::vector<std::pair<const char*, Sample (*)(std::size_t)>> verbs{
        {"futon::Event::set", beside_an_event},
        {"futon::Latch::count_down", beside_a_latch},
        {"futon::Channel::close", beside_a_channel},
        {"futon::Condition::notify_all", beside_a_condition},
        {"futon::Semaphore::release", beside_a_semaphore},
        {"futon::SharedLock::unlock", beside_readers}};
    for (const std::size_t size : session.powers_of_ten(3, 4, 6, 6)) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        const char* measure = "another word, beside a notify of very many";
        session.add({measure, "futon", Kind::ours, at}, [=] { return beside_a_notify(size); });
        session.add({measure, "without waiters", Kind::floor, at}, [=] { return beside_no_notify(size); });
        for (const auto& [who, trial] : verbs)
            session.add({"another word, beside what wakes very many", who, Kind::ours, at},
                        [=] { return trial(size); });
    }
    session.run(session.pick(1u, 7u, 15u));

    for (const std::size_t size : session.powers_of_ten(3, 4, 6, 6)) {
        const bench::Point at{{"timers", static_cast<double>(size)}};
        // So far away that all are armed by then, and that they move through several slots.
        const auto away = std::chrono::milliseconds(50) + std::chrono::microseconds(size);
        const char* measure = "a loop with very many timers of one deadline";
        session.add({measure, "futon", Kind::ours, at}, [=] { return beside_timers(size, away); });
        session.add({measure, "without timers", Kind::floor, at}, [=] { return beside_timers(0, away); });
    }
    session.run(session.pick(1u, 5u, 9u));
    return session.finish();
}
