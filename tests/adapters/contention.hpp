// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace futon::test {

/// Threads that lock and unlock without a pause. They end only once they still get the lock: a loop that is gone by then did not
/// keep it.
class Workers {
public:
    explicit Workers(AsyncLock& lock) {
        for (int i = 0; i < 2; ++i)
            threads_.emplace_back([this, &lock] {
                while (goes_on_) {
                    const std::scoped_lock hold(lock);
                    ++rounds_;
                }
            });
    }
    ~Workers() {
        const int before = rounds_;
        until([&] { return rounds_ > before + 10; });
        goes_on_ = false;
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

private:
    std::atomic<bool> goes_on_{true};
    std::atomic<int> rounds_{0};
    std::vector<std::jthread> threads_;
};

/// Coroutines that take the lock often, quit their host, and are waiting, with the lock or for it, when the loop ends.
class ContendingTasks {
public:
    ContendingTasks(AsyncLock& lock, std::function<void()> quit) : lock_(lock), quit_(std::move(quit)) {}

    void begin() {
        for (int i = 0; i < 2; ++i) tasks_.push_back(lock_often());
    }

private:
    Promise<void> lock_often() {
        for (; locked_ < 50; ++locked_) const auto guard = co_await lock_.scoped_lock_async();
        quit_();
        const auto guard = co_await lock_.scoped_lock_async();
        co_await wait_async(never_, 0);
        static_cast<void>(guard);
    }

    AsyncLock& lock_;
    const std::function<void()> quit_;
    std::atomic<int> never_{0};
    int locked_ = 0;
    std::vector<Promise<void>> tasks_;
};

/// Two threads that run a loop, with two coroutines each, and two that block, count under one lock. `with_loop` makes a loop, and
/// calls what it gets with how to quit and how to run the loop.
template <class F>
void expect_shared_by_loops_and_threads(F with_loop) {
    AsyncLock lock;
    long count = 0;
    constexpr int times = 300;
    const auto looping = [&] {
        with_loop([&](auto quit, auto run) {
            int tasks = 2;
            const auto add = [&]() -> Promise<void> {
                for (int i = 0; i < times; ++i) {
                    const auto guard = co_await lock.scoped_lock_async();
                    ++count;
                }
                if (--tasks == 0) quit();
            };
            const auto first = add();
            const auto second = add();
            if (tasks > 0) run();
        });
    };
    const auto blocking = [&] {
        for (int i = 0; i < times; ++i) {
            const std::scoped_lock hold(lock);
            ++count;
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back(looping);
            threads.emplace_back(blocking);
        }
    }
    EXPECT_EQ(count, 6 * times);
}

}  // namespace futon::test
