// SPDX-License-Identifier: MIT
// What a posted coroutine has captured lives until the coroutine has ended.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::wait_async;
using futon::test::DestructionCounter;
using futon::test::waiting_at;

/// A coroutine lambda that holds a counter of its end, and waits at a word.
class PostedCoroutine : public testing::Test {
protected:
    auto coroutine() {
        return [this, held = std::make_shared<DestructionCounter>(destroyed)]() -> Promise<std::shared_ptr<void>> {
            co_await wait_async(word, 0);
            uses_after = held.use_count();
            co_return held;
        };
    }

    void expect_kept_until_notified() {
        while (waiting_at(word) == 0) loop->poll();
        loop->poll();
        const int destroyed_before = destroyed;
        futon::notify(word);
        loop->run();

        EXPECT_EQ(destroyed_before, 0);
        EXPECT_GE(uses_after, 1);
        EXPECT_EQ(destroyed, 1);
    }

    std::optional<EventLoop> loop{std::in_place};
    std::atomic<int> word{0};
    int destroyed = 0;
    long uses_after = 0;
};

TEST_F(PostedCoroutine, KeepsItsCaptures) {
    loop->post(coroutine());

    expect_kept_until_notified();
}

TEST_F(PostedCoroutine, KeepsItsCapturesInATimer) {
    loop->post_after(0ms, coroutine());

    expect_kept_until_notified();
}

TEST_F(PostedCoroutine, DestroysItsCapturesWithItsLoop) {
    loop->post(coroutine());
    loop->poll();
    const int destroyed_before = destroyed;

    loop.reset();

    EXPECT_EQ(destroyed_before, 0);
    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST_F(PostedCoroutine, ItsExceptionLeavesFromRun) {
    loop->post([]() -> Promise<void> {
        throw std::runtime_error("broken");
        co_return;
    });
    loop->post([this]() -> Promise<int> {
        co_await wait_async(word, 0, 1ms);
        throw std::invalid_argument("broken too");
    });

    EXPECT_THROW(loop->run(), std::runtime_error);
    EXPECT_THROW(loop->run(), std::invalid_argument);
}

TEST_F(PostedCoroutine, MayBeMoveOnly) {
    int value = 0;
    loop->post([&, held = std::make_unique<int>(7)]() -> Promise<void> {
        co_await wait_async(word, 0, 1ms);
        value = *held;
    });

    loop->run();

    EXPECT_EQ(value, 7);
}

}  // namespace
