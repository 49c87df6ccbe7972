// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"

namespace {

using futon::WaitResult;

constexpr int threads = 3;
constexpr int members = 2 * threads;  // threads and promises, enqueued alternately

/// One queue of threads and promises. The threads are kept from round to round.
class MixedQueue {
public:
    MixedQueue() {
        for (int i = 0; i < threads; ++i) workers_.emplace_back([this, i](std::stop_token stop) { serve(stop, i); });
    }

    ~MixedQueue() {
        for (std::jthread& worker : workers_) worker.request_stop();
    }

    /// Enqueues members 0, 1, 2, … in this order; the even ones are promises.
    void enqueue_all() {
        woken_.clear();
        for (int member = 0; member < members; ++member) {
            if (member % 2 == 0) {
                promises_.push_back(futon::wait_async(word_, 0).promise().then([this, member](WaitResult result) {
                    if (result == WaitResult::ok) record(member);
                }));
            } else {
                next_.store(round_ * members + member);
                futon::notify(next_);
            }
            until_queued(static_cast<std::size_t>(member) + 1);
        }
        ++round_;
    }

    /// Wakes `count`, and waits until all of them have been recorded. Returns them in the order recorded.
    std::vector<int> wake(std::size_t count) {
        const std::size_t woken = futon::notify(word_, count);
        while (recorded() < woken) {
            loop_.poll();
            std::this_thread::yield();
        }
        const std::scoped_lock hold(woken_lock_);
        return std::exchange(woken_, {});
    }

private:
    void serve(std::stop_token stop, int index) {
        const int member = 2 * index + 1;
        int seen = -1;
        while (!stop.stop_requested()) {
            futon::wait(next_, seen, stop);
            seen = next_.load();
            if (seen % members == member && futon::wait(word_, 0, stop) == WaitResult::ok) record(member);
        }
    }

    void until_queued(std::size_t count) {
        while (futon::core::process_table().count(&word_) < count) std::this_thread::yield();
    }

    void record(int member) {
        const std::scoped_lock hold(woken_lock_);
        woken_.push_back(member);
    }

    std::size_t recorded() {
        const std::scoped_lock hold(woken_lock_);
        return woken_.size();
    }

    futon::EventLoop loop_;
    std::atomic<int> word_{0};
    std::atomic<int> next_{0};  // the thread that waits next: round * members + member, so that no value comes twice
    int round_ = 0;
    std::mutex woken_lock_;
    std::vector<int> woken_;
    std::vector<futon::Promise<void>> promises_;
    std::vector<std::jthread> workers_;
};

TEST(NotifyFifoStress, NotifyOfOneWakesThreadsAndPromisesInFifoOrder) {
    MixedQueue queue;

    for (int round = 0; round < futon::test::scaled(10000); ++round) {
        queue.enqueue_all();
        for (int member = 0; member < members; ++member) ASSERT_EQ(queue.wake(1), std::vector<int>{member});
    }
}

TEST(NotifyFifoStress, NotifyOfSeveralWakesTheFirstWaiters) {
    MixedQueue queue;

    for (int round = 0; round < futon::test::scaled(10000); ++round) {
        queue.enqueue_all();
        const std::size_t count = 1 + static_cast<std::size_t>(round) % (members - 1);
        std::vector<int> first = queue.wake(count);
        std::vector<int> rest = queue.wake(futon::everyone);

        // When a thread runs is up to the machine. Certain are which members were woken, and the promises' order.
        ASSERT_EQ(first.size(), count);
        ASSERT_TRUE(std::ranges::all_of(first, [&](int member) { return member < static_cast<int>(count); }));
        for (std::vector<int>* woken : {&first, &rest}) {
            std::erase_if(*woken, [](int member) { return member % 2 == 1; });
            ASSERT_TRUE(std::ranges::is_sorted(*woken));
        }
    }
}

}  // namespace
