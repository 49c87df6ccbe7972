// SPDX-License-Identifier: MIT
// What the diagnostics say of a program whose loop is an io_context of Asio. A handler's locks are the thread's that runs it.
#include <atomic>
#include <chrono>
#include <latch>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include <futon/asio.hpp>
#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "diagnostics/reports.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::asio::async_lock;
using futon::asio::error_code;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;
using futon::test::until;
using futon::test::until_waiting;
namespace net = futon::asio::net;

class InAsio : public futon::test::Reports {
protected:
    static std::string dumped() {
        std::ostringstream out;
        futon::diagnostics::dump(out);
        return out.str();
    }

    /// Locks, and calls the function with the guard in a job of the context.
    template <class F>
    void lock_in_context(AsyncLock& lock, F f) {
        async_lock(lock,
                   net::bind_executor(context_, [f = std::move(f)](error_code error, AsyncLock::Guard guard) mutable {
                       EXPECT_FALSE(error);
                       f(std::move(guard));
                   }));
    }

    net::io_context context_;
};

TEST_F(InAsio, TheDumpShowsWhoHoldsAndWhoWaits) {
    AsyncLock lock;
    futon::name(lock, "accounts");
    lock.lock();
    lock_in_context(lock, [](const AsyncLock::Guard&) {
        EXPECT_NE(dumped().find("held by thread"), std::string::npos) << dumped();
    });

    const std::string text = dumped();

    EXPECT_NE(text.find("AsyncLock \"accounts\""), std::string::npos) << text;
    EXPECT_NE(text.find("waited for by a promise or a callback of the loop of thread"), std::string::npos) << text;
    lock.unlock();
    context_.run();
    EXPECT_EQ(dumped().find("accounts"), std::string::npos) << dumped();
}

TEST_F(InAsio, ADeadlockOfAHandlerAndAThread) {
    AsyncLock of_thread, of_handler;
    std::latch both(2);
    std::atomic<int> thrown{0};
    const auto lock_another = [&](AsyncLock& lock) {
        both.arrive_and_wait();
        try {
            const std::scoped_lock inner(lock);
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };
    lock_in_context(of_handler, [&](const AsyncLock::Guard&) { lock_another(of_thread); });
    std::jthread thread([&] {
        const std::scoped_lock hold(of_thread);
        lock_another(of_handler);
    });
    context_.run();
    thread.join();

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(InAsio, ADeadlockOfTwoContexts) {
    net::io_context other;
    AsyncLock first, second;
    std::latch both(2);
    std::atomic<int> thrown{0};
    const auto run = [&](net::io_context& context, AsyncLock& held, AsyncLock& wanted) {
        async_lock(held, net::bind_executor(context, [&](error_code, const AsyncLock::Guard&) {
                       both.arrive_and_wait();
                       try {
                           const std::scoped_lock inner(wanted);
                       } catch (const DeadlockFound&) {
                           ++thrown;
                       }
                   }));
        context.run();
    };
    {
        std::jthread one([&] { run(context_, first, second); });
        std::jthread two([&] { run(other, second, first); });
    }

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
}

TEST_F(InAsio, NoDeadlockIsConcludedOfAHandlerThatWaits) {
    AsyncLock first, second;
    first.lock();
    lock_in_context(second, [&](AsyncLock::Guard guard) {
        lock_in_context(first, [held = std::move(guard)](const AsyncLock::Guard&) {});
    });
    context_.poll();
    std::jthread thread([&] { const std::scoped_lock inner(second); });
    until_waiting(second, 1);

    EXPECT_EQ(count(What::deadlock), 0U) << text();
    first.unlock();
    context_.run();
}

TEST_F(InAsio, OrdersOfLocking) {
    AsyncLock first, second;
    lock_in_context(first, [&](const AsyncLock::Guard&) { const std::scoped_lock inner(second); });
    context_.run();

    std::thread([&] {
        const std::scoped_lock hold(second);
        const std::scoped_lock inner(first);
    }).join();

    EXPECT_EQ(count(What::order), 1U) << text();
}

TEST_F(InAsio, AHoldAndAWaitThatLast) {
    futon::diagnostics::watch({.hold = 5ms, .wait = 5ms});
    AsyncLock lock;
    std::optional<AsyncLock::Guard> kept;
    lock_in_context(lock, [&](AsyncLock::Guard guard) { kept.emplace(std::move(guard)); });
    context_.run();
    lock_in_context(lock, [](const AsyncLock::Guard&) {});

    until([&] { return count(What::long_hold) != 0 && count(What::long_wait) != 0; });

    futon::diagnostics::watch({});
    kept.reset();
    context_.restart();
    context_.run();
}

TEST_F(InAsio, AnOfferThatExpires) {
    futon::diagnostics::watch({.offers = true});
    AsyncLock lock;
    lock.lock();
    lock_in_context(lock, [](const AsyncLock::Guard&) {});

    for (int round = 0; round < 2; ++round) {  // the context does not run
        lock.unlock_fair();
        lock.lock();
    }

    until([&] { return count(What::expired_offer) > 0; });
    EXPECT_NE(text().find("was kept for a waiter of the loop of thread"), std::string::npos) << text();
    lock.unlock();
    context_.run();
}

TEST_F(InAsio, AnAbandonedHold) {
    futon::diagnostics::watch({.abandoned = true});
    AsyncLock lock;
    std::thread([&] {
        lock_in_context(lock, [](AsyncLock::Guard guard) { static_cast<void>(guard.release()); });
        context_.run();
    }).join();

    EXPECT_EQ(count(What::abandoned_hold), 1U) << text();
    lock.unlock();
}

}  // namespace
