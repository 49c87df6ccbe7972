// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Condition;
using futon::WaitResult;
using futon::test::OwnedCoroutine;

/// Items that are consumed by threads, coroutines, time-outs, stops, selects and coroutines that are destroyed.
struct Store {
    AsyncLock lock;
    Condition condition;
    int items = 0;
    int consumed = 0;
    int wanted = 0;

    bool is_over() const { return consumed == wanted; }
    void take() {
        if (items == 0) return;
        --items;
        if (++consumed == wanted) condition.notify_all();
    }
    /// Keeps few items, so that the consumers wait.
    void produce() {
        while (true) {
            {
                const std::scoped_lock hold(lock);
                if (items < 3) {
                    ++items;
                    condition.notify_one();
                    return;
                }
            }
            std::this_thread::yield();
        }
    }

    void consume_blocking() {
        std::unique_lock hold(lock);
        while (!is_over()) {
            condition.wait(hold, [this] { return items > 0 || is_over(); });
            take();
        }
    }
    void consume_impatient() {
        std::unique_lock hold(lock);
        while (!is_over()) {
            condition.wait(
                hold, [this] { return items > 0 || is_over(); }, 50us);
            take();
        }
    }
    void consume_selecting() {
        while (true) {
            auto chosen = futon::select(condition.waiting(futon::block(lock.locking())), futon::timeout(100us));
            const std::unique_lock hold = chosen.index() == 0
                                              ? std::unique_lock(*std::get<0>(chosen).guard.release(), std::adopt_lock)
                                              : std::unique_lock(lock);
            take();
            if (is_over()) return;
        }
    }
    futon::Promise<void> consume_async() {
        AsyncLock::Guard guard = co_await lock.scoped_lock_async();
        while (!is_over()) {
            co_await condition.wait_async(guard, [this] { return items > 0 || is_over(); });
            take();
        }
    }
    OwnedCoroutine consume_once() {
        AsyncLock::Guard guard = co_await lock.scoped_lock_async();
        co_await condition.wait_async(guard, [this] { return items > 0 || is_over(); });
        take();
    }
};

TEST(ConditionStress, LosesNoItemWhateverLeaves) {
    Store store;
    constexpr int each = 1000;
    store.wanted = 2 * each;
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&] { store.consume_blocking(); });
        threads.emplace_back([&] { store.consume_impatient(); });
        threads.emplace_back([&] { store.consume_selecting(); });
        threads.emplace_back([&] {
            futon::EventLoop loop;
            loop.run_until(store.consume_async());
        });
        threads.emplace_back([&] {
            futon::EventLoop loop;
            while (true) {
                OwnedCoroutine coroutine = store.consume_once();
                loop.poll();
                coroutine.destroy();
                if (const std::unique_lock hold(store.lock, std::try_to_lock); hold && store.is_over()) return;
            }
        });
        for (int i = 0; i < 2; ++i)
            threads.emplace_back([&] {
                for (int item = 0; item < each; ++item) store.produce();
            });
    }
    EXPECT_EQ(store.items, 0);
    EXPECT_EQ(store.consumed, store.wanted);
    EXPECT_EQ(futon::test::waiting_at(store.condition), 0U);
    EXPECT_EQ(futon::test::waiting_at(store.lock), 0U);
    EXPECT_TRUE(store.lock.try_lock());
}

}  // namespace
