// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::DestructionCounter;
using futon::test::wait_counted;
using futon::test::waiting_at;

TEST(EventLoop, DequeuesItsWaitersWhenDestroyed) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    std::vector<Promise<WaitResult>> promises;
    for (int i = 0; i < 10; ++i) promises.push_back(wait_async(cell, 0).promise());

    loop.reset();

    EXPECT_EQ(waiting_at(cell), 0u);
    EXPECT_EQ(notify(cell), 0u);
}

TEST(EventLoop, LeavesWaitersOfOtherAgentsQueuedWhenDestroyed) {
    std::atomic<int> cell{0};
    WaitResult result = WaitResult::not_equal;
    std::optional<EventLoop> loop(std::in_place);
    const auto before = wait_async(cell, 0).promise();
    std::thread other([&] { result = futon::wait(cell, 0); });
    futon::test::until_waiting(cell, 2);
    const auto after = wait_async(cell, 0).promise();

    loop.reset();
    const std::size_t woken = notify(cell);
    other.join();

    EXPECT_EQ(woken, 1u);
    EXPECT_EQ(result, WaitResult::ok);
}

TEST(EventLoop, NeverSettlesAPromiseThatOutlivesIt) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();

    loop.reset();

    EXPECT_FALSE(promise.is_settled());
}

TEST(EventLoop, NeverSettlesAPromiseWhoseWakeIsPostedWhenItIsDestroyed) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();
    EXPECT_EQ(notify(cell), 1u);

    loop.reset();

    EXPECT_FALSE(promise.is_settled());
}

TEST(EventLoop, MayBeDestroyedWithDeadlinesAndStopTokensPending) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    std::stop_source source;
    const auto promise = wait_async(cell, 0, {1h, source.get_token()}).promise();

    loop.reset();
    source.request_stop();

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(EventLoop, DestroysPostedFunctionsWithoutRunningThem) {
    std::optional<EventLoop> loop(std::in_place);
    int destroyed = 0;
    bool has_run = false;
    loop->post([&, local = DestructionCounter(destroyed)] { has_run = true; });

    loop.reset();

    EXPECT_EQ(destroyed, 1);
    EXPECT_FALSE(has_run);
}

TEST(EventLoop, DestroysTimedFunctionsWithoutRunningThem) {
    std::optional<EventLoop> loop(std::in_place);
    int destroyed = 0;
    bool has_run = false;
    loop->post_after(0ms, [&, local = DestructionCounter(destroyed)] { has_run = true; });
    loop->post_after(1h, [&, local = DestructionCounter(destroyed)] { has_run = true; });

    loop.reset();

    EXPECT_EQ(destroyed, 2);
    EXPECT_FALSE(has_run);
}

TEST(EventLoop, DestroysWaitingCoroutinesOnce) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    static_cast<void>(wait_counted(cell, destroyed));

    loop.reset();

    EXPECT_EQ(destroyed, 1);
}

TEST(EventLoop, DestroysCoroutinesWithAPostedWakeOnce) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    static_cast<void>(wait_counted(cell, destroyed));
    notify(cell);

    loop.reset();

    EXPECT_EQ(destroyed, 1);
}

Promise<void> await_a_coroutine(std::atomic<int>& cell, int& destroyed) {
    const DestructionCounter local(destroyed);
    co_await wait_counted(cell, destroyed);
}

TEST(EventLoop, DestroysNestedCoroutinesOnce) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    const auto promise = await_a_coroutine(cell, destroyed);

    loop.reset();

    EXPECT_EQ(destroyed, 2);
}

TEST(EventLoop, DestroysThenContinuations) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    static_cast<void>(wait_async(cell, 0).promise().then([local = DestructionCounter(destroyed)](WaitResult) {}));

    loop.reset();

    EXPECT_EQ(destroyed, 1);
}

TEST(EventLoop, DestroysACoroutineWhoseResumptionIsPosted) {
    std::optional<EventLoop> loop(std::in_place);
    int destroyed = 0;
    const auto awaiting = [](Promise<int> source, int& count) -> Promise<void> {
        const DestructionCounter local(count);
        co_await std::move(source).then([](int) {});
    };
    const auto one = []() -> Promise<int> { co_return 1; };
    static_cast<void>(awaiting(one(), destroyed));

    loop.reset();

    EXPECT_EQ(destroyed, 1);
}

/// Posts, now and for later, from its destructor.
struct PostsInDestructor {
    EventLoop* loop;
    int* destroyed;

    PostsInDestructor(EventLoop& on, int& count) : loop(&on), destroyed(&count) {}
    PostsInDestructor(PostsInDestructor&& other) noexcept
        : loop(std::exchange(other.loop, nullptr)), destroyed(other.destroyed) {}
    PostsInDestructor& operator=(PostsInDestructor&&) = delete;
    ~PostsInDestructor() {
        if (loop == nullptr) return;
        loop->post([local = DestructionCounter(*destroyed)] {});
        loop->post_after(1h, [local = DestructionCounter(*destroyed)] {});
    }
};

TEST(EventLoop, DestroysFunctionsPostedDuringItsDestruction) {
    int destroyed = 0;
    {
        EventLoop loop;
        loop.post([local = PostsInDestructor(loop, destroyed)] {});
    }

    EXPECT_EQ(destroyed, 2);
}

TEST(EventLoop, DestroysFunctionsThatAWaitingCoroutinePostsWhenItIsDestroyed) {
    struct PostsAtEnd {
        EventLoop& loop;
        int& destroyed;
        ~PostsAtEnd() {
            loop.post([local = DestructionCounter(destroyed)] {});
        }
    };
    const auto waiting = [](EventLoop& loop, std::atomic<int>& word, int& destroyed) -> Promise<void> {
        const PostsAtEnd local{loop, destroyed};
        co_await wait_async(word, 0);
    };
    std::atomic<int> cell{0};
    int destroyed = 0;
    {
        EventLoop loop;
        static_cast<void>(waiting(loop, cell, destroyed));
    }

    EXPECT_EQ(destroyed, 1);
}

TEST(EventLoop, WaitAsyncThrowsDuringItsDestruction) {
    struct WaitsInDestructor {
        std::atomic<int>& cell;
        bool& threw;
        ~WaitsInDestructor() {
            try {
                static_cast<void>(wait_async(cell, 0));
            } catch (const futon::NoExecutor&) {
                threw = true;
            }
        }
    };
    std::atomic<int> cell{0};
    bool threw = false;
    {
        EventLoop loop;
        const auto waiting = [&]() -> Promise<void> {
            const WaitsInDestructor local{cell, threw};
            co_await wait_async(cell, 0);
        };
        static_cast<void>(waiting());
    }

    EXPECT_TRUE(threw);
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(EventLoop, MayBeDestroyedWhileAnotherThreadNotifies) {
    constexpr int rounds = 300;
    std::atomic<int> cell{0};
    std::atomic<bool> is_over{false};
    std::jthread notifier([&] {
        while (!is_over) notify(cell, 2);
    });
    int destroyed = 0;

    for (int round = 0; round < rounds; ++round) {
        EventLoop loop;
        for (int i = 0; i < 5; ++i) static_cast<void>(wait_counted(cell, destroyed));
    }
    is_over = true;

    EXPECT_EQ(destroyed, 5 * rounds);
}

TEST(EventLoop, MayBeDestroyedWhileAnotherThreadCancels) {
    constexpr int rounds = 300;
    std::atomic<int> cell{0};
    int destroyed = 0;

    for (int round = 0; round < rounds; ++round) {
        std::stop_source source;
        std::atomic<bool> may_stop{false};
        std::jthread canceller([&] {
            futon::test::until([&] { return may_stop.load(); });
            source.request_stop();
        });
        const auto waiting = [&](std::stop_token stop) -> Promise<void> {
            const DestructionCounter local(destroyed);
            co_await wait_async(cell, 0, {1h, stop});
        };
        EventLoop loop;
        static_cast<void>(waiting(source.get_token()));
        may_stop = true;
    }

    EXPECT_EQ(destroyed, rounds);
}

/// A job that does nothing.
class EmptyJob final : public futon::Job {
public:
    void run() noexcept override {}
    void discard() noexcept override {}
};

TEST(EventLoop, RetractsAJobThatIsPostedAndWaitsForNone) {
    EventLoop loop;
    EmptyJob job;
    EXPECT_FALSE(loop.retract_posted(job));
    loop.post(job);

    EXPECT_TRUE(loop.retract_posted(job));

    EXPECT_FALSE(loop.retract_posted(job));
    EXPECT_FALSE(loop.poll());
}

/// Retracts a job while the loop is torn down, after it has notified a word.
struct RetractsAtItsEnd {
    EventLoop& loop;
    std::atomic<int>& word;
    EmptyJob job;

    ~RetractsAtItsEnd() {
        futon::notify(word);
        loop.post(job);
        loop.retract(job);
    }
};

TEST(EventLoop, EndsThoughADestructorRetractsAJobWhileItIsTornDown) {
    std::atomic<int> never{0};
    std::atomic<int> notified{0};
    std::optional<EventLoop> loop(std::in_place);
    const auto retracts = [&]() -> futon::Promise<void> {
        const RetractsAtItsEnd at_the_end{*loop, notified, {}};
        const auto result = co_await futon::wait_async(never, 0);
        EXPECT_NE(result, futon::WaitResult::ok);
    };
    const auto waits = [&]() -> futon::Promise<void> {
        const auto result = co_await futon::wait_async(notified, 0);
        EXPECT_NE(result, futon::WaitResult::ok);
    };
    {
        const auto first = retracts();
        const auto second = waits();
    }

    loop.reset();

    EXPECT_EQ(futon::notify(notified), 0u);
}

}  // namespace
