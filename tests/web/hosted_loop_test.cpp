// SPDX-License-Identifier: MIT
// Loops that the engine's own loop runs.
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "web/harness.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::BlockingForbidden;
using futon::CanBlock;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::expect;
using futon::test::next_task;
using futon::test::web_loop;

template <class F>
bool is_forbidden(F f, const char* advice) {
    try {
        f();
    } catch (const BlockingForbidden& error) {
        return std::string(error.what()).find(advice) != std::string::npos;
    }
    return false;
}

Promise<int> seven() {
    co_return 7;
}

FUTON_WEB_TEST(NothingBlocksOnTheMainThread) {
    std::atomic<int> word = 0;
    AsyncLock lock;

    expect(is_forbidden([&] { futon::wait(word, 0); }, "wait_async"), "wait is forbidden");
    expect(is_forbidden([&] { lock.lock(); }, "lock_async"), "lock is forbidden");
    expect(lock.try_lock(), "the lock is as it was");
    lock.unlock();
    expect(is_forbidden([&] { web_loop().run(); }, "run_then"), "run is forbidden");
    expect(is_forbidden([&] { web_loop().run_until(seven()); }, "run_then"), "run_until is forbidden");
    expect(is_forbidden([] { const EventLoop loop(CanBlock::yes); }, "CanBlock::no"), "a loop that may block is");
    expect(&futon::Agent::current() == &futon::Agent::current() && web_loop().is_started(), "the loop is as it was");
    const futon::Agent agent(CanBlock::yes);
    expect(!futon::Agent::current().can_block(), "an agent cannot allow it");
    expect(is_forbidden([&] { futon::wait(word, 0); }, "wait_async"), "wait is forbidden to that agent");
    co_return;
}

FUTON_WEB_TEST(ALoopIsStartedFromTheBeginning) {
    EventLoop loop;
    expect(loop.is_started(), "it is started");
    loop.start();
    expect(loop.is_started(), "once more changes nothing");
    co_return;
}

FUTON_WEB_TEST(JobsRunInTurnsOfTheEngine) {
    bool has_run = false;
    web_loop().post([&] { has_run = true; });

    expect(!has_run, "not within post");
    for (int i = 0; i < 3 && !has_run; ++i) co_await next_task();

    expect(has_run, "soon");
}

FUTON_WEB_TEST(JobsWithoutEndLetTheEngineRun) {
    bool is_over = false;
    long jobs = 0;
    struct Again {
        bool& is_over;
        long& jobs;
        void operator()() const {
            ++jobs;
            if (!is_over) web_loop().post(*this);
        }
    };
    web_loop().post(Again{is_over, jobs});

    // Each would wait for ever for a turn of the engine that does not come.
    for (int i = 0; i < 5; ++i) co_await next_task();

    is_over = true;
    expect(jobs > 0, "the jobs have run meanwhile");
}

FUTON_WEB_TEST(RunThenReturnsAtOnceAndCallsLater) {
    int got = 0;
    web_loop().run_then(seven(), [&](int value) { got = value; });

    expect(got == 0, "it has returned before");
    for (int i = 0; i < 3 && got == 0; ++i) co_await next_task();

    expect(got == 7, "then it is called");
}

FUTON_WEB_TEST(StopEndsTheTurnsAndStartBeginsThemAgain) {
    std::unique_ptr<EventLoop> loop;
    int ran = 0;
    web_loop().post([&] {  // made in a job of its own: what waits in this one waits on the page's loop
        loop = std::make_unique<EventLoop>();
        loop->post([&] {
            ++ran;
            loop->stop();
        });
        loop->post([&] { ++ran; });
    });
    for (int i = 0; i < 5; ++i) co_await next_task();

    expect(ran == 1, "nothing runs after the job that has stopped it");
    expect(!loop->is_started(), "it is not started");
    expect(loop->poll() && ran == 2, "the page may poll it");
    loop->post([&] { ++ran; });
    loop->start();
    for (int i = 0; i < 5 && ran < 3; ++i) co_await next_task();
    expect(ran == 3, "started again, it runs what was posted");
    loop->stop();
    loop->start();
    loop->post([&] { ++ran; });
    for (int i = 0; i < 5 && ran < 4; ++i) co_await next_task();
    expect(ran == 4, "start forgets a stop");
}

FUTON_WEB_TEST(AnErrorIsReportedAndTheTurnsGoOn) {
    bool has_run = false;
    web_loop().post([] { throw std::runtime_error("expected"); });
    web_loop().post([&] { has_run = true; });

    int errors = 0;
    for (int i = 0; i < 20 && (errors == 0 || !has_run); ++i) {
        co_await next_task();
        errors += futon::test::take_reported_errors();
    }

    expect(errors == 1, "the engine was told");
    expect(has_run, "the next job has run");
}

EM_JS(void, throw_in_javascript, (), { throw new Error('expected'); });

FUTON_WEB_TEST(TheTurnsGoOnAfterAnExceptionOfJavascript) {
    bool has_run = false;
    web_loop().post([] { throw_in_javascript(); });
    web_loop().post([&] { has_run = true; });

    int errors = 0;
    for (int i = 0; i < 20 && (errors == 0 || !has_run); ++i) {
        co_await next_task();
        errors += futon::test::take_reported_errors();
    }
    std::atomic<int> word = 0;
    const WaitResult result = co_await futon::wait_async(word, 0, 1ms);

    expect(errors == 1, "the engine was told");
    expect(has_run, "the next job has run");
    expect(result == WaitResult::timed_out, "and timers fire");
}

FUTON_WEB_TEST(TimersFireInTheirOrderAndNotEarly) {
    std::atomic<int> word = 0;
    const auto begin = std::chrono::steady_clock::now();
    std::string order;
    auto late = futon::wait_async(word, 0, 40ms).promise().then([&](WaitResult) { order += "late"; });
    auto early = futon::wait_async(word, 0, 5ms).promise().then([&](WaitResult) {  // before what the engine listens for
        order += "early ";
        expect(std::chrono::steady_clock::now() - begin >= 5ms, "not before its time");
    });
    co_await late;
    co_await early;

    expect(order == "early late", "in their order");
    expect(std::chrono::steady_clock::now() - begin >= 40ms, "not before its time");
}

}  // namespace
