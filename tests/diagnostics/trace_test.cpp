// SPDX-License-Identifier: MIT
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

#include <unistd.h>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::test::until_waiting;

using Trace = futon::test::Reports;

std::string traced() {
    const std::string path = testing::TempDir() + "futon_trace_" + std::to_string(getpid());
    futon::diagnostics::write_trace(path);
    std::ifstream file(path);
    std::string text(std::istreambuf_iterator<char>(file), {});
    std::remove(path.c_str());
    return text;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST_F(Trace, HasWaitsHoldsAndArrows) {
    futon::diagnostics::trace(1000);
    AsyncLock lock;
    futon::name(lock, "accounts");
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 1);
    lock.unlock();
    thread.join();

    const std::string text = traced();

    EXPECT_EQ(count_of(text, R"("cat":"held","name":"accounts")"), 2U) << text;
    EXPECT_EQ(count_of(text, R"("cat":"waiting","name":"accounts")"), 1U) << text;
    EXPECT_EQ(count_of(text, R"("ph":"s")"), 1U) << text;
    EXPECT_EQ(count_of(text, R"("ph":"f")"), 1U) << text;
    EXPECT_EQ(count_of(text, R"("lost":0)"), 1U) << text;
}

TEST_F(Trace, HasRowsForLoopsAndCoroutines) {
    futon::diagnostics::trace(1000);
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    const auto wait = [&]() -> Promise<void> { const AsyncLock::Guard guard = co_await lock.scoped_lock_async(); };
    const Promise<void> promise = wait();
    lock.unlock();
    loop.run();

    const std::string text = traced();

    EXPECT_EQ(count_of(text, R"("kind":"loop")"), 1U) << text;
    EXPECT_EQ(count_of(text, R"("kind":"task")"), 1U) << text;
    EXPECT_GE(count_of(text, R"("cat":"job")"), 1U) << text;
}

TEST_F(Trace, HasWhatGoesOnNow) {
    AsyncLock before;
    futon::name(before, "from before");
    before.lock();
    futon::diagnostics::trace(1000);
    AsyncLock lock;
    futon::name(lock, "accounts");
    lock.lock();
    std::jthread thread([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 1);

    const std::string text = traced();
    futon::diagnostics::trace(0);
    const std::string after_its_end = traced();
    lock.unlock();
    before.unlock();

    EXPECT_EQ(count_of(text, R"("cat":"held","name":"from before")"), 1U) << text;
    EXPECT_EQ(count_of(text, R"("cat":"held","name":"accounts")"), 1U) << text;
    EXPECT_EQ(count_of(text, R"("cat":"waiting","name":"accounts")"), 1U) << text;
    EXPECT_EQ(count_of(text, R"("answer":"goes on")"), 1U) << text;
    EXPECT_EQ(count_of(after_its_end, R"("cat":"held")"), 0U) << after_its_end;
}

TEST_F(Trace, CountsWhatDoesNotFit) {
    futon::diagnostics::trace(10);
    AsyncLock lock;
    for (int i = 0; i < 15; ++i) {
        lock.lock();
        lock.unlock();
    }

    EXPECT_NE(traced().find(R"("lost":5)"), std::string::npos);
}

TEST_F(Trace, ThePageHasItAndNothingInItEndsTheScript) {
    futon::diagnostics::trace(10);
    AsyncLock lock;
    futon::name(lock, "</script><b>\"bold\"");
    lock.lock();
    lock.unlock();
    const std::string path = testing::TempDir() + "futon_page_" + std::to_string(getpid());
    futon::diagnostics::write_timeline(path);
    std::ifstream file(path);
    const std::string page(std::istreambuf_iterator<char>(file), {});
    std::remove(path.c_str());

    EXPECT_NE(page.find(R"(\u003c/script>\u003cb>\"bold\")"), std::string::npos);
    EXPECT_EQ(page.find("</script><b>"), std::string::npos);
    EXPECT_NE(page.find("</html>"), std::string::npos);
}

TEST_F(Trace, AFileThatCannotBeWrittenIsSaidAndNothingIsLost) {
    futon::diagnostics::trace(100);
    AsyncLock lock;
    futon::name(lock, "kept");
    lock.lock();
    lock.unlock();

    for (const char* const path : {"/nowhere/at/all", "/dev/full"}) {
        EXPECT_THROW(futon::diagnostics::write_trace(path), std::system_error) << path;
        EXPECT_THROW(futon::diagnostics::write_timeline(path), std::system_error) << path;
    }
    EXPECT_EQ(count_of(traced(), R"("cat":"held","name":"kept")"), 1U);
}

}  // namespace
