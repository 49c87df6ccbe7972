// SPDX-License-Identifier: MIT
// Waits in Asio that are refused memory: each handler is called once, or its initiating call throws, and nothing is left of it.
#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <futon/asio.hpp>
#include <futon/futon.hpp>

#include "support/channel_items.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/refused_waits.hpp"
#include "support/waiting.hpp"

namespace {

namespace net = futon::asio::net;
using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Deadline;
using futon::WaitResult;
using futon::asio::error_code;
using futon::test::End;
using futon::test::Ends;
using futon::test::how_it_ended;
using futon::test::refuse_each_allocation;
using futon::test::succeeds;
using futon::test::waiting_at;

/// Runs until nothing can happen any more; what memory is refused for meanwhile leaves from the context.
void run_to_the_end(net::io_context& context) {
    context.restart();
    while (!succeeds([&] { context.run(); })) {
    }
}

/// Notes how a wait has ended. As that of a function, its destruction says that it was not called.
struct Handler {
    End end;
    template <class Result>
    void operator()(error_code error, Result result) {
        end.note(error ? WaitResult::cancelled : how_it_ended(result));
    }
};

/// Begins a wait by `initiate(handler)`, which throws or will call the handler or destroy it later.
template <class F>
bool begins(Ends& ends, F initiate) {
    const int abandoned = ends.abandoned;
    if (succeeds([&] { initiate(Handler{End(ends)}); })) return true;
    EXPECT_EQ(ends.abandoned, abandoned + 1) << "the handler is destroyed";
    ends.abandoned = abandoned;
    return false;
}

// Where handlers run.

struct OnContext {
    static auto of(net::io_context& context) { return context.get_executor(); }
};
struct OnAnyExecutor {
    static net::any_io_executor of(net::io_context& context) { return context.get_executor(); }
};

template <class Place>
class RefusedAsio : public testing::Test {};

using Places = testing::Types<OnContext, OnAnyExecutor>;
TYPED_TEST_SUITE(RefusedAsio, Places);

TYPED_TEST(RefusedAsio, WaitsWithADeadlineGetTheLockOrAreNotBegun) {
    refuse_each_allocation([] {
        net::io_context context;
        AsyncLock lock;
        Ends ends;
        int begun = 0;
        lock.lock();
        for (int i = 0; i < 2; ++i) {
            begun += begins(ends, [&](Handler handler) {
                futon::asio::async(TypeParam::of(context), lock.locking(), 1h, std::move(handler));
            });
        }
        EXPECT_EQ(waiting_at(lock), static_cast<std::size_t>(begun));

        EXPECT_TRUE(succeeds([&] { lock.unlock(); }));
        run_to_the_end(context);

        EXPECT_EQ(ends.ok, begun);
        EXPECT_EQ(ends.all(), begun);
        EXPECT_EQ(waiting_at(lock), 0u);
        EXPECT_TRUE(lock.try_lock());
    });
}

TYPED_TEST(RefusedAsio, WaitsWhoseDeadlineComesEnd) {
    refuse_each_allocation([] {
        net::io_context context;
        futon::Event event;
        Ends ends;
        int begun = 0;
        for (int i = 0; i < 2; ++i) {
            begun += begins(ends, [&](Handler handler) {
                futon::asio::async(TypeParam::of(context), event.waiting(), 1ms, std::move(handler));
            });
        }
        run_to_the_end(context);

        EXPECT_EQ(ends.others, begun);
        EXPECT_EQ(ends.all(), begun);
        EXPECT_EQ(waiting_at(event), 0u);
    });
}

TYPED_TEST(RefusedAsio, WhatIsDoneAtOnceIsToldOrUndone) {
    refuse_each_allocation([] {
        net::io_context context;
        AsyncLock lock;
        futon::Semaphore semaphore(2);
        Ends ends;
        int begun = begins(ends, [&](Handler handler) {
            futon::asio::async(TypeParam::of(context), lock.locking(), 1h, std::move(handler));
        });
        const bool has_permits = begins(ends, [&](Handler handler) {
            futon::asio::async(TypeParam::of(context), semaphore.acquiring(2), 1h, std::move(handler));
        });
        begun += has_permits;
        run_to_the_end(context);

        EXPECT_EQ(ends.ok, begun);
        EXPECT_TRUE(lock.try_lock());
        EXPECT_EQ(semaphore.try_acquire(2), !has_permits);
    });
}

TYPED_TEST(RefusedAsio, AnItemIsReceivedOrStaysInItsChannel) {
    refuse_each_allocation([] {
        net::io_context context;
        futon::Channel<futon::test::Item> channel(2);
        int sent = 0;
        int received = 0;
        const auto on_received = [&](error_code, futon::Received<futon::test::Item> got) {
            received += got.has_value();
        };
        const auto receive = [&] {
            succeeds([&] { futon::asio::async(TypeParam::of(context), channel.receiving(), 1h, on_received); });
        };
        const auto send = [&] {
            auto item = futon::test::item(1);
            succeeds([&] {
                futon::asio::async(
                    TypeParam::of(context), channel.sending(std::move(item)), 1h,
                    [&](error_code, auto result) { sent += result.result() == futon::ChannelResult::ok; });
            });
        };
        for (const bool receives_first : {true, false}) {
            if (receives_first) receive();
            send();
            if (!receives_first) receive();
        }
        channel.close();
        run_to_the_end(context);

        while (channel.try_receive()) ++received;
        EXPECT_EQ(received, sent);
    });
}

TYPED_TEST(RefusedAsio, AWaitForAConditionLocksAgainOrReleasesTheLock) {
    refuse_each_allocation([] {
        net::io_context context;
        AsyncLock lock;
        futon::Condition condition;
        int ended = 0;
        int begun = 0;
        for (int i = 0; i < 2; ++i) {
            lock.lock();
            begun += succeeds([&] {
                futon::asio::async(
                    TypeParam::of(context), condition.waiting(AsyncLock::Guard(lock, std::adopt_lock)), 1h,
                    [&](error_code, futon::Condition::Wakeup wakeup) { ended += wakeup.guard.owns_lock(); });
            });
            EXPECT_TRUE(lock.try_lock());
            lock.unlock();
        }
        EXPECT_TRUE(succeeds([&] { condition.notify_all(); }));
        run_to_the_end(context);

        EXPECT_EQ(ended, begun);
        EXPECT_EQ(waiting_at(condition), 0u);
        EXPECT_TRUE(lock.try_lock());
    });
}

TYPED_TEST(RefusedAsio, ASelectChoosesOnceOrIsNotBegun) {
    refuse_each_allocation([] {
        net::io_context context;
        AsyncLock lock;
        futon::Event event;
        int chosen = 0;
        int begun = 0;
        lock.lock();
        for (int i = 0; i < 2; ++i) {
            begun += succeeds([&] {
                futon::asio::async_select(TypeParam::of(context),
                                          futon::asio::choices(lock.locking(), event.waiting(), futon::timeout(1h)),
                                          [&](error_code, auto) { ++chosen; });
            });
        }
        EXPECT_TRUE(succeeds([&] { lock.unlock(); }));
        EXPECT_TRUE(succeeds([&] { event.set(); }));
        run_to_the_end(context);

        EXPECT_EQ(chosen, begun);
        EXPECT_EQ(waiting_at(lock) + waiting_at(event), 0u);
        EXPECT_TRUE(lock.try_lock());
    });
}

TYPED_TEST(RefusedAsio, AContextThatEndsGivesBackWhatItsWaitsHadGot) {
    refuse_each_allocation([] {
        std::optional<net::io_context> context(std::in_place);
        AsyncLock lock;
        futon::Event event;
        Ends ends;
        int begun = 0;
        lock.lock();
        for (int i = 0; i < 2; ++i) {
            begun += begins(ends, [&](Handler handler) {
                futon::asio::async(TypeParam::of(*context), lock.locking(), 1h, std::move(handler));
            });
        }
        begun += begins(ends, [&](Handler handler) {
            futon::asio::async(TypeParam::of(*context), event.waiting(), 1h, std::move(handler));
        });
        EXPECT_TRUE(succeeds([&] { lock.unlock(); }));

        EXPECT_TRUE(succeeds([&] { context.reset(); }));

        EXPECT_EQ(ends.abandoned, begun);
        EXPECT_EQ(waiting_at(lock) + waiting_at(event), 0u);
        EXPECT_TRUE(lock.try_lock());
    });
}

TYPED_TEST(RefusedAsio, AThreadWakes) {
    refuse_each_allocation([] {
        net::io_context context;
        AsyncLock lock;
        Ends ends;
        lock.lock();
        const int begun = begins(ends, [&](Handler handler) {
            futon::asio::async(TypeParam::of(context), lock.locking(), std::move(handler));
        });
        std::thread([&] { EXPECT_TRUE(succeeds([&] { lock.unlock(); })); }).join();
        run_to_the_end(context);

        EXPECT_EQ(ends.ok, begun);
        EXPECT_TRUE(lock.try_lock());
    });
}

TYPED_TEST(RefusedAsio, APromiseIsForwardedOrItsLoopIsTold) {
    refuse_each_allocation([] {
        net::io_context context;
        futon::EventLoop loop;
        int called = 0;
        auto [made, source] = futon::make_promise<int>();
        auto promise = std::move(made);  // clang captures no structured binding
        const bool is_begun = succeeds([&] {
            futon::asio::async_get(std::move(promise), net::bind_executor(TypeParam::of(context),
                                                                          [&](std::exception_ptr, int) { ++called; }));
        });
        source.fulfil(7);
        const int reported = futon::test::run_to_the_end(loop);
        run_to_the_end(context);

        EXPECT_EQ(called + reported, is_begun ? 1 : 0);
    });
}

#if FUTON_ASIO_VERSION >= 101900
TYPED_TEST(RefusedAsio, ACancellationEndsAWaitThatBegan) {
    for (const Deadline limit : {Deadline(1h), Deadline::never()}) {
        refuse_each_allocation([&] {
            net::io_context context;
            AsyncLock lock;
            Ends ends;
            net::cancellation_signal signal;
            lock.lock();
            const int begun = begins(ends, [&](Handler handler) {
                futon::asio::async(TypeParam::of(context), lock.locking(), limit,
                                   net::bind_cancellation_slot(signal.slot(), std::move(handler)));
            });
            EXPECT_TRUE(succeeds([&] { signal.emit(net::cancellation_type::total); }));
            run_to_the_end(context);

            EXPECT_EQ(ends.others, begun);
            EXPECT_EQ(ends.all(), begun);
            EXPECT_EQ(waiting_at(lock), 0u);
        });
    }
}
#endif

}  // namespace
