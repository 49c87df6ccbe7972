// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/promise_of.hpp>
#include <futon/core/queue/private_table.hpp>
#include <futon/futon.hpp>

#include "support/child.hpp"
#include "support/gtest.hpp"
#include "support/no_death_tests.hpp"
#include "support/table_scene.hpp"
#include "support/tokens.hpp"

namespace {

using futon::Deadline;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::core::await;
using futon::core::block;
using futon::core::everyone;
using futon::core::PrivateTable;
using futon::core::process_table;
using futon::core::promise_of;
using futon::test::always;
using futon::test::CountingWaiter;
using futon::test::Tokens;

static_assert(!std::is_copy_constructible_v<PrivateTable> && !std::is_move_constructible_v<PrivateTable>);

TEST(PrivateTable, SharesNoQueueWithTheProcess) {
    PrivateTable table;
    PrivateTable other;
    int word = 0;
    CountingWaiter here;
    CountingWaiter there;
    table.enqueue(here, always(&word));
    process_table().enqueue(there, always(&word));

    EXPECT_EQ(other.notify(&word, everyone), 0u);
    EXPECT_EQ(table.notify(&word, everyone), 1u);

    EXPECT_EQ(here.deliveries, 1);
    EXPECT_EQ(process_table().count(&word), 1u);
    EXPECT_EQ(process_table().notify(&word, everyone), 1u);
}

/// Waits in a private table, in each way, and each way to end a wait.
class PrivateTableWaits : public testing::Test {
protected:
    void until_queued() {
        while (table.count(&tokens) == 0) std::this_thread::yield();
    }

    PrivateTable table;
    Tokens tokens{0, table};
    std::stop_source stop;
};

Promise<WaitResult> take(Tokens& tokens) {
    co_return co_await await(Tokens::Take(tokens));
}

TEST_F(PrivateTableWaits, WakesABlockedThread) {
    std::jthread thread([&] { EXPECT_EQ(block(Tokens::Take(tokens)), WaitResult::ok); });
    until_queued();

    EXPECT_EQ(process_table().notify(&tokens, everyone), 0u);
    EXPECT_EQ(tokens.release(), 1u);
}

TEST_F(PrivateTableWaits, IsLeftByABlockedThreadWhoseDeadlineComes) {
    EXPECT_EQ(block(Tokens::Take(tokens), std::chrono::milliseconds(1)), WaitResult::timed_out);

    EXPECT_EQ(table.count(&tokens), 0u);
}

TEST_F(PrivateTableWaits, IsLeftByABlockedThreadThatIsStopped) {
    std::jthread thread([&] { EXPECT_EQ(block(Tokens::Take(tokens), stop.get_token()), WaitResult::cancelled); });
    until_queued();

    stop.request_stop();
    thread.join();

    EXPECT_EQ(table.count(&tokens), 0u);
}

TEST_F(PrivateTableWaits, WakesACoroutineAndAPromise) {
    EventLoop loop;
    auto coroutine = take(tokens);
    auto promise = promise_of(Tokens::Take(tokens));

    EXPECT_EQ(tokens.release(), 1u);
    EXPECT_EQ(loop.run_until(coroutine), WaitResult::ok);
    EXPECT_EQ(tokens.release(), 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST_F(PrivateTableWaits, IsLeftByACoroutineWhoseLoopEnds) {
    std::optional<EventLoop> loop(std::in_place);
    const auto promise = take(tokens);

    loop.reset();

    EXPECT_EQ(table.count(&tokens), 0u);
}

TEST_F(PrivateTableWaits, IsLeftByASelectThatIsOver) {
    Tokens in_the_process;
    std::jthread thread([&] { static_cast<void>(futon::select(Tokens::Take(tokens), Tokens::Take(in_the_process))); });
    until_queued();

    in_the_process.release();
    thread.join();

    EXPECT_EQ(table.count(&tokens), 0u);
}

TEST(PrivateTable, IsDestroyedWithWhatItHasGrownBy) {
    constexpr std::size_t queues = 20'000;
    std::vector<std::int32_t> words(queues);
    std::vector<CountingWaiter> waiters(queues);
    auto table = std::make_unique<PrivateTable>();
    for (std::size_t i = 0; i < queues; ++i) table->enqueue(waiters[i], always(&words[i]));
    std::size_t woken = 0;
    for (std::size_t i = 0; i < queues; ++i) woken += table->notify(&words[i], everyone);

    table.reset();  // a leak would be found by the sanitizer

    EXPECT_EQ(woken, queues);
}

TEST(PrivateTable, ManyAreMadeAndDestroyedAtOnce) {
    std::atomic<std::size_t> woken{0};
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                for (int round = 0; round < 50; ++round) {
                    PrivateTable first;
                    auto second = std::make_unique<PrivateTable>();
                    PrivateTable third;
                    int word = 0;
                    CountingWaiter waiter;
                    third.enqueue(waiter, always(&word));
                    second.reset();
                    woken += first.notify(&word, everyone) + third.notify(&word, everyone);
                }
            });
    }

    EXPECT_EQ(woken, 200u);
}

TEST(PrivateTableDeathTest, EndsTheProgramIfItIsDestroyedWithAWaiterQueued) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto misuse = [] {
        CountingWaiter waiter;
        int word = 0;
        PrivateTable table;
        table.enqueue(waiter, always(&word));
    };

    EXPECT_DEATH(misuse(), "broken rule: a PrivateTable is destroyed with no waiter queued");
}

#ifdef FUTON_TESTS_CAN_FORK

using futon::test::Claims;
using futon::test::wrong_in_child;

TEST(PrivateTable, IsEmptyInTheChildOfAForkAndOfUse) {
    PrivateTable table;
    const PrivateTable other;
    int word = 0;
    CountingWaiter waiter;
    table.enqueue(waiter, always(&word));

    const std::string wrong = wrong_in_child([&](Claims& claim) {
        claim(table.count(&word) == 0, "no waiter is queued");
        CountingWaiter own;
        claim(table.enqueue(own, always(&word)) == futon::core::EnqueueResult::queued,
              "a waiter of the child is queued");
        claim(table.notify(&word, everyone) == 1, "a notify wakes it");
        claim(table.dequeue(waiter, WaitResult::cancelled), "the inherited waiter ends");
        const PrivateTable new_one;
    });

    EXPECT_EQ(wrong, "");
    EXPECT_EQ(table.notify(&word, everyone), 1u);
}

TEST(PrivateTable, IsUnlockedInTheChildWhoseParentHeldALock) {
    PrivateTable table;
    std::atomic<int> is_asked{0};
    std::atomic<bool> goes_on{false};
    struct Word {
        std::atomic<int>& is_asked;
        std::atomic<bool>& goes_on;
    } word{is_asked, goes_on};
    std::jthread holder([&] {
        static_cast<void>(table.must_wait({&word, 0, [](void* address, std::uint64_t) noexcept {
                                               const auto& self = *static_cast<Word*>(address);
                                               self.is_asked = 1;
                                               while (!self.goes_on) std::this_thread::yield();
                                               return false;
                                           }}));
    });
    while (is_asked == 0) std::this_thread::yield();

    const std::string wrong =
        wrong_in_child([&](Claims& claim) { claim(table.count(&word) == 0, "the lock of the queue is free"); });
    goes_on = true;

    EXPECT_EQ(wrong, "");
}

#endif

}  // namespace
