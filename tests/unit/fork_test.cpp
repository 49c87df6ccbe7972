// SPDX-License-Identifier: MIT
// The wait queues of a child of a fork. [fork]
#include "support/child.hpp"
#ifdef FUTON_TESTS_CAN_FORK

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sys/mman.h>

#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::WaitResult;
using futon::core::everyone;
using futon::test::children_have_threads;
using futon::test::Claims;
using futon::test::until_waiting;
using futon::test::waiting_at;
using futon::test::wrong_in_child;

TEST(Fork, TheQueuesOfTheChildAreEmpty) {
    std::atomic<int> cell{0};
    std::jthread waiter([&] { futon::wait(cell, 0); });
    until_waiting(cell, 1);

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(waiting_at(cell) == 0, "no waiter is queued");
        cell = 1;
        claim(futon::notify(cell) == 0, "a notify wakes none");
    });

    EXPECT_EQ(wrong, "");
    EXPECT_EQ(waiting_at(cell), 1u);
    cell = 1;
    EXPECT_EQ(futon::notify(cell), 1u);
}

TEST(Fork, TheOnlyThreadOfTheChildWaitsAndTimesOut) {
    std::atomic<int> cell{0};
    std::jthread waiter([&] { futon::wait(cell, 0); });
    until_waiting(cell, 1);

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(futon::wait(cell, 1) == WaitResult::not_equal, "a wait for another value does not block");
        claim(futon::wait(cell, 0, 1ms) == WaitResult::timed_out, "a wait times out");
        claim(waiting_at(cell) == 0, "and leaves the queue empty");
    });

    EXPECT_EQ(wrong, "");
    cell = 1;
    futon::notify(cell);
}

TEST(Fork, ThreadsOfTheChildWaitNotifyAndLock) {
    if (!children_have_threads) GTEST_SKIP() << "neither the sanitizer nor an emulator allows threads in the child";
    std::atomic<int> cell{0};
    std::jthread waiter([&] { futon::wait(cell, 0); });
    until_waiting(cell, 1);

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        WaitResult result = WaitResult::cancelled;
        std::thread own([&] { result = futon::wait(cell, 0); });
        until_waiting(cell, 1);
        cell = 1;
        claim(futon::notify(cell, everyone) == 1, "a notify wakes the waiter of the child alone");
        own.join();
        claim(result == WaitResult::ok, "its wait has ended by that");

        AsyncLock lock;
        int sum = 0;
        const auto add = [&] {
            for (int i = 0; i < 1000; ++i) {
                const std::scoped_lock hold(lock);
                ++sum;
            }
        };
        std::thread one(add);
        std::thread other(add);
        one.join();
        other.join();
        claim(sum == 2000, "a lock excludes");
    });

    EXPECT_EQ(wrong, "");
    cell = 1;
    EXPECT_EQ(futon::notify(cell), 1u);
}

TEST(Fork, AWaitOfTheParentLeavesNoTraceWhereTheChildDropsIt) {
    std::deque<std::atomic<int>> cells(1000);
    EventLoop loop;
    {
        std::vector<futon::Promise<WaitResult>> promises;
        for (auto& cell : cells) {
            promises.push_back(futon::wait_async(cell, 0).promise());
            promises.push_back(futon::wait_async(cell, 0, 1h).promise());
        }

        const std::string wrong = wrong_in_child([&](Claims& claim) {
            promises.clear();
            for (auto& cell : cells) claim(waiting_at(cell) == 0, "no waiter is queued");
        });

        EXPECT_EQ(wrong, "");
        for (auto& cell : cells) ASSERT_EQ(waiting_at(cell), 2u);
    }
    for (auto& cell : cells) ASSERT_EQ(waiting_at(cell), 0u);
}

TEST(Fork, AWaiterOfTheParentCanBeEnqueuedAnewInTheChild) {
    std::atomic<int> cell{0};
    futon::core::BlockedWaiter waiter;
    auto& table = futon::core::process_table();
    const auto check = futon::Word(cell).equals(0);
    table.enqueue(waiter, check);

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(table.dequeue(waiter, WaitResult::cancelled), "its owner dequeues it, from no queue");
        claim(waiter.result() == WaitResult::cancelled, "with the result that it says");
        claim(!table.dequeue(waiter, WaitResult::cancelled), "once");
        table.enqueue(waiter, check);
        claim(table.is_queued(waiter) && waiting_at(cell) == 1, "it is queued in the child");
        claim(futon::notify(cell) == 1, "and woken there");
    });

    EXPECT_EQ(wrong, "");
    EXPECT_TRUE(table.dequeue(waiter, WaitResult::cancelled));
}

/// A waiter that does nothing when it is woken.
struct Silent final : futon::core::Waiter {
    void deliver() noexcept override {}
};

TEST(Fork, ATableThatHadGrownGrowsAnewInTheChild) {
    std::vector<std::uint32_t> words(20'000);
    std::deque<Silent> waiters(words.size());
    auto& table = futon::core::process_table();
    const auto check_at = [&](std::size_t i) { return futon::Word(words[i]).equals(0); };
    for (std::size_t i = 0; i < words.size(); ++i) table.enqueue(waiters[i], check_at(i));

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        std::deque<Silent> own(words.size());
        std::size_t queued = 0;
        std::size_t woken = 0;
        for (std::size_t i = 0; i < words.size(); ++i) queued += table.notify(&words[i], everyone);
        claim(queued == 0, "no waiter of the parent is queued");
        for (std::size_t i = 0; i < words.size(); ++i) table.enqueue(own[i], check_at(i));
        for (std::size_t i = 0; i < words.size(); ++i) queued += table.count(&words[i]);
        claim(queued == words.size(), "each word has the one waiter of the child");
        for (std::size_t i = 0; i < words.size(); ++i) woken += table.notify(&words[i], everyone);
        claim(woken == words.size(), "and a notify finds it");
    });

    EXPECT_EQ(wrong, "");
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(table.notify(&words[i], everyone), 1u);
}

TEST(Fork, AGrandchildBeginsAnewToo) {
    std::atomic<int> cell{0};
    Silent waiter;
    futon::core::process_table().enqueue(waiter, futon::Word(cell).equals(0));

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        Silent own;
        futon::core::process_table().enqueue(own, futon::Word(cell).equals(0));
        const std::string wrong_there = wrong_in_child([&](Claims& grandchild) {
            grandchild(waiting_at(cell) == 0, "no waiter is queued");
            grandchild(futon::core::process_table().dequeue(own, WaitResult::cancelled), "the child's is dequeued");
            grandchild(futon::core::process_table().dequeue(waiter, WaitResult::cancelled), "and so is the parent's");
        });
        claim(wrong_there.empty(), wrong_there.c_str());
        claim(waiting_at(cell) == 1, "the child keeps its own waiter");
        futon::notify(cell);
    });

    EXPECT_EQ(wrong, "");
    futon::notify(cell);
}

/// Stays within the table, under the lock of a shard.
class Holding final : public futon::core::QueueVisitor {
public:
    void visit(const void*, const futon::core::Waiter&) noexcept override {
        is_amid = true;
        futon::test::until([&] { return is_over.load(); });
    }

    std::atomic<bool> is_amid{false};
    std::atomic<bool> is_over{false};
};

TEST(Fork, AShardWhoseLockAnotherThreadHoldsIsFreeInTheChild) {
    std::atomic<int> cell{0};
    Silent waiter;
    auto& table = futon::core::process_table();
    table.enqueue(waiter, futon::Word(cell).equals(0));
    Holding holding;
    std::jthread holder([&] { table.visit(&cell, holding); });
    futon::test::until([&] { return holding.is_amid.load(); });

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(table.count(&cell) == 0, "its queues are empty");
        claim(futon::wait(cell, 0, 1ms) == WaitResult::timed_out, "and can be used");
    });
    holding.is_over = true;

    EXPECT_EQ(wrong, "");
    holder.join();
    EXPECT_EQ(futon::notify(cell), 1u);
}

TEST(Fork, AWordInMemoryThatBothShareHasAQueueInEach) {
    void* const shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    auto& cell = *new (shared) std::atomic<int>(0);
    std::jthread waiter([&] { futon::wait(cell, 0); });
    until_waiting(cell, 1);

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        cell = 1;
        claim(futon::notify(cell) == 0, "a notify wakes none");
    });

    EXPECT_EQ(wrong, "");
    EXPECT_EQ(cell, 1);
    EXPECT_EQ(waiting_at(cell), 1u);
    futon::notify(cell);
    waiter.join();
    munmap(shared, 4096);
}

std::atomic<int> handled_cell{0};
std::atomic<int> woken_in_handler{-1};

/// A handler of a program, registered by a constructor of it.
const int handler_error =
    pthread_atfork(nullptr, nullptr, [] { woken_in_handler = static_cast<int>(futon::notify(handled_cell)); });

TEST(Fork, HandlersOfTheProgramFindTheQueuesEmpty) {
    ASSERT_EQ(handler_error, 0);
    Silent waiter;
    futon::core::process_table().enqueue(waiter, futon::Word(handled_cell).equals(0));

    const std::string wrong =
        wrong_in_child([&](Claims& claim) { claim(woken_in_handler == 0, "its notify has woken none"); });

    EXPECT_EQ(wrong, "");
    EXPECT_EQ(futon::notify(handled_cell), 1u);
}

TEST(AsyncLock, OneThatAnotherThreadHoldsStaysHeldInTheChild) {
    AsyncLock lock;
    std::atomic<bool> is_held{false};
    std::atomic<bool> is_over{false};
    std::jthread owner([&] {
        const std::scoped_lock hold(lock);
        is_held = true;
        futon::test::until([&] { return is_over.load(); });
    });
    futon::test::until([&] { return is_held.load(); });

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(!lock.try_lock_for(5ms), "it is not got");
        std::construct_at(&lock);
        claim(lock.try_lock(), "unless it is made anew");
    });
    is_over = true;

    EXPECT_EQ(wrong, "");
}

TEST(AsyncLock, OneThatTheForkingThreadHoldsAloneIsUnlockedInTheChild) {
    AsyncLock lock;
    lock.lock();

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        lock.unlock();
        claim(lock.try_lock(), "it is free");
    });

    EXPECT_EQ(wrong, "");
    lock.unlock();
}

TEST(AsyncLock, OneThatThreadsOfTheParentWaitForIsMadeAnewInTheChild) {
    if (!children_have_threads) GTEST_SKIP() << "neither the sanitizer nor an emulator allows threads in the child";
    for (const auto fairness : {futon::Fairness::bounded, futon::Fairness::strict}) {
        AsyncLock lock(fairness);
        lock.lock();
        std::jthread waiter([&] { const std::scoped_lock hold(lock); });
        until_waiting(lock, 1);

        const std::string wrong = wrong_in_child([&](Claims& claim) {
            std::construct_at(&lock, fairness);
            lock.lock();
            bool was_locked = false;
            std::thread own([&] {
                const std::scoped_lock hold(lock);
                was_locked = true;
            });
            until_waiting(lock, 1);
            lock.unlock();
            own.join();
            claim(was_locked, "a thread of the child waits for it and gets it");
        });

        EXPECT_EQ(wrong, "");
        lock.unlock();
    }
}

}  // namespace

#endif
