// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::diagnostics::What;

using OrderReports = futon::test::Reports;

void lock_in_order(AsyncLock& first, AsyncLock& second) {
    const std::scoped_lock hold(first);
    const std::scoped_lock inner(second);
}

TEST_F(OrderReports, TwoOrdersAreReportedBeforeTheyHang) {
    AsyncLock accounts, log;
    futon::name(accounts, "accounts");
    futon::name(log, "log");

    std::thread([&] { lock_in_order(accounts, log); }).join();
    std::thread([&] { lock_in_order(log, accounts); }).join();

    ASSERT_EQ(count(What::order), 1U) << text();
    EXPECT_NE(text().find("\"accounts\""), std::string::npos);
    EXPECT_NE(text().find("which has ended, locked"), std::string::npos) << text();
    EXPECT_NE(text().find("order_test.cpp:"), std::string::npos) << text();
    EXPECT_NE(text().find("or lock together with futon::lock_all."), std::string::npos) << text();
}

TEST_F(OrderReports, AnOrderIsReportedOnce) {
    AsyncLock first, second;
    for (int i = 0; i < 3; ++i) {
        std::thread([&] { lock_in_order(first, second); }).join();
        std::thread([&] { lock_in_order(second, first); }).join();
    }

    EXPECT_EQ(count(What::order), 1U) << text();
}

TEST_F(OrderReports, AlsoOfThreeLocks) {
    AsyncLock a, b, c;
    std::thread([&] { lock_in_order(a, b); }).join();
    std::thread([&] { lock_in_order(b, c); }).join();
    EXPECT_EQ(count(What::order), 0U);
    std::thread([&] { lock_in_order(c, a); }).join();

    EXPECT_EQ(count(What::order), 1U) << text();
}

TEST_F(OrderReports, AlsoOfCoroutinesOfOneLoop) {
    EventLoop loop;
    AsyncLock first, second;
    const auto lock_both = [](AsyncLock& one, AsyncLock& other) -> Promise<void> {
        const AsyncLock::Guard hold = co_await one.scoped_lock_async();
        const AsyncLock::Guard inner = co_await other.scoped_lock_async();
    };

    const Promise<void> one = lock_both(first, second);
    loop.run();
    const Promise<void> other = lock_both(second, first);
    loop.run();

    EXPECT_EQ(count(What::order), 1U) << text();
    const std::string all = text();
    const auto number_of = [&](std::size_t at) { return std::atoi(all.c_str() + at + std::strlen("\n  coroutine ")); };
    const std::size_t one_at = all.find("\n  coroutine "), other_at = all.rfind("\n  coroutine ");
    ASSERT_NE(one_at, other_at) << all;
    EXPECT_NE(number_of(one_at), number_of(other_at)) << "one has ended, and the other may have its frame\n" << all;
    EXPECT_NE(all.find(", which has ended, locked"), std::string::npos) << all;
}

TEST_F(OrderReports, NoneOfOneCaller) {
    AsyncLock first, second;
    lock_in_order(first, second);
    lock_in_order(second, first);

    EXPECT_EQ(count(What::order), 0U) << text();
}

TEST_F(OrderReports, NoneWhereAnotherLockKeepsThemApart) {
    AsyncLock gate, first, second;
    std::thread([&] {
        const std::scoped_lock hold(gate);
        lock_in_order(first, second);
    }).join();
    std::thread([&] {
        const std::scoped_lock hold(gate);
        lock_in_order(second, first);
    }).join();

    EXPECT_EQ(count(What::order), 0U) << text();
}

TEST_F(OrderReports, NoneOfATry) {
    AsyncLock first, second;
    std::thread([&] { lock_in_order(first, second); }).join();
    std::thread([&] {
        const std::scoped_lock hold(second);
        if (first.try_lock()) first.unlock();
    }).join();

    EXPECT_EQ(count(What::order), 0U) << text();
}

TEST_F(OrderReports, AnOrderEndsWithItsLock) {
    AsyncLock first;
    for (int i = 0; i < 2; ++i) {
        AsyncLock second;
        std::thread([&] { i == 0 ? lock_in_order(first, second) : lock_in_order(second, first); }).join();
    }

    EXPECT_EQ(count(What::order), 0U) << text();
}

TEST_F(OrderReports, AnOrderEndsWithItsFirstLock) {
    AsyncLock second;
    for (int i = 0; i < 2; ++i) {
        AsyncLock first;
        std::thread([&] { i == 0 ? lock_in_order(first, second) : lock_in_order(second, first); }).join();
    }

    EXPECT_EQ(count(What::order), 0U) << text();
}

}  // namespace
