// SPDX-License-Identifier: MIT
// Errors name the function that was called, and what to do.
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::SharedLock;

/// What a call throws.
template <class F>
std::string error_of(F f) {
    try {
        f();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

template <class F>
void expect_error(F f, std::string_view begin, std::string_view cure = "") {
    const std::string text = error_of(f);
    EXPECT_TRUE(text.starts_with(begin)) << text;
    EXPECT_NE(text.find(cure), std::string::npos) << text;
}

TEST(ErrorText, WhatBlocksNamesItselfAndWhatIsAwaitedInItsPlace) {
    const EventLoop loop;
    futon::Event event;
    AsyncLock lock;
    SharedLock shared;
    futon::Guarded<int> guarded;
    futon::Semaphore semaphore(3);
    expect_error([&] { event.wait(); }, "futon::Event::wait: ", "co_await futon::Event::wait_async");
    expect_error([&] { lock.lock(); }, "futon::AsyncLock::lock: ", "co_await futon::AsyncLock::scoped_lock_async");
    expect_error([&] { shared.lock_shared(); },
                 "futon::SharedLock::lock_shared: ", "co_await futon::SharedLock::scoped_lock_shared_async");
    expect_error([&] { (void)guarded.lock(); }, "futon::Guarded::lock: ", "co_await futon::Guarded::lock_async");
    expect_error([&] { guarded.with_lock([](int&) {}); },
                 "futon::Guarded::with_lock: ", "co_await futon::Guarded::with_lock_async");
    expect_error([&] { (void)std::as_const(guarded).with_lock([](int) { return 0; }); }, "futon::Guarded::with_lock: ");
    expect_error([&] { semaphore.acquire(); },
                 "futon::Semaphore::acquire: ", "co_await futon::Semaphore::acquire_async");
    expect_error([&] { (void)semaphore.scoped_acquire(); },
                 "futon::Semaphore::scoped_acquire: ", "co_await futon::Semaphore::scoped_acquire_async");
    expect_error([&] { static_cast<void>(futon::select(event.waiting())); },
                 "futon::select: ", "co_await futon::select_async");
    expect_error([&] { (void)futon::lock_all(lock); }, "futon::lock_all: ", "co_await futon::lock_all_async");
}

TEST(ErrorText, TheNamesOfStdNameThemselves) {
    const EventLoop loop;
    const auto soon = std::chrono::steady_clock::now();
    AsyncLock lock;
    SharedLock shared;
    futon::Semaphore semaphore;
    const auto expect = [](auto f, const std::string& name, const std::string& twin) {
        expect_error(f, "futon::" + name + ": ", "co_await futon::" + twin + " there");
    };
    expect([&] { (void)lock.try_lock_for(1ms); }, "AsyncLock::try_lock_for", "AsyncLock::scoped_lock_async");
    expect([&] { (void)lock.try_lock_until(soon); }, "AsyncLock::try_lock_until", "AsyncLock::scoped_lock_async");
    expect([&] { (void)lock.lock(1ms); }, "AsyncLock::lock", "AsyncLock::scoped_lock_async");
    expect([&] { (void)lock.scoped_lock(); }, "AsyncLock::scoped_lock", "AsyncLock::scoped_lock_async");
    expect([&] { (void)shared.try_lock_for(1ms); }, "SharedLock::try_lock_for", "SharedLock::scoped_lock_async");
    expect([&] { (void)shared.try_lock_shared_for(1ms); }, "SharedLock::try_lock_shared_for",
           "SharedLock::scoped_lock_shared_async");
    expect([&] { (void)shared.try_lock_upgradeable_until(soon); }, "SharedLock::try_lock_upgradeable_until",
           "SharedLock::scoped_lock_upgradeable_async");
    expect([&] { (void)shared.try_upgrade_for(1ms); }, "SharedLock::try_upgrade_for", "SharedLock::upgrade_async");
    expect([&] { (void)semaphore.try_acquire_for(1ms); }, "Semaphore::try_acquire_for", "Semaphore::acquire_async");
    expect([&] { (void)semaphore.try_acquire_until(futon::Deadline(1ms)); }, "Semaphore::try_acquire_until",
           "Semaphore::acquire_async");
}

TEST(ErrorText, WhatRunsLaterNamesItselfWithoutAnExecutor) {
    AsyncLock lock;
    SharedLock shared;
    futon::Guarded<int> guarded;
    futon::Once once;
    const auto nothing = [] {};
    expect_error([&] { (void)lock.execute_locked(nothing); }, "futon::AsyncLock::execute_locked: ");
    expect_error([&] { (void)shared.execute_locked_shared(nothing); }, "futon::SharedLock::execute_locked_shared: ");
    expect_error([&] { (void)guarded.with_lock_async([](int&) {}); }, "futon::Guarded::with_lock_async: ");
    expect_error([&] { (void)once.call_async(nothing); }, "futon::Once::call_async: ");
    expect_error([&] { (void)futon::sleep_for(1ms); }, "futon::sleep_for: ");
    expect_error([&] { (void)futon::sleep_until(futon::Deadline(1ms)); }, "futon::sleep_until: ");
    expect_error([&] { const futon::Scope scope; }, "futon::Scope: ");
}

TEST(ErrorText, ASleepWithoutTimersNamesItself) {
    futon::test::QueueExecutor queue;
    const futon::Agent agent(queue);
    std::string text;
    const auto sleep = [&]() -> futon::Promise<void> {
        try {
            (void)co_await futon::sleep_for(1h);
        } catch (const futon::NoExecutor& error) {
            text = error.what();
        }
    };
    const auto sleeping = sleep();
    queue.run_all();

    EXPECT_TRUE(text.starts_with("futon::sleep_for: ")) << text;
}

TEST(ErrorText, WhatIsAwaitedNamesWhatItNeeds) {
    futon::Event event;
    auto wait = event.wait_async();
    expect_error([&] { (void)wait.await_ready(); }, "futon::Event::wait: ", "make a futon::EventLoop on it first");
    futon::test::QueueExecutor queue;
    const futon::Agent agent(queue);
    auto limited = event.wait_async(1ms);
    expect_error([&] { (void)limited.await_ready(); }, "futon::Event::wait: ", "use a futon::EventLoop");
}

TEST(ErrorText, MisuseNamesTheFunctionThatWasCalled) {
    SharedLock shared;
    expect_error([&] { (void)shared.try_upgrade(); }, "futon::SharedLock::try_upgrade: ");
    expect_error([&] { shared.upgrade(); }, "futon::SharedLock::upgrade: ");
    SharedLock::UpgradeableGuard nothing(futon::WaitResult::timed_out);
    expect_error([&] { (void)nothing.try_upgrade(); }, "futon::SharedLock: try_upgrade of a guard");
    AsyncLock lock;
    auto all = futon::lock_all(lock);
    all.unlock();
    expect_error([&] { all.unlock(); }, "futon::MultiGuard::unlock: ");
    futon::Guarded<int> guarded;
    auto access = guarded.lock();
    access.unlock();
    expect_error([&] { access.unlock(); }, "futon::Guarded: ");
    expect_error([&] { access.unlock_fair(); }, "futon::Guarded: ");
    futon::Barrier<> barrier(3);
    expect_error([&] { (void)barrier.arrive(0); }, "futon::Barrier::arrive: no arrival is to be counted");
    expect_error([&] { (void)barrier.arrive(4); }, "futon::Barrier: more arrivals than the phase lacks");
    futon::Semaphore semaphore;
    expect_error([&] { (void)semaphore.scoped_acquire(0); }, "futon::Semaphore::scoped_acquire: ");
}

TEST(ErrorText, AnItemThatIsNotThereSaysWhy) {
    using futon::ChannelResult;
    futon::Channel<int> channel(1);
    auto none = channel.try_receive();
    expect_error([&] { (void)none.value(); }, "futon::Channel: ", "a try would have had to wait");
    expect_error([&] { (void)*none; }, "futon::Channel: ", "a try would have had to wait");
    auto late = channel.receive(0ms);
    expect_error([&] { (void)late.value(); }, "futon::Channel: ", "the deadline came first");
    channel.close();
    try {
        (void)channel.receive().value();
        FAIL() << "there is no item";
    } catch (const std::bad_optional_access& error) {
        const auto* none_left = dynamic_cast<const futon::NoItem*>(&error);
        ASSERT_NE(none_left, nullptr);
        EXPECT_EQ(none_left->result(), ChannelResult::closed);
        EXPECT_NE(std::string_view(error.what()).find("the channel is closed"), std::string_view::npos);
    }
    futon::SendResult<int> sent;
    expect_error([&] { (void)sent.item(); }, "futon::Channel: ", "it was sent");
}

TEST(ErrorText, ChannelResultsHaveNames) {
    using futon::ChannelResult;
    using futon::to_string;
    static_assert(to_string(ChannelResult::ok) == "ok" && to_string(ChannelResult::closed) == "closed");
    static_assert(to_string(ChannelResult::timed_out) == "timed-out");
    static_assert(to_string(ChannelResult::cancelled) == "cancelled");
    static_assert(to_string(ChannelResult::would_block) == "would-block");
    futon::Channel<std::string> channel(1);
    EXPECT_EQ(channel.try_receive().value_or("none"), "none");
    EXPECT_TRUE(channel.try_send("item"));
    const auto item = channel.try_receive();
    EXPECT_EQ(item.value_or("none"), "item");
}

}  // namespace
