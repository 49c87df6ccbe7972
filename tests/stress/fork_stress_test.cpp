// SPDX-License-Identifier: MIT
// Forks amid threads that are within the wait queues: no child inherits a lock. [fork]
#include "support/child.hpp"
#ifdef FUTON_TESTS_CAN_FORK

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::WaitResult;
using futon::core::everyone;
using futon::test::Claims;
using futon::test::scaled;
using futon::test::wrong_in_child;

TEST(ForkStress, NoChildOfHundredsHangsOrWakesAWaiterOfItsParent) {
    if (futon::test::inherits_sanitizers_locks)
        GTEST_SKIP() << "A child may inherit a lock of the sanitizer, which no thread of the child unlocks";
    std::array<std::atomic<int>, 8> cells{};
    AsyncLock lock;
    std::atomic<bool> is_over{false};
    std::atomic<long> rounds{0};
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            while (!is_over) {
                for (auto& cell : cells) {
                    futon::wait(cell, 0, 10us);
                    const std::scoped_lock hold(lock);
                }
                ++rounds;
            }
        });
    }
    threads.emplace_back([&] {
        while (!is_over)
            for (auto& cell : cells) futon::notify(cell, everyone);
    });
    threads.emplace_back([&] {
        EventLoop loop;
        while (!is_over) {
            for (auto& cell : cells) auto dropped = futon::wait_async(cell, 0).promise();
            loop.poll();
        }
    });
    futon::test::until([&] { return rounds > 10; });

    std::string wrong;
    for (int i = 0; i < scaled(400) && wrong.empty(); ++i) {
        wrong = wrong_in_child([&](Claims& claim) {
            for (auto& cell : cells) {
                claim(futon::notify(cell, everyone) == 0, "a notify wakes none");
                claim(futon::wait(cell, 0, 1us) == WaitResult::timed_out, "a wait times out");
            }
            AsyncLock own;
            const std::scoped_lock hold(own);
            EventLoop loop;
            bool has_run = false;
            loop.post_after(1us, [&] { has_run = true; });
            loop.run();
            claim(has_run, "a loop of its own runs");
        });
    }
    is_over = true;
    EXPECT_EQ(wrong, "");
}

}  // namespace

#endif
