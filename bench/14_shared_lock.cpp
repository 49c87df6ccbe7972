// SPDX-License-Identifier: MIT
//
// 14. What does a reader-writer lock cost to its readers, and how long does it keep its writers waiting?
//
// Alone: one thread. Readers only: threads that share the lock at all times, one for each processor at first; what they
// pay is the transfer of its cache line. Then one of twenty acquisitions is a writer's. Last, readers that leave the lock
// only to acquire it again, and one writer: a lock that prefers its readers may never let it in. That writer's longest
// wait is the longest of all rounds, and a writer that was never served waits for the whole round.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <thread>
#include <vector>

#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/shared_locks.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;

/// Functions of their own for each lock, so that the compiler cannot optimize one with its knowledge of another.
template <class Lock>
[[gnu::noinline]] void read_repeatedly(Lock& lock, int operations) {
    for (int i = 0; i < operations; ++i) {
        lock.lock_shared();
        bench::barrier();
        lock.unlock_shared();
    }
}

template <class Lock>
[[gnu::noinline]] void write_repeatedly(Lock& lock, int operations) {
    for (int i = 0; i < operations; ++i) {
        lock.lock();
        bench::barrier();
        lock.unlock();
    }
}

template <class Lock>
Sample alone(int operations, bool is_reader) {
    alignas(64) Lock lock;
    const auto run = [&](int times) {
        if (is_reader) {
            read_repeatedly(lock, times);
        } else {
            write_repeatedly(lock, times);
        }
    };
    run(operations / 10);  // warms up
    return bench::time_of(operations, [&] { run(operations); });
}

struct Sharing {
    int readers;
    int writers;             // that do nothing else
    unsigned writes_in_100;  // of the acquisitions of a reader
    std::chrono::nanoseconds hold;
};

/// What one thread measured, in cache lines that no other thread writes.
struct alignas(64) Account {
    std::uint64_t acquisitions = 0;
    std::uint64_t longest = 0;
    bench::Histogram waits;

    /// Times one acquisition in so many: reading the clock lengthens it.
    template <class F>
    void acquire(std::uint64_t timed_one_in, F&& f) {
        if (acquisitions++ % timed_one_in != 0) return f();
        const Clock::time_point begin = Clock::now();
        f();
        const auto wait = static_cast<std::uint64_t>(bench::nanoseconds(Clock::now() - begin));
        waits.add(wait);
        longest = std::max(longest, wait);
    }
};

/// The reads and writes of one thread are mixed by a sequence of numbers that looks random, the same in every run.
class Mixture {
public:
    Mixture(std::size_t number, unsigned writes_in_100)
        : state_(number * 0x9e3779b97f4a7c15u + 1), writes_(writes_in_100) {}

    bool is_next_a_write() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return (state_ >> 33) % 100 < writes_;
    }

private:
    std::uint64_t state_;
    unsigned writes_;
};

template <class Lock>
void share(Lock& lock, const Sharing& sharing, std::size_t number, const std::atomic<bool>& is_over, Account& account) {
    const bench::Work hold(sharing.hold);
    const std::uint64_t timed_one_in = sharing.hold.count() == 0 ? 8 : 1;
    Mixture mixture(number, sharing.writes_in_100);
    while (!is_over.load(std::memory_order_relaxed)) {
        if (mixture.is_next_a_write()) {
            account.acquire(timed_one_in, [&] { lock.lock(); });
            hold();
            lock.unlock();
        } else {
            account.acquire(timed_one_in, [&] { lock.lock_shared(); });
            hold();
            lock.unlock_shared();
        }
    }
}

/// A writer that comes back a while after it was served.
template <class Lock>
void write(Lock& lock, const Sharing& sharing, const std::atomic<bool>& is_over, Account& account) {
    const bench::Work hold(sharing.hold);
    while (!is_over.load(std::memory_order_relaxed)) {
        account.acquire(1, [&] { lock.lock(); });
        hold();
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

template <class Lock>
Sample contend(const Sharing& sharing, std::chrono::milliseconds length) {
    alignas(64) Lock lock;
    std::atomic<bool> is_over{false};
    const auto readers = static_cast<std::size_t>(sharing.readers);
    std::vector<Account> accounts(readers + static_cast<std::size_t>(sharing.writers));
    std::latch start(static_cast<std::ptrdiff_t>(accounts.size()) + 1);
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < accounts.size(); ++i)
        threads.emplace_back([&, i] {
            const bench::Pinned here(i);
            start.arrive_and_wait();
            if (i < readers) {
                share(lock, sharing, i, is_over, accounts[i]);
            } else {
                write(lock, sharing, is_over, accounts[i]);
            }
        });
    start.arrive_and_wait();
    Sample sample = bench::time_of(1, [&] {
        std::this_thread::sleep_for(length);
        is_over = true;
        threads.clear();
    });

    std::uint64_t acquisitions = 0;
    std::uint64_t longest_write = 0;
    std::uint64_t writes = 0;
    bench::Histogram waits;
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        acquisitions += accounts[i].acquisitions;
        if (i < readers) {
            waits.add(accounts[i].waits);
        } else {
            longest_write = std::max(longest_write, accounts[i].longest);
            writes += accounts[i].acquisitions;
        }
    }
    for (auto& [name, value] : sample.values) value /= static_cast<double>(std::max<std::uint64_t>(acquisitions, 1));
    sample.latencies["wait"] = waits;
    if (sharing.writers > 0) {
        sample.values["longest_ms"] = static_cast<double>(longest_write) / 1e6;
        sample.values["writes_per_ms"] = static_cast<double>(writes) / static_cast<double>(length.count());
    }
    return sample;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    bench::Session session(argc, argv, "14_shared_lock");
    const int operations = session.pick(2'000, 50'000, 100'000);
    bench::for_each_shared_lock([&]<class Lock>(const char* name, Kind kind) {
        session.add({"shared lock: lock_shared + unlock_shared", name, kind},
                    [=] { return alone<Lock>(operations, true); });
        session.add({"shared lock: lock + unlock", name, kind}, [=] { return alone<Lock>(operations, false); });
        session.note({"size of a shared lock", name, kind}, {{"bytes", sizeof(Lock)}});
    });
    session.run(session.pick(3u, 31u, 101u));

    const auto length = session.pick(5ms, 60ms, 300ms);
    for (const auto hold : {0ns, 1'000ns})
        for (const int threads : {2, 8}) {
            const bench::Point at{{"hold_ns", static_cast<double>(hold.count())},
                                  {"threads", static_cast<double>(threads)}};
            bench::for_each_shared_lock([&]<class Lock>(const char* name, Kind kind) {
                session.add({"shared lock: readers only", name, kind, at}, [=] {
                    return contend<Lock>({threads, 0, 0, hold}, length);
                });
                session.add({"shared lock: 95 % readers", name, kind, at}, [=] {
                    return contend<Lock>({threads, 0, 5, hold}, length);
                });
            });
        }
    session.run(session.pick(1u, 5u, 9u));

    const auto long_enough = session.pick(20ms, 300ms, 1'000ms);
    for (const int readers : {2, 8})
        bench::for_each_shared_lock([&]<class Lock>(const char* name, Kind kind) {
            session.add(
                {"shared lock: a writer among readers", name, kind, {{"readers", static_cast<double>(readers)}}}, [=] {
                    return contend<Lock>({readers, 1, 0, 1'000ns}, long_enough);
                });
        });
    session.run(session.pick(1u, 3u, 5u));
    return session.finish();
}
