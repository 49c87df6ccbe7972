// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <futon/core/driver/call_back.hpp>
#include <futon/futon.hpp>
#include <futon/glib.hpp>

#include "main_context.hpp"
#include "support/errors.hpp"
#include "support/gtest.hpp"
#include "support/observed_pace.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::glib::Loop;
using futon::test::MainContext;
using futon::test::until_waiting;
using futon::test::waiting_at;

class GlibLoop : public testing::Test {
protected:
    MainContext context;
    Loop loop{context.get()};
};

TEST_F(GlibLoop, ErrorsNameTheClassThatTheProgramMade) {
    const auto arm = [&] { loop.post_after(1ms, [] {}); };
    EXPECT_EQ(futon::test::error_on_another_thread(arm),
              "futon::glib::Loop::post_after" + futon::test::loop_thread_rule);
}

futon::Promise<void> wait_and_quit(std::atomic<int>& word, MainContext& context, WaitResult& result) {
    result = co_await futon::wait_async(word, 0);
    context.quit();
}

TEST_F(GlibLoop, ResumesACoroutineThatAnotherThreadNotifies) {
    std::atomic<int> word{0};
    WaitResult result = WaitResult::cancelled;

    const auto task = wait_and_quit(word, context, result);
    std::jthread waker([&] {
        until_waiting(word, 1);
        word = 1;
        futon::notify(word);
    });
    context.run();

    EXPECT_EQ(result, WaitResult::ok);
}

// Where it is ready, the loop's own source is not asked.
TEST_F(GlibLoop, AMoreUrgentSourceFindsThatTheLoopHasToldThatItIsAwake) {
    futon::test::ObservedPace pace(futon::Agent::current().pace());
    for (int i = 0; i < 3; ++i) {
        context.attach([] {
            futon::test::ObservedPace::compute();
            return false;
        });
        while (g_main_context_iteration(context.get(), FALSE)) {
        }
    }
    struct Urgent {
        futon::test::ObservedPace& pace;
        MainContext& context;
        bool came_at_once = true;
    } urgent{pace, context};
    GSource* const source = g_timeout_source_new(1);
    g_source_set_priority(source, G_PRIORITY_HIGH);
    g_source_set_callback(
        source,
        [](gpointer data) -> gboolean {
            Urgent& of = *static_cast<Urgent*>(data);
            of.came_at_once = of.pace.comes_at_once();
            of.context.quit();
            return G_SOURCE_REMOVE;
        },
        &urgent, nullptr);
    g_source_attach(source, context.get());

    context.run();

    g_source_unref(source);
    EXPECT_FALSE(urgent.came_at_once);
}

TEST_F(GlibLoop, FiresATimerOnce) {
    int fired = 0;
    const auto begin = std::chrono::steady_clock::now();

    auto timer = loop.post_after(3ms, [&] {
        ++fired;
        context.quit();
    });
    context.run();

    EXPECT_GE(std::chrono::steady_clock::now() - begin, 3ms);
    EXPECT_EQ(fired, 1);
    EXPECT_FALSE(timer.is_pending());
}

TEST_F(GlibLoop, ArmsForTheEarliestOfItsTimers) {
    std::string order;
    const auto begin = std::chrono::steady_clock::now();  // one for all, however slowly they are posted

    auto last = loop.post_at(begin + 4ms, [&] {
        order += 'c';
        context.quit();
    });
    auto first = loop.post_at(begin + 1ms, [&] { order += 'a'; });
    auto second = loop.post_at(begin + 2ms, [&] { order += 'b'; });
    context.run();

    EXPECT_EQ(order, "abc");
}

TEST_F(GlibLoop, RunsItsJobsInAMainLoopWithinAJob) {
    std::string order;
    std::atomic<int> word{0};
    bool is_done = false;
    futon::call_back(futon::waiting(word, 0), [&](WaitResult) {
        order += "woken ";
        is_done = true;
    });

    loop.post([&] {
        order += "begin ";
        auto timer = loop.post_after(1ms, [&] {
            order += "timer ";
            word = 1;
            futon::notify(word);
        });
        context.run_until([&] { return is_done; });
        order += "end";
        context.quit();
    });
    context.run();

    EXPECT_EQ(order, "begin timer woken end");
}

TEST_F(GlibLoop, IsWokenByAThreadWhileAJobRunsTheContext) {
    bool is_posted = false;
    std::jthread poster;

    loop.post([&] {
        poster = std::jthread([&] { loop.post([&] { is_posted = true; }); });
        context.run_until([&] { return is_posted; });
        context.quit();
    });
    context.run();

    EXPECT_TRUE(is_posted);
}

TEST_F(GlibLoop, LeavesOtherSourcesTheirTurnThoughJobsNeverEnd) {
    int jobs = 0;
    std::vector<int> jobs_at_event;
    bool goes_on = true;
    std::function<void()> again = [&] {
        ++jobs;
        if (goes_on) loop.post(again);
    };

    loop.post(again);
    context.attach([&] {
        jobs_at_event.push_back(jobs);
        if (jobs_at_event.size() < 10) return true;
        goes_on = false;
        context.quit();
        return false;
    });
    context.run();

    // One batch for each turn of the others: a job posts one, so a batch is one job.
    ASSERT_EQ(jobs_at_event.size(), 10u);
    for (std::size_t i = 1; i < jobs_at_event.size(); ++i) EXPECT_LE(jobs_at_event[i] - jobs_at_event[i - 1], 2);
    context.run_until([&] { return !loop.has_work(); });
}

TEST_F(GlibLoop, YieldsToSourcesOfAHigherPriority) {
    std::string order;
    loop.set_priority(G_PRIORITY_LOW);

    loop.post([&] {
        order += "job";
        context.quit();
    });
    context.attach([&] {
        order += "event ";
        return order.size() < 12;
    });
    context.run();

    EXPECT_EQ(order, "event event job");
}

TEST_F(GlibLoop, WakesTheContextForAJobThatAnotherSourcePostsWhilePreparing) {
    struct Preparing {
        GSource base;
        Loop* loop;
        MainContext* context;
        bool has_posted;
    };
    GSourceFuncs functions{};
    functions.prepare = [](GSource* source, gint* timeout) -> gboolean {
        auto& self = *reinterpret_cast<Preparing*>(source);
        *timeout = -1;
        if (!std::exchange(self.has_posted, true)) self.loop->post([&self] { self.context->quit(); });
        return FALSE;
    };
    functions.check = [](GSource*) -> gboolean { return FALSE; };
    functions.dispatch = [](GSource*, GSourceFunc, gpointer) -> gboolean { return G_SOURCE_CONTINUE; };
    GSource* source = g_source_new(&functions, sizeof(Preparing));
    reinterpret_cast<Preparing*>(source)->loop = &loop;
    reinterpret_cast<Preparing*>(source)->context = &context;
    g_source_set_priority(source, G_PRIORITY_LOW);  // prepared after the loop's source
    g_source_attach(source, context.get());

    context.run();  // does not sleep for ever

    g_source_destroy(source);
    g_source_unref(source);
}

TEST_F(GlibLoop, RunsAgainAfterItsMainLoopWasQuit) {
    std::atomic<int> word{0};
    WaitResult result = WaitResult::cancelled;
    const auto task = wait_and_quit(word, context, result);
    loop.post([&] { context.quit(); });
    context.run();
    ASSERT_EQ(waiting_at(word), 1u);

    word = 1;
    futon::notify(word);
    context.run();

    EXPECT_EQ(result, WaitResult::ok);
}

TEST_F(GlibLoop, GivesExceptionsToItsHandler) {
    std::string what;
    loop.set_unhandled_handler([&](std::exception_ptr exception) {
        try {
            std::rethrow_exception(exception);
        } catch (const std::runtime_error& error) {
            what = error.what();
        }
        context.quit();
    });

    loop.post([] { throw std::runtime_error("no paper"); });
    context.run();

    EXPECT_EQ(what, "no paper");
}

}  // namespace
