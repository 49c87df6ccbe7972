// SPDX-License-Identifier: MIT
// Promises at the edges: dropped below another agent, destructors that throw, handles that were moved from.
#include <optional>
#include <stdexcept>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/promises.hpp"

namespace {

using futon::Agent;
using futon::CanBlock;
using futon::EventLoop;
using futon::Promise;
using futon::SharedArrayBuffer;
using futon::test::rejected;
using futon::test::settled;

TEST(Promise, ARejectionThatIsDroppedBelowAnAgentWithoutExecutorGoesToTheLoopAround) {
    EventLoop loop;
    {
        const Agent nested(CanBlock::yes);
        const Agent nested_deeper(CanBlock::no);
        static_cast<void>(rejected());
    }

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(Promise, ARejectionThatIsDroppedInAJobBelowAnAgentWithoutExecutorGoesToItsLoop) {
    EventLoop loop;
    const Agent nested(CanBlock::yes);
    loop.post([] { static_cast<void>(rejected()); });

    EXPECT_THROW(loop.run(), std::runtime_error);
}

struct ThrowsAtItsEnd {
    ThrowsAtItsEnd() = default;
    ThrowsAtItsEnd(const ThrowsAtItsEnd&) = delete;
    ThrowsAtItsEnd& operator=(const ThrowsAtItsEnd&) = delete;
    ~ThrowsAtItsEnd() noexcept(false) { throw std::invalid_argument("a destructor"); }
};

TEST(Promise, ADestructorThatThrowsAfterCoReturnRejectsThePromise) {
    EventLoop loop;
    const auto coroutine = []() -> Promise<int> {
        const ThrowsAtItsEnd local;
        co_return 1;
    };

    EXPECT_THROW(loop.run_until(coroutine()), std::invalid_argument);
    EXPECT_FALSE(loop.poll());
}

TEST(Promise, ACoroutineMayReturnAnotherValueAfterADestructorHasThrown) {
    EventLoop loop;
    const auto coroutine = []() -> Promise<int> {
        try {
            const ThrowsAtItsEnd local;
            co_return 1;
        } catch (const std::invalid_argument&) {
            co_return 2;
        }
    };

    EXPECT_EQ(loop.run_until(coroutine()), 2);
}

TEST(Promise, ACoroutineOfNoValueMayReturnAgainAfterADestructorHasThrown) {
    EventLoop loop;
    const auto coroutine = []() -> Promise<void> {
        try {
            const ThrowsAtItsEnd local;
            co_return;
        } catch (const std::invalid_argument&) {
            co_return;
        }
    };

    loop.run_until(coroutine());

    EXPECT_FALSE(loop.poll());
}

TEST(Promise, OfACoroutineSettlesWhenItsLocalsAreDestroyed) {
    EventLoop loop;
    struct AsksAtItsEnd {
        const std::optional<Promise<int>>& promise;
        bool& was_settled;
        ~AsksAtItsEnd() { was_settled = promise->is_settled(); }
    };
    std::optional<Promise<int>> promise;
    bool was_settled = true;
    auto [gate, source] = futon::make_promise<void>();
    promise = [&, &gate_ = gate]() -> Promise<int> {
        const AsksAtItsEnd local{promise, was_settled};
        co_await gate_;
        co_return 1;
    }();
    source.fulfil();

    loop.run();

    EXPECT_FALSE(was_settled);
    EXPECT_TRUE(promise->is_settled());
}

/// A promise that was moved from.
class MovedPromise : public testing::Test {
protected:
    EventLoop loop;
    Promise<int> promise = settled(7);
    Promise<int> taken = std::move(promise);
};

TEST_F(MovedPromise, ThrowsWhereItIsListenedTo) {
    const auto listen = [&]() -> Promise<int> { co_return co_await promise; };

    EXPECT_THROW(static_cast<void>(promise.then([](int) {})), std::logic_error);
    EXPECT_THROW(static_cast<void>(std::move(promise).then([](int) {})), std::logic_error);
    EXPECT_THROW(loop.run_until(promise), std::logic_error);
    EXPECT_THROW(loop.run_until(std::move(promise)), std::logic_error);
    EXPECT_THROW(loop.run_until(listen()), std::logic_error);
}

TEST_F(MovedPromise, MayBeAssignedTo) {
    promise = std::move(taken);

    EXPECT_EQ(loop.run_until(promise), 7);
}

using MovedPromiseDeathTest = MovedPromise;

TEST_F(MovedPromiseDeathTest, AbortsWhereItIsAskedWhetherItHasSettled) {
    EXPECT_DEATH(static_cast<void>(promise.is_settled()), "broken rule: a promise that was moved from");
}

TEST_F(MovedPromiseDeathTest, AbortsWhereItIsUnrefd) {
    EXPECT_DEATH(promise.unref(), "broken rule: a promise that was moved from");
}

TEST(SharedArrayBuffer, AHandleThatWasMovedFromIsAHandleOfTheSameBytes) {
    SharedArrayBuffer first(8, 16);
    SharedArrayBuffer second = std::move(first);
    SharedArrayBuffer third(4);
    third = std::move(second);

    first.grow(12);

    EXPECT_EQ(first, third);
    EXPECT_EQ(second.byte_length(), 12u);
    EXPECT_EQ(third.data(), first.data());
}

}  // namespace
