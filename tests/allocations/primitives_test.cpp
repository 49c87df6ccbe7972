// SPDX-License-Identifier: MIT
// Conditions, channels, what is done once, words and sleeps, while tasks are refused memory.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

#include "support/channel_items.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/refused_waits.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Channel;
using futon::Condition;
using futon::EventLoop;
using futon::Promise;
using futon::promise_of;
using futon::WaitResult;
using futon::test::End;
using futon::test::Ends;
using futon::test::Item;
using futon::test::item;
using futon::test::refuse_each_allocation;
using futon::test::run_to_the_end;
using futon::test::succeeds;
using futon::test::waiting_at;

/// A condition that tasks wait for, and its lock.
struct Waiters {
    AsyncLock lock;
    Condition condition;
    bool is_true = false;

    Promise<void> await_it(Ends& ends) {
        End end(ends);
        auto guard = co_await lock.scoped_lock_async();
        end.note(co_await condition.wait_async(
                     guard, [&] { return is_true; }, 1h)
                     ? WaitResult::ok
                     : WaitResult::timed_out);
    }
    Promise<void> await_its_promise(Ends& ends) {
        End end(ends);
        try {
            auto guard = co_await lock.scoped_lock_async();
            const auto wakeup = co_await promise_of(condition.waiting(std::move(guard)), 1h);
            end.note(wakeup.result);
            EXPECT_TRUE(wakeup.guard.owns_lock());
        } catch (const std::bad_alloc&) {
            end.refuse();
        }
    }
    Promise<void> select_it(Ends& ends) {
        End end(ends);
        auto guard = co_await lock.scoped_lock_async();
        const auto chosen = co_await futon::select_async(condition.waiting(std::move(guard)), futon::timeout(1h));
        end.note(chosen.index() == 0 ? std::get<0>(chosen).result : WaitResult::timed_out);
    }
    void notify() {
        lock.lock();
        is_true = true;
        condition.notify_all();
        lock.unlock();
    }
};

TEST(RefusedConditions, WaitersGoOnWithTheLock) {
    for (const auto wait : {&Waiters::await_it, &Waiters::await_its_promise, &Waiters::select_it}) {
        refuse_each_allocation([&] {
            Waiters waiters;
            Ends ends;
            EventLoop loop(futon::CanBlock::yes);
            int begun = 0;
            for (int i = 0; i < 3; ++i) begun += succeeds([&] { static_cast<void>((waiters.*wait)(ends)); });

            EXPECT_TRUE(succeeds([&] { waiters.notify(); }));
            run_to_the_end(loop);

            EXPECT_EQ(ends.ok + ends.refused, begun);
            EXPECT_EQ(waiting_at(waiters.condition), 0u);
            EXPECT_TRUE(waiters.lock.try_lock());
        });
    }
}

TEST(RefusedConditions, WaitersWhoseLoopEndsReleaseTheLock) {
    refuse_each_allocation([&] {
        Waiters waiters;
        Ends ends;
        std::optional<EventLoop> loop(std::in_place, futon::CanBlock::yes);
        for (const auto wait : {&Waiters::await_it, &Waiters::await_its_promise, &Waiters::select_it})
            succeeds([&] { static_cast<void>((waiters.*wait)(ends)); });
        succeeds([&] { waiters.notify(); });

        EXPECT_TRUE(succeeds([&] { loop.reset(); }));

        EXPECT_EQ(waiting_at(waiters.condition), 0u);
        EXPECT_TRUE(waiters.lock.try_lock());
    });
}

// Tasks that send and receive; they count what they did.

Promise<void> send(Channel<Item>& channel, Item what, int& sent) {
    sent += (co_await channel.send_async(std::move(what))).result() == futon::ChannelResult::ok;
}
Promise<void> send_promised(Channel<Item>& channel, Item what, int& sent) {
    sent += (co_await promise_of(channel.sending_from(what), 1h)).result() == futon::ChannelResult::ok;
}
Promise<void> send_selected(Channel<Item>& channel, Item what, int& sent) {
    const auto chosen = co_await futon::select_async(channel.sending_from(what), futon::timeout(1h));
    sent += chosen.index() == 0 && std::get<0>(chosen).result() == futon::ChannelResult::ok;
}
Promise<void> receive(Channel<Item>& channel, int& received) {
    while (const auto got = co_await channel.receive_async()) ++received;
}
Promise<void> receive_promised(Channel<Item>& channel, int& received) {
    while (const auto got = co_await promise_of(channel.receiving(), 1h)) ++received;
}

TEST(RefusedChannels, WhatIsSentIsReceivedOrIsThere) {
    for (const std::size_t capacity : {0u, 1u, 3u}) {
        for (const auto send_it : {&send, &send_promised, &send_selected}) {
            for (const auto receive_it : {&receive, &receive_promised}) {
                refuse_each_allocation([&] {
                    Channel<Item> channel(capacity);
                    EventLoop loop;
                    int sent = 0;
                    int received = 0;
                    succeeds([&] { static_cast<void>(receive_it(channel, received)); });
                    for (int i = 0; i < 3; ++i) {
                        auto what = item(i);
                        succeeds([&] { static_cast<void>(send_it(channel, std::move(what), sent)); });
                    }
                    for (int i = 0; i < 20; ++i) succeeds([&] { loop.poll(); });
                    EXPECT_TRUE(succeeds([&] { channel.close(); }));
                    run_to_the_end(loop);

                    while (channel.try_receive()) ++received;
                    EXPECT_EQ(received, sent);
                });
            }
        }
    }
}

TEST(RefusedChannels, AreMadeOrNot) {
    refuse_each_allocation([] {
        succeeds([] {
            Channel<Item> channel(3);
            EXPECT_TRUE(channel.try_send(nullptr));
        });
    });
}

TEST(RefusedOnce, IsDoneByOneOfThoseThatCall) {
    refuse_each_allocation([] {
        futon::Once once;
        EventLoop loop;
        int calls = 0;
        int done = 0;
        const auto call = [&]() -> Promise<void> {
            const auto result = co_await once.call_async([&]() -> Promise<void> {
                const auto made = std::make_unique<int>();
                co_await futon::sleep_for(0ms);
                ++calls;
            });
            done += result == WaitResult::ok;
        };
        for (int i = 0; i < 3; ++i) succeeds([&] { static_cast<void>(call()); });
        run_to_the_end(loop);

        static_cast<void>(call());
        loop.run();
        EXPECT_TRUE(once.is_done());
        EXPECT_EQ(calls, 1);
        EXPECT_GE(done, 1);
    });
}

TEST(RefusedLazy, IsMadeInTheEnd) {
    refuse_each_allocation([] {
        futon::Lazy<std::unique_ptr<int>> lazy;
        EventLoop loop;
        const auto get = [&]() -> Promise<void> {
            EXPECT_NE(co_await lazy.get_async([] { return std::make_unique<int>(7); }), nullptr);
        };
        for (int i = 0; i < 2; ++i) succeeds([&] { static_cast<void>(get()); });
        run_to_the_end(loop);

        static_cast<void>(get());
        loop.run();
        EXPECT_EQ(**lazy.try_get(), 7);
    });
}

TEST(RefusedWords, ANotifiedPromiseSettlesAndADroppedOneLeaves) {
    refuse_each_allocation([] {
        std::atomic<int> word{0};
        Ends ends;
        EventLoop loop;
        const auto wait = [&](futon::Limits limit) -> Promise<void> {
            End end(ends);
            try {
                end.note(co_await futon::wait_async(word, 0, limit));
            } catch (const std::bad_alloc&) {
                end.refuse();
            }
        };
        int begun = 0;
        for (const futon::Limits& limit : {futon::Limits(futon::Deadline::never()), futon::Limits(1h)})
            begun += succeeds([&] { static_cast<void>(wait(limit)); });
        succeeds([&] { static_cast<void>(futon::wait_async(word, 0)); });

        std::size_t woken = 0;
        EXPECT_TRUE(succeeds([&] { woken = futon::notify(word); }));
        run_to_the_end(loop);

        EXPECT_EQ(ends.ok, static_cast<int>(woken));
        EXPECT_EQ(ends.ok + ends.refused, begun);
        EXPECT_EQ(waiting_at(word), 0u);
    });
}

TEST(RefusedSleeps, EndInTimeOrAreRefused) {
    refuse_each_allocation([] {
        EventLoop loop;
        Ends ends;
        const auto sleep = [&](std::chrono::milliseconds time) -> Promise<void> {
            End end(ends);
            try {
                end.note(co_await futon::sleep_for(time));
            } catch (const std::bad_alloc&) {
                end.refuse();
            }
        };
        int begun = 0;
        for (const auto time : {0ms, 1ms}) begun += succeeds([&] { static_cast<void>(sleep(time)); });
        run_to_the_end(loop);
        EXPECT_EQ(ends.ok + ends.refused, begun);
    });
}

TEST(RefusedBuffers, AreMadeOrNot) {
    refuse_each_allocation([] {
        succeeds([] {
            futon::SharedArrayBuffer fixed(8);
            futon::SharedArrayBuffer growable(8, 64);
            growable.grow(32);
            futon::Int32Array array(growable);
        });
    });
}

}  // namespace
