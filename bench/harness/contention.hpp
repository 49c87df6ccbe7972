// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

// Threads that acquire one lock, hold it for a while, do other work for a while, and repeat.
namespace bench {

struct Contention {
    int threads;
    std::chrono::nanoseconds hold;
    std::chrono::nanoseconds think;
    std::uint64_t timed_one_in;  // reading the clock lengthens an acquisition
    bool is_spread;              // each thread is bound to a processor
};

/// What one thread measured, in cache lines that no other thread writes.
struct alignas(64) ContentionAccount {
    std::uint64_t acquisitions = 0;
    std::uint64_t longest = 0;
    Histogram waits;
};

template <class Mutex>
void acquire_repeatedly(Mutex& mutex, const Contention& contention, const std::atomic<bool>& is_over,
                        ContentionAccount& account) {
    const Work hold(contention.hold);
    const Work think(contention.think);
    std::uint64_t acquisitions = 0;
    std::uint64_t longest = 0;
    for (; !is_over.load(std::memory_order_relaxed); ++acquisitions) {
        if (acquisitions % contention.timed_one_in == 0) {
            const Clock::time_point begin = Clock::now();
            mutex.lock();
            const auto wait = static_cast<std::uint64_t>(nanoseconds(Clock::now() - begin));
            account.waits.add(wait);
            longest = std::max(longest, wait);
        } else {
            mutex.lock();
        }
        hold();
        mutex.unlock();
        think();
    }
    account.acquisitions = acquisitions;
    account.longest = longest;
}

/// What the accounts of all threads say together.
inline void add_up(const std::vector<ContentionAccount>& accounts, const Contention& contention, Sample& sample) {
    Histogram waits;
    std::uint64_t acquisitions = 0;
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
    std::uint64_t longest = 0;
    double unserved = 0;
    for (const ContentionAccount& account : accounts) {
        acquisitions += account.acquisitions;
        fewest = std::min(fewest, account.acquisitions);
        most = std::max(most, account.acquisitions);
        longest = std::max(longest, account.longest);
        if (account.acquisitions == 0) ++unserved;
        waits.add(account.waits);
    }
    // Without delays a thread would acquire the lock once in so many nanoseconds.
    const double interval = 50 + static_cast<double>(contention.think.count()) +
                            static_cast<double>(contention.hold.count()) * contention.threads;
    sample.latencies["corrected wait"] = waits.corrected_for_coordinated_omission(interval);
    sample.latencies["wait"] = waits;
    for (auto& [name, value] : sample.values) value /= static_cast<double>(std::max<std::uint64_t>(acquisitions, 1));
    sample.values["acquisitions_per_second"] = 1e9 / sample.values["ns"];
    sample.values["imbalance"] = static_cast<double>(most) / static_cast<double>(std::max<std::uint64_t>(fewest, 1));
    sample.values["longest_ms"] = static_cast<double>(longest) / 1e6;
    sample.values["unserved"] = unserved;
}

template <class Mutex>
Sample contend(const Contention& contention, std::chrono::milliseconds length) {
    alignas(64) Mutex mutex;
    std::atomic<bool> is_over{false};
    std::vector<ContentionAccount> accounts(static_cast<std::size_t>(contention.threads));
    std::latch start(contention.threads + 1);
    std::vector<std::jthread> threads;
    for (ContentionAccount& account : accounts)
        threads.emplace_back([&, number = threads.size()] {
            std::optional<Pinned> here;
            if (contention.is_spread) here.emplace(number);
            start.arrive_and_wait();
            acquire_repeatedly(mutex, contention, is_over, account);
        });
    start.arrive_and_wait();
    Sample sample = time_of(1, [&] {
        std::this_thread::sleep_for(length);
        is_over = true;
        threads.clear();
    });
    add_up(accounts, contention, sample);
    return sample;
}

}  // namespace bench
