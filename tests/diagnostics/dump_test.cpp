// SPDX-License-Identifier: MIT
#include <csignal>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::Semaphore;
using futon::SharedLock;
using futon::test::until;
using futon::test::until_waiting;

using Dump = futon::test::Reports;

std::string dumped() {
    std::ostringstream out;
    futon::diagnostics::dump(out);
    return out.str();
}

std::string dumped_json() {
    std::ostringstream out;
    futon::diagnostics::dump_json(out);
    return out.str();
}

TEST_F(Dump, ShowsWhoHoldsAndWhoWaits) {
    AsyncLock lock;
    futon::name(lock, "accounts");
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 1);
    EventLoop loop;
    const auto wait = [&]() -> Promise<void> { const AsyncLock::Guard guard = co_await lock.scoped_lock_async(); };
    const Promise<void> promise = wait();

    const std::string text = dumped();

    EXPECT_NE(text.find("AsyncLock \"accounts\""), std::string::npos) << text;
    EXPECT_NE(text.find("held by thread"), std::string::npos) << text;
    EXPECT_NE(text.find("waited for by thread"), std::string::npos) << text;
    EXPECT_NE(text.find("waited for by coroutine"), std::string::npos) << text;
    EXPECT_NE(text.find("dump_test.cpp:"), std::string::npos) << text;
    lock.unlock();
    thread.join();
    loop.run();
    EXPECT_EQ(dumped().find("accounts"), std::string::npos) << dumped();
}

TEST_F(Dump, ShowsReadersAndPermits) {
    SharedLock lock;
    Semaphore permits(5);
    lock.lock_shared();
    permits.acquire(3);

    const std::string text = dumped();

    EXPECT_NE(text.find("SharedLock at"), std::string::npos) << text;
    EXPECT_NE(text.find("(shared)"), std::string::npos) << text;
    EXPECT_NE(text.find("(permits, 3)"), std::string::npos) << text;
    lock.unlock_shared();
    permits.release(3);
    EXPECT_EQ(dumped().find("SharedLock"), std::string::npos);
}

TEST_F(Dump, ANameIsThatOfAllThatLiesInTheObject) {
    struct Account {
        int balance = 0;
        AsyncLock lock;
    } account;
    futon::name(account, "account 7");
    const std::scoped_lock hold(account.lock);

    EXPECT_NE(dumped().find("\"account 7\""), std::string::npos) << dumped();
}

template <class T>
class NamedPrimitive : public futon::test::Reports {};
using Waited = testing::Types<futon::Event, futon::AutoResetEvent>;
TYPED_TEST_SUITE(NamedPrimitive, Waited);

TYPED_TEST(NamedPrimitive, IsShownWhileItIsWaitedForAndForgottenWhenItEnds) {
    {
        TypeParam primitive;
        futon::name(primitive, "for all");
        std::jthread thread([&] { primitive.wait(); });
        until_waiting(primitive, 1);
        EXPECT_NE(dumped().find("\"for all\""), std::string::npos) << dumped();
        primitive.set();
    }
    EXPECT_EQ(dumped_json().find("\"name\":\"for all\""), std::string::npos);
}

TEST_F(Dump, ShowsWhoWaitsAtOtherPrimitives) {
    futon::Latch latch(1);
    futon::Barrier<> barrier(2);
    futon::Channel<int> channel(1);
    AsyncLock lock;
    futon::Condition condition;
    futon::name(latch, "the latch");
    futon::name(barrier, "the barrier");
    futon::name(channel, "the channel");
    futon::name(condition, "the condition");
    bool is_set = false;
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { latch.wait(); });
    threads.emplace_back([&] { barrier.arrive_and_wait(); });
    threads.emplace_back([&] { static_cast<void>(channel.receive()); });
    threads.emplace_back([&] {
        AsyncLock::Guard guard = lock.scoped_lock();
        while (!is_set) static_cast<void>(condition.wait(guard));
    });

    for (const char* const name : {"\"the latch\"", "\"the barrier\"", "\"the channel\"", "\"the condition\""})
        until([&] { return dumped().find(name) != std::string::npos; });

    latch.count_down();
    barrier.arrive_and_wait();
    static_cast<void>(channel.send(1));
    {
        const std::scoped_lock hold(lock);
        is_set = true;
        condition.notify_all();
    }
}

TEST_F(Dump, ShowsAWaiterThatWasMovedAtItsLock) {
    AsyncLock lock;
    futon::Condition condition;
    futon::name(lock, "the lock");
    futon::name(condition, "the condition");
    std::jthread thread([&] {
        AsyncLock::Guard guard = lock.scoped_lock();
        static_cast<void>(condition.wait(guard));
    });
    until_waiting(condition, 1);
    lock.lock();
    condition.notify_all();  // it waits for the lock next

    const std::string text = dumped();
    lock.unlock();

    EXPECT_NE(text.find("AsyncLock \"the lock\""), std::string::npos) << text;
    EXPECT_NE(text.find("waited for by thread"), std::string::npos) << text;
    EXPECT_EQ(text.find("\"the condition\""), std::string::npos) << text;
}

TEST_F(Dump, AnObjectMayBeMadeWithItsName) {
    futon::Named<AsyncLock> ledger("ledger", futon::Fairness::strict);
    const std::scoped_lock hold(ledger);

    EXPECT_NE(dumped().find("AsyncLock \"ledger\""), std::string::npos) << dumped();
}

TEST_F(Dump, ANameIsForgottenWithItsLock) {
    alignas(AsyncLock) std::byte place[sizeof(AsyncLock)];
    auto* lock = new (place) AsyncLock;
    futon::name(*lock, "first");
    lock->~AsyncLock();
    lock = new (place) AsyncLock;
    lock->lock();

    EXPECT_EQ(dumped().find("first"), std::string::npos) << dumped();
    lock->unlock();
    lock->~AsyncLock();
}

TEST_F(Dump, ANameForWhatHasEndedNamesNothing) {
    std::optional<AsyncLock> lock(std::in_place);
    const AsyncLock& ended = *lock;
    lock.reset();
    futon::name(ended, "too late");
    EXPECT_EQ(dumped().find("held by"), std::string::npos) << "nothing is held";
    futon::name(ended, "");
    EXPECT_EQ(dumped().find("too late"), std::string::npos) << "an empty name forgets it";

    futon::name(ended, "too late");
    lock.emplace();  // at the same address
    futon::name(*lock, "in time");
    lock->lock();

    const std::string text = dumped();
    EXPECT_NE(text.find("\"in time\""), std::string::npos) << text;
    EXPECT_EQ(text.find("too late"), std::string::npos) << text;
    lock->unlock();
}

TEST_F(Dump, OfAMillionLocksNothingIsLeft) {
    for (int i = 0; i < 1'000'000; ++i) {
        AsyncLock lock;
        if (i % 10 == 0) {
            futon::name(lock, "one of many");
            lock.lock();
            lock.unlock();
        }
    }

    EXPECT_EQ(dumped_json().find("\"name\":\"one of many\""), std::string::npos);
    EXPECT_LT(dumped_json().size(), 50'000U);
}

TEST_F(Dump, JsonHasCountsAndTimes) {
    AsyncLock lock;
    futon::name(lock, "a \"quoted\" name");
    for (int i = 0; i < 5; ++i) {
        lock.lock();
        lock.unlock();
    }

    const std::string text = dumped_json();

    EXPECT_NE(text.find(R"("name":"a \"quoted\" name")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("acquisitions":5)"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), text.size() - 1) << "on one line";
}

TEST_F(Dump, MetricsAreOfPrometheus) {
    AsyncLock lock;
    futon::name(lock, "accounts");
    lock.lock();
    lock.unlock();
    std::ostringstream out;

    futon::diagnostics::metrics(out);

    EXPECT_NE(out.str().find("futon_acquisitions_total{object=\"accounts\",kind=\"AsyncLock\"} 1\n"), std::string::npos)
        << out.str();
    EXPECT_NE(out.str().find("# TYPE futon_hold_seconds summary\n"), std::string::npos);
    EXPECT_NE(out.str().find("futon_hold_seconds{object=\"accounts\",kind=\"AsyncLock\",quantile=\"0.99\"} "),
              std::string::npos);
}

/// A label has three escapes, and both formats are UTF-8.
TEST_F(Dump, FormatsHoldNamesOfAnyBytes) {
    AsyncLock lock;
    futon::name(lock, "\tcaf\xc3\xa9 \\ \"\xe9\xed\xa0\x80\"\n");
    lock.lock();
    std::ostringstream out;
    futon::diagnostics::metrics(out);
    const std::string json = dumped_json();
    lock.unlock();

    const std::string replaced = "\xef\xbf\xbd", four = replaced + replaced + replaced + replaced;
    EXPECT_NE(out.str().find("{object=\"\tcaf\xc3\xa9 \\\\ \\\"" + four + "\\\"\\n\",kind="), std::string::npos)
        << out.str();
    EXPECT_NE(json.find("\"\\u0009caf\xc3\xa9 \\\\ \\\"" + four + "\\\"\\u000a\""), std::string::npos) << json;
}

TEST_F(Dump, ComesOnASignalAlsoWhileAllAreStuck) {
    const std::string path = testing::TempDir() + "futon_dump_" + std::to_string(getpid());
    futon::diagnostics::on_signal(SIGUSR2, path);
    AsyncLock lock;
    futon::name(lock, "stuck");
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 1);

    std::raise(SIGUSR2);

    std::string text;
    until([&] {
        std::ifstream file(path);
        text.assign(std::istreambuf_iterator<char>(file), {});
        return text.find("waited for by thread") != std::string::npos;
    });
    EXPECT_NE(text.find("\"stuck\""), std::string::npos) << text;
    lock.unlock();
    std::remove(path.c_str());
}

TEST_F(Dump, ASignalThatIsUsedIsRefused) {
    struct sigaction mine {
    }, before{};
    mine.sa_handler = [](int) {};
    sigaction(SIGHUP, &mine, &before);

    try {
        futon::diagnostics::on_signal(SIGHUP);
        ADD_FAILURE() << "taken";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::device_or_resource_busy) << error.what();
    }
    sigaction(SIGHUP, &before, nullptr);
    EXPECT_THROW(futon::diagnostics::on_signal(4711), std::system_error);
    EXPECT_THROW(futon::diagnostics::on_signal(SIGUSR2, "/nowhere/at/all"), std::system_error);
}

}  // namespace
