// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Semaphore;

constexpr std::uint32_t permits = 4;

/// Permits that are in use, which never are more than there are.
class InUse {
public:
    void add(std::uint32_t count) { EXPECT_LE(in_use_ += count, permits); }
    void remove(std::uint32_t count) { in_use_ -= count; }

private:
    std::atomic<std::uint32_t> in_use_{0};
};

void use(InUse& in_use, const Semaphore::Permits& taken) {
    if (!taken) return;
    in_use.add(taken.count());
    std::this_thread::yield();
    in_use.remove(taken.count());
}

/// Asks for one to four permits, now and then with a deadline that may come first, or by a select.
void work(Semaphore& semaphore, InUse& in_use, std::atomic<bool>& is_over, const std::stop_token& stop) {
    for (std::uint32_t i = 0; !is_over; ++i) {
        const auto limit = i % 4 == 0 ? futon::Deadline(std::chrono::microseconds(i % 50)) : futon::Deadline::never();
        if (i % 3 == 0) {
            auto chosen = futon::select(semaphore.scoped_acquiring(1 + i % permits), futon::timeout(limit));
            if (const auto* taken = std::get_if<0>(&chosen)) use(in_use, *taken);
        } else {
            use(in_use, semaphore.scoped_acquire(1 + i % permits, {limit, stop}));
        }
    }
}

futon::Promise<void> work_on_a_loop(Semaphore& semaphore, InUse& in_use, std::atomic<bool>& is_over) {
    for (std::uint32_t i = 0; !is_over; ++i) {
        const futon::Deadline limit(std::chrono::microseconds(i % 60));
        const auto taken = co_await semaphore.scoped_acquire_async(1 + i % permits, limit);
        use(in_use, taken);
        { auto dropped = futon::promise_of(semaphore.scoped_acquiring(2)); }
    }
}

TEST(SemaphoreStress, ThreadsAndLoopsLoseNoPermit) {
    for (const auto fairness : {futon::Fairness::bounded, futon::Fairness::strict}) {
        Semaphore semaphore(permits, fairness);
        InUse in_use;
        std::atomic<bool> is_over{false};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([&](std::stop_token stop) { work(semaphore, in_use, is_over, stop); });
            for (int i = 0; i < 2; ++i)
                threads.emplace_back([&] {
                    while (!is_over) {  // loops that end in the middle
                        futon::EventLoop loop;
                        auto first = work_on_a_loop(semaphore, in_use, is_over);
                        auto second = work_on_a_loop(semaphore, in_use, is_over);
                        for (int rounds = 0; rounds < 50; ++rounds) loop.poll();
                    }
                });
            const auto end = std::chrono::steady_clock::now() + 400ms;
            while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
            is_over = true;
        }
        EXPECT_EQ(semaphore.available(), permits);
        EXPECT_EQ(futon::core::process_table().count(&semaphore), 0U);
        EXPECT_TRUE(semaphore.try_acquire(permits));
    }
}

}  // namespace
