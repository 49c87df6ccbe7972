// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::SharedLock;

/// A value of two parts that are equal but under a writer. Not atomic: ThreadSanitizer sees who is beside a writer.
class Value {
public:
    void read() const { EXPECT_EQ(first_, second_); }
    void write() {
        ++first_;
        std::this_thread::yield();
        ++second_;
    }
    long writes() const { return first_; }

private:
    long first_ = 0;
    long second_ = 0;
};

struct Scene {
    explicit Scene(futon::Fairness fairness) : lock(fairness) {}

    SharedLock lock;
    Value value;
    std::atomic<long> writes{0};
    std::atomic<bool> is_over{false};

    void write() {
        value.write();
        ++writes;
    }
};

/// Reads, and writes if the upgrade comes; else goes on to read.
void use(Scene& scene, SharedLock::UpgradeableGuard& held, SharedLock::Guard writer) {
    if (!writer) {
        EXPECT_TRUE(held.owns_lock());
        scene.value.read();
        return;
    }
    scene.write();
    auto reader = writer.downgrade();
    scene.value.read();
}

/// In all modes, now and then with a deadline that may come first, or by a select.
void work(Scene& scene, std::uint32_t seed, const std::stop_token& stop) {
    for (std::uint32_t i = seed; !scene.is_over; ++i) {
        const Deadline limit = i % 4 == 0 ? Deadline(std::chrono::microseconds(i % 50)) : Deadline::never();
        if (i % 7 == 0) {
            if (const auto held = scene.lock.scoped_lock({limit, stop})) scene.write();
        } else if (i % 7 == 1) {
            if (auto held = scene.lock.scoped_lock_upgradeable({limit, stop})) {
                scene.value.read();
                use(scene, held, held.upgrade({limit, stop}));
            }
        } else if (i % 7 == 2) {
            auto chosen = futon::select(scene.lock.locking_shared(), futon::timeout(limit));
            if (std::get_if<0>(&chosen) != nullptr) scene.value.read();
        } else {
            if (const auto held = scene.lock.scoped_lock_shared({limit, stop})) scene.value.read();
        }
    }
}

futon::Promise<void> work_on_a_loop(Scene& scene, std::uint32_t seed) {
    for (std::uint32_t i = seed; !scene.is_over; ++i) {
        const Deadline limit(std::chrono::microseconds(i % 60));
        if (i % 3 == 0) {
            if (const auto held = co_await scene.lock.scoped_lock_async(limit)) scene.write();
        } else if (i % 3 == 1) {
            if (auto held = co_await scene.lock.scoped_lock_upgradeable_async(limit)) {
                scene.value.read();
                use(scene, held, co_await held.upgrade_async(limit));
            }
        } else {
            if (const auto held = co_await scene.lock.scoped_lock_shared_async(limit)) scene.value.read();
        }
        { auto dropped = futon::promise_of(scene.lock.locking_shared()); }
    }
}

TEST(SharedLockStress, ThreadsAndLoopsExcludeEachOtherAndLoseNoWakeUp) {
    for (const auto fairness : {futon::Fairness::bounded, futon::Fairness::strict}) {
        Scene scene(fairness);
        {
            std::vector<std::jthread> threads;
            for (std::uint32_t i = 0; i < 4; ++i)
                threads.emplace_back([&scene, i](std::stop_token stop) { work(scene, i * 3, stop); });
            for (std::uint32_t i = 0; i < 2; ++i)
                threads.emplace_back([&scene, i] {
                    while (!scene.is_over) {  // loops that end in the middle
                        futon::EventLoop loop;
                        auto first = work_on_a_loop(scene, i);
                        auto second = work_on_a_loop(scene, i + 1);
                        for (int rounds = 0; rounds < 50; ++rounds) loop.poll();
                    }
                });
            const auto end = std::chrono::steady_clock::now() + 400ms;
            while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
            scene.is_over = true;
        }
        EXPECT_EQ(futon::core::process_table().count(&scene.lock), 0U);
        EXPECT_EQ(scene.value.writes(), scene.writes);
        EXPECT_TRUE(scene.lock.try_lock());
        scene.lock.unlock();
    }
}

}  // namespace
