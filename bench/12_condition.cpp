// SPDX-License-Identifier: MIT
//
// 12. What does a condition cost: a round trip of two threads, and a notify of 64 that all need the lock?
//
// Each condition variable is measured with the mutex that belongs to it. The round trip is that of question 3, with a
// word behind a mutex: notified after the unlock, and notified with the lock held. The floor is the futex.
//
// The 64 threads wait on one condition; the notifier holds the lock when it notifies them all. A thread that resumes owns
// the lock, and gives it up with its next wait. The time ends when the last thread has owned it. A condition that wakes
// all threads at once makes them compete for a lock that only one can have; one that moves them to the queue of the lock
// wakes each when the lock is free.

#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "harness/ping_pong.hpp"
#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "peers/conditions.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Placement;
using bench::Sample;

/// Two threads that go on alternately; each notifies the other with the lock held, and releases it by its own wait.
template <class Mutex, class Condition>
Sample locked_round_trips(int round_trips, Placement placement) {
    alignas(64) Mutex mutex;
    alignas(64) Condition condition;
    int next = 0;  // the thread that may go on
    bench::Histogram latencies;
    const auto play = [&](int mine, auto&& after_each) {
        mutex.lock();
        for (int i = 0; i < round_trips; ++i) {
            while (next != mine) condition.wait(mutex);
            after_each();
            next = 1 - mine;
            condition.notify_one();
        }
        mutex.unlock();
    };
    const bench::Pinned here(0);
    Sample sample = bench::time_of(round_trips, [&] {
        std::jthread other([&] {
            const bench::Pinned there(placement == Placement::one_core ? 0 : 1);
            play(1, [] {});
        });
        Clock::time_point begin = Clock::now();
        play(0, [&] {
            const Clock::time_point now = Clock::now();
            latencies.add(static_cast<std::uint64_t>(bench::nanoseconds(now - begin)));
            begin = now;
        });
    });
    sample.latencies["round trip"] = latencies;
    return sample;
}

/// Switches of all threads of this process, voluntary or not.
double context_switches() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_nvcsw + used.ru_nivcsw);
}

/// Threads that wait on one condition, again and again.
template <class Mutex, class Condition>
class Waiters {
public:
    explicit Waiters(std::size_t size) : size_(size) {
        for (std::size_t i = 0; i < size; ++i) threads_.emplace_back([this] { wait_repeatedly(); });
    }
    ~Waiters() {
        lock_when_all_wait();
        is_over_ = true;
        condition_.notify_all();
        mutex_.unlock();
    }
    Waiters(const Waiters&) = delete;
    Waiters& operator=(const Waiters&) = delete;

    /// Locks when each thread is queued: a thread counts itself under the lock that only its wait releases.
    void lock_when_all_wait() {
        while (true) {
            mutex_.lock();
            if (waiting_ == size_) return;
            mutex_.unlock();
            std::this_thread::yield();
        }
    }

    /// Notifies all. Returns the times of the call, and until the last thread has owned the lock.
    std::pair<double, double> notify_all() {
        waiting_ = 0;
        resumed_ = 0;
        ++generation_;
        const Clock::time_point begin = Clock::now();
        condition_.notify_all();
        const Clock::time_point end_of_call = Clock::now();
        mutex_.unlock();
        all_resumed_.acquire();
        return {bench::nanoseconds(end_of_call - begin), bench::nanoseconds(last_ - begin)};
    }

private:
    void wait_repeatedly() {
        mutex_.lock();
        for (std::uint64_t seen = 0;; seen = generation_) {
            ++waiting_;
            while (generation_ == seen && !is_over_) condition_.wait(mutex_);
            if (is_over_) break;
            if (++resumed_ == size_) {
                last_ = Clock::now();
                all_resumed_.release();
            }
        }
        mutex_.unlock();
    }

    std::size_t size_;
    alignas(64) Mutex mutex_;
    alignas(64) Condition condition_;
    std::uint64_t generation_ = 0;
    std::size_t waiting_ = 0;
    std::size_t resumed_ = 0;
    bool is_over_ = false;
    Clock::time_point last_;
    std::binary_semaphore all_resumed_{0};
    std::vector<std::jthread> threads_;
};

template <class Mutex, class Condition>
Sample notify_all(std::size_t size, int repetitions) {
    Waiters<Mutex, Condition> waiters(size);
    double calls = 0;
    double whole = 0;
    waiters.lock_when_all_wait();
    const double switches = context_switches();
    const double notifications = static_cast<double>(size) * repetitions;
    Sample sample = bench::time_of(notifications, [&] {
        for (int i = 0; i < repetitions; ++i) {
            if (i > 0) waiters.lock_when_all_wait();
            const auto [call, until_last] = waiters.notify_all();
            calls += call;
            whole += until_last;
        }
    });
    sample.values["ns"] = whole / notifications;
    sample.values["call_ns"] = calls / notifications;
    sample.values["switches"] = (context_switches() - switches) / notifications;
    return sample;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "12_condition");
    const int round_trips = session.pick(200, 2'000, 10'000);
    const auto place = [&](const std::string& where, Placement placement) {
        const std::string after = "condition: round trip " + where;
        const std::string held = after + ", notified with the lock held";
        session.add({after, "futex", Kind::floor},
                    [=] { return bench::ping_pong<bench::FutexWord>(round_trips, placement); });
        bench::for_each_condition([&]<class Mutex, class Condition>(const char* name, Kind kind) {
            session.add({after, name, kind}, [=] {
                return bench::ping_pong<bench::ConditionWord<Mutex, Condition>>(round_trips, placement);
            });
            session.add({held, name, kind},
                        [=] { return locked_round_trips<Mutex, Condition>(round_trips, placement); });
        });
    };
    place("on one core", Placement::one_core);
    place("between two cores", Placement::two_cores);
    session.run(session.pick(3u, 9u, 17u));

    const int repetitions = session.pick(2, 10, 50);
    for (const std::size_t size : session.pick<std::vector<std::size_t>>({8, 64}, {8, 64}, {8, 64, 256}))
        bench::for_each_condition([&]<class Mutex, class Condition>(const char* name, Kind kind) {
            session.add(
                {"condition: notify all with the lock held", name, kind, {{"threads", static_cast<double>(size)}}},
                [=] { return notify_all<Mutex, Condition>(size, repetitions); });
        });
    session.run(session.pick(2u, 9u, 17u));

    bench::for_each_condition([&]<class Mutex, class Condition>(const char* name, Kind kind) {
        session.note({"size of a condition", name, kind}, {{"bytes", sizeof(Condition)}});
    });
    return session.finish();
}
