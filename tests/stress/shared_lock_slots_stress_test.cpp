// SPDX-License-Identifier: MIT
// Readers that use slots whenever they can, beside writers that make the lock count them.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::SharedLock;

/// Not atomic: ThreadSanitizer sees who is beside a writer.
struct SlotScene {
    explicit SlotScene(futon::Fairness fairness) : lock(fairness) {}

    void read() const { EXPECT_EQ(first, second); }
    void write() {
        ++first;
        ++second;
    }

    SharedLock lock;
    long first = 0;
    long second = 0;
    std::atomic<int> reading{3};         // threads that read through slots
    std::atomic<int> left_to_others{0};  // holds that another thread ends
    std::atomic<bool> is_over{false};
};

void read_through_slots(SlotScene& scene, std::uint32_t seed) {
    for (std::uint32_t i = seed; !scene.is_over; ++i) {
        if (i % 16 == 0) {
            if (scene.lock.lock_shared(futon::Deadline(std::chrono::microseconds(i % 40))) != futon::WaitResult::ok)
                continue;
        } else if (i % 16 == 1) {
            if (!scene.lock.try_lock_shared()) continue;
        } else {
            scene.lock.lock_shared();
        }
        scene.read();
        if (i % 32 == 5) {
            ++scene.left_to_others;
        } else {
            scene.lock.unlock_shared();
        }
    }
    --scene.reading;
}

void end_reading_of_others(SlotScene& scene) {
    while (scene.reading != 0 || scene.left_to_others != 0) {
        if (scene.left_to_others == 0) {
            std::this_thread::yield();
            continue;
        }
        --scene.left_to_others;
        scene.lock.unlock_shared();
    }
}

void write_now_and_then(SlotScene& scene, std::uint32_t seed) {
    for (std::uint32_t i = seed; !scene.is_over; ++i) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(150 + i % 100);
        while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
        if (i % 4 == 0) {
            if (!scene.lock.try_lock()) continue;
            scene.write();
            scene.lock.unlock();
        } else if (i % 4 == 1) {
            auto held = scene.lock.scoped_lock_upgradeable();
            scene.read();
            if (auto writer = held.upgrade(std::chrono::microseconds(i % 60))) scene.write();
        } else if (i % 4 == 2) {
            if (auto held = scene.lock.scoped_lock(std::chrono::microseconds(i % 60))) scene.write();
        } else {
            const std::unique_lock hold(scene.lock);
            scene.write();
        }
    }
}

futon::Promise<void> read_and_write_on_a_loop(SlotScene& scene) {
    while (!scene.is_over) {
        {
            const auto reader = co_await scene.lock.scoped_lock_shared_async(100us);
            if (reader) scene.read();
        }
        const auto writer = co_await scene.lock.scoped_lock_async(100us);
        if (writer) scene.write();
    }
}

TEST(SharedLockSlotsStress, ReadersInSlotsAndWritersExcludeEachOtherAndNoneIsLost) {
    for (const auto fairness : {futon::Fairness::bounded, futon::Fairness::strict}) {
        SlotScene scene(fairness);
        {
            std::vector<std::jthread> threads;
            for (std::uint32_t i = 0; i < 3; ++i)
                threads.emplace_back([&scene, i] { read_through_slots(scene, 7 * i); });
            for (std::uint32_t i = 0; i < 2; ++i) threads.emplace_back([&scene, i] { write_now_and_then(scene, i); });
            threads.emplace_back([&scene] { end_reading_of_others(scene); });
            threads.emplace_back([&scene] {
                futon::EventLoop loop;
                auto promise = read_and_write_on_a_loop(scene);
                while (!scene.is_over) loop.poll();
            });
            const auto end = std::chrono::steady_clock::now() + 400ms;
            while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
            scene.is_over = true;
        }
        EXPECT_EQ(futon::core::process_table().count(&scene.lock), 0U);
        EXPECT_TRUE(scene.lock.try_lock());
        scene.read();
        scene.lock.unlock();
    }
}

/// Threads come and go, more than have a line of slots.
TEST(SharedLockSlotsStress, ThreadsThatShareALineOfSlotsReadBesideEachOther) {
    SlotScene scene(futon::Fairness::bounded);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::jthread> threads;
        for (std::uint32_t i = 0; i < 8; ++i)
            threads.emplace_back([&scene, i] {
                for (int times = 0; times < 500; ++times) {
                    {
                        const std::shared_lock hold(scene.lock);
                        scene.read();
                    }
                    if (times % 100 == static_cast<int>(i)) {
                        const std::unique_lock hold(scene.lock);
                        scene.write();
                    }
                }
            });
    }
    EXPECT_TRUE(scene.lock.try_lock());
    EXPECT_EQ(scene.first, 20 * 8 * 5);
    scene.lock.unlock();
}

}  // namespace
