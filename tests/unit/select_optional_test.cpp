// SPDX-License-Identifier: MIT
// Choices that are switched off, and what a select is asked about before it is called.
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/futon.hpp>
#include <futon/promise_source.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Channel;
using futon::choice_if;
using futon::Event;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(SelectOptional, AChoiceThatIsOffIsNotChosenThoughItIsReady) {
    Event set(true);
    for (int i = 0; i < 20; ++i) {
        const auto chosen = futon::select(choice_if(false, set.waiting()), choice_if(true, set.waiting()));
        EXPECT_EQ(chosen.index(), 1U);
    }
    EXPECT_EQ(futon::select(choice_if(false, set.waiting()), futon::timeout(0ms)).index(), 1U);
    EXPECT_EQ(futon::select(choice_if(false, set.waiting()), futon::otherwise()).index(), 1U);
    EXPECT_EQ(futon::select(futon::in_order, choice_if(false, set.waiting()), set.waiting()).index(), 1U);
}

TEST(SelectOptional, AChoiceThatIsOnBlocksAndIsWoken) {
    Event off;
    Event on;
    std::jthread setter([&] {
        until_waiting(on, 1);
        EXPECT_EQ(waiting_at(off), 0U) << "what is off is in no queue";
        on.set();
    });
    const auto chosen = futon::select(choice_if(false, off.waiting()), choice_if(true, on.waiting()));
    EXPECT_EQ(std::get<1>(chosen), WaitResult::ok);
}

TEST(SelectOptional, ASelectOfAllThatIsOffEndsByItsLimit) {
    Event event(true);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(futon::select(choice_if(false, event.waiting()), futon::timeout(1ms)).index(), 1U);
    EXPECT_EQ(futon::select(choice_if(false, event.waiting()), futon::stop_requested(stop.get_token())).index(), 1U);
}

TEST(SelectOptional, AnItemIsSentOnlyWhereTheSendIsOn) {
    Channel<int> in(1);
    Channel<int> out(1);
    std::optional<int> pending;
    const auto step = [&]() -> Promise<std::size_t> {
        int next = pending.value_or(0);
        auto chosen = co_await futon::select_async(choice_if(!pending, in.receiving()),
                                                   choice_if(pending.has_value(), out.sending_from(next)));
        if (auto* received = std::get_if<0>(&chosen)) {
            pending = std::move(*received).value();
        } else {
            pending.reset();
        }
        co_return chosen.index();
    };
    EventLoop loop;
    auto first = step();
    EXPECT_TRUE(in.try_send(7));
    EXPECT_EQ(loop.run_until(std::move(first)), 0U);
    EXPECT_EQ(loop.run_until(step()), 1U);
    EXPECT_EQ(out.try_receive().value(), 7);
}

TEST(SelectOptional, ACoroutineWithAChoiceThatIsOffIsDestroyed) {
    Event off;
    EventLoop loop;
    Event on;
    {
        const auto wait = [&]() -> Promise<void> {
            static_cast<void>(
                co_await futon::select_async(choice_if(false, off.waiting()), choice_if(true, on.waiting())));
        };
        const Promise<void> waiting = wait();
        EXPECT_EQ(waiting_at(on), 1U);
        on.set();
    }
    loop.run();
    EXPECT_EQ(waiting_at(on), 0U);
}

TEST(SelectOptional, AnOperationThatWasUsedIsRefused) {
    Event event(true);
    auto used = event.waiting();
    static_cast<void>(futon::block(std::move(used)));
    // NOLINTNEXTLINE(bugprone-use-after-move)
    EXPECT_THROW(static_cast<void>(futon::select(choice_if(true, std::move(used)))), std::logic_error);
}

// Whether a call compiles can be asked, also where it is told what is wrong with it.
template <class... Ts>
concept Selects = requires(Ts&&... choices) {
    futon::select(std::forward<Ts>(choices)...);
};
template <class... Ts>
concept SelectsAsync = requires(Ts&&... choices) {
    futon::select_async(std::forward<Ts>(choices)...);
};
template <class... Ts>
concept LocksAll = requires(Ts&&... args) {
    futon::lock_all(std::forward<Ts>(args)...);
};
template <class T>
concept HasOperatorAwait = requires(T&& value) {
    operator co_await(std::forward<T>(value));
};

static_assert(Selects<Event::Waiting> && Selects<Event::Waiting, futon::Timeout&> && Selects<const futon::Otherwise&>);
static_assert(Selects<const futon::InOrder&, Event::Waiting> && SelectsAsync<futon::InOrder, Event::Waiting>);
static_assert(!Selects<Event::Waiting&> && !Selects<Event&> && !Selects<std::chrono::milliseconds>);
static_assert(!Selects<decltype(std::declval<Event&>().wait_async())> && !Selects<futon::InOrder, Event&>);
static_assert(!SelectsAsync<Event::Waiting&> && !SelectsAsync<Event&> && !SelectsAsync<Promise<int>>);
static_assert(LocksAll<std::chrono::milliseconds, futon::AsyncLock&, futon::AsyncLock&>);
static_assert(!LocksAll<futon::SharedLock&, futon::AsyncLock&> && !LocksAll<futon::AsyncLock>);
static_assert(!HasOperatorAwait<Event::Waiting> && !HasOperatorAwait<Promise<int>&>);

TEST(SelectOptional, LimitsThatAreOffAreNeverChosen) {
    Event event;
    std::stop_source stopped;
    stopped.request_stop();
    const auto by_time = futon::select(event.waiting(), choice_if(false, futon::stop_requested(stopped.get_token())),
                                       choice_if(true, futon::timeout(1ms)));
    EXPECT_EQ(by_time.index(), 2U);
    const auto by_stop = futon::select(event.waiting(), choice_if(true, futon::stop_requested(stopped.get_token())),
                                       choice_if(false, futon::timeout(0ms)));
    EXPECT_EQ(by_stop.index(), 1U);
    const auto by_default = futon::select(event.waiting(), choice_if(false, futon::timeout(0ms)), futon::otherwise());
    EXPECT_EQ(by_default.index(), 2U);
}

TEST(SelectOptional, APromiseThatIsOffIsNotChosenAndKeepsItsValue) {
    EventLoop loop;
    Event event;
    const auto choose = [&](bool is_on) -> Promise<std::size_t> {
        auto [promise, source] = futon::make_promise<std::unique_ptr<int>>();
        auto [late, late_source] = futon::make_promise<int>();
        source.fulfil(std::make_unique<int>(7));
        auto chosen = co_await futon::select_async(choice_if(is_on, futon::settled(std::move(promise))),
                                                   choice_if(!is_on, futon::settled(late)),
                                                   choice_if(!is_on, futon::timeout(1ms)), event.waiting());
        EXPECT_EQ(is_on, std::holds_alternative<std::unique_ptr<int>>(chosen));
        late_source.fulfil(1);
        co_return chosen.index();
    };
    EXPECT_EQ(loop.run_until(choose(true)), 0U);
    EXPECT_EQ(loop.run_until(choose(false)), 2U);
}

}  // namespace
