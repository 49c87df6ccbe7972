// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <QtCore/QEventLoop>
#include <QtCore/QThread>
#include <QtCore/QTimer>

#include <futon/core/driver/call_back.hpp>
#include <futon/futon.hpp>
#include <futon/qt.hpp>

#include "application.hpp"
#include "support/errors.hpp"
#include "support/gtest.hpp"
#include "support/observed_pace.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::qt::Loop;
using futon::test::Application;
using futon::test::Poster;
using futon::test::until_waiting;
using futon::test::waiting_at;

class QtLoop : public testing::Test {
protected:
    Application app;
    Loop loop;
};

TEST_F(QtLoop, ErrorsNameTheClassThatTheProgramMade) {
    const auto arm = [&] { loop.post_after(1ms, [] {}); };
    EXPECT_EQ(futon::test::error_on_another_thread(arm), "futon::qt::Loop::post_after" + futon::test::loop_thread_rule);
}

futon::Promise<void> wait_and_quit(std::atomic<int>& word, Application& app, WaitResult& result) {
    result = co_await futon::wait_async(word, 0);
    app.quit();
}

TEST_F(QtLoop, ResumesACoroutineThatAnotherThreadNotifies) {
    std::atomic<int> word{0};
    WaitResult result = WaitResult::cancelled;

    const auto task = wait_and_quit(word, app, result);
    std::jthread waker([&] {
        until_waiting(word, 1);
        word = 1;
        futon::notify(word);
    });
    app.run();

    EXPECT_EQ(result, WaitResult::ok);
}

// Timers are called before the dispatcher says that it is awake.
TEST_F(QtLoop, ATimerOfQtsFindsThatTheLoopHasToldThatItIsAwake) {
    futon::test::ObservedPace pace(futon::Agent::current().pace());
    bool came_at_once = true;
    int turns = 0;
    Poster poster([&] {
        futon::test::ObservedPace::compute();
        if (++turns < 3) return poster.post();
        QTimer::singleShot(1, &poster, [&] {
            came_at_once = pace.comes_at_once();
            app.quit();
        });
    });
    poster.post();

    app.run();

    EXPECT_FALSE(came_at_once);
}

TEST_F(QtLoop, FiresATimerOnce) {
    int fired = 0;
    const auto begin = std::chrono::steady_clock::now();

    auto timer = loop.post_after(3ms, [&] {
        ++fired;
        app.quit();
    });
    app.run();

    EXPECT_GE(std::chrono::steady_clock::now() - begin, 3ms);
    EXPECT_EQ(fired, 1);
    EXPECT_FALSE(timer.is_pending());
}

TEST_F(QtLoop, ArmsForTheEarliestOfItsTimers) {
    std::string order;
    const auto begin = std::chrono::steady_clock::now();  // one for all, however slowly they are posted

    auto last = loop.post_at(begin + 6ms, [&] {
        order += 'c';
        app.quit();
    });
    auto first = loop.post_at(begin + 1ms, [&] { order += 'a'; });
    auto second = loop.post_at(begin + 3ms, [&] { order += 'b'; });
    app.run();

    EXPECT_EQ(order, "abc");
}

TEST_F(QtLoop, FiresATimerThatIsArmedAfterAnEarlierOneWasCancelled) {
    bool has_fired = false;

    auto cancelled = loop.post_after(1ms, [] { FAIL(); });
    auto timer = loop.post_after(4ms, [&] {
        has_fired = true;
        app.quit();
    });
    cancelled.cancel();
    app.run();

    EXPECT_TRUE(has_fired);
}

TEST_F(QtLoop, RunsItsJobsInAnEventLoopWithinAJob) {
    std::string order;
    std::atomic<int> word{0};
    QEventLoop dialog;
    futon::call_back(futon::waiting(word, 0), [&](WaitResult) {
        order += "woken ";
        dialog.quit();
    });

    loop.post([&] {
        order += "begin ";
        auto timer = loop.post_after(1ms, [&] {
            order += "timer ";
            word = 1;
            futon::notify(word);
        });
        dialog.exec();
        order += "end";
        app.quit();
    });
    app.run();

    EXPECT_EQ(order, "begin timer woken end");
}

TEST_F(QtLoop, IsWokenByAThreadWhileAJobRunsAnEventLoop) {
    bool is_posted = false;
    std::jthread poster;

    loop.post([&] {
        QEventLoop dialog;
        poster = std::jthread([&] {
            loop.post([&] {
                is_posted = true;
                dialog.quit();
            });
        });
        dialog.exec();
        app.quit();
    });
    app.run();

    EXPECT_TRUE(is_posted);
}

TEST_F(QtLoop, LeavesPostedEventsTheirTurnThoughJobsNeverEnd) {
    int jobs = 0;
    std::vector<int> jobs_at_event;
    bool goes_on = true;
    std::function<void()> again = [&] {
        ++jobs;
        if (goes_on) loop.post(again);
    };
    Poster* self = nullptr;
    Poster poster([&] {
        jobs_at_event.push_back(jobs);
        if (jobs_at_event.size() < 10) return self->post();
        goes_on = false;
        app.quit();
    });
    self = &poster;

    loop.post(again);
    poster.post();
    app.run();

    ASSERT_EQ(jobs_at_event.size(), 10u);
    for (std::size_t i = 1; i < jobs_at_event.size(); ++i) EXPECT_LE(jobs_at_event[i] - jobs_at_event[i - 1], 2);
}

TEST_F(QtLoop, LeavesTimersTheirTurnThoughJobsOfSeveralThreadsNeverEnd) {
    std::atomic<bool> goes_on{true};
    std::function<void()> again = [&] {
        if (goes_on) loop.post(again);
    };
    for (int i = 0; i < 3; ++i) loop.post(again);
    std::jthread other([&] {
        while (goes_on) loop.post([] {});
    });
    int fired = 0;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, [&] {
        if (++fired == 5) app.quit();
    });
    timer.start(0);

    app.run();

    EXPECT_EQ(fired, 5);
    goes_on = false;
}

TEST_F(QtLoop, HasOneEventAtATime) {
    class Counter final : public QObject {
    public:
        int events = 0;

    private:
        bool eventFilter(QObject*, QEvent* event) override {
            if (event->type() > QEvent::User) ++events;
            return false;
        }
    } counter;
    QCoreApplication::instance()->installEventFilter(&counter);
    int jobs = 0;
    std::function<void()> again = [&] {
        std::thread([&] { loop.post([] {}); }).join();  // wakes a loop that is asleep
        if (++jobs < 50) return loop.post(again);
        app.quit();
    };

    loop.post(again);
    app.run();

    EXPECT_LE(counter.events, 102);  // no more than one for each batch, and batches are no more than two a job
    QCoreApplication::instance()->removeEventFilter(&counter);
}

TEST_F(QtLoop, RunsAgainAfterTheApplicationWasQuit) {
    std::atomic<int> word{0};
    WaitResult result = WaitResult::cancelled;
    const auto task = wait_and_quit(word, app, result);
    loop.post([&] { app.quit(); });
    app.run();
    ASSERT_EQ(waiting_at(word), 1u);

    word = 1;
    futon::notify(word);
    app.run();

    EXPECT_EQ(result, WaitResult::ok);
}

TEST_F(QtLoop, MayBeClosedWhenTheApplicationIsAboutToQuit) {
    std::atomic<int> word{0};
    futon::call_back(futon::waiting(word, 0), [](WaitResult) { FAIL(); });
    QObject::connect(QCoreApplication::instance(), &QCoreApplication::aboutToQuit, [&] { loop.close(); });

    loop.post([&] { app.quit(); });
    app.run();

    EXPECT_EQ(waiting_at(word), 0u);
    EXPECT_TRUE(loop.is_closed());
}

TEST_F(QtLoop, GivesExceptionsToItsHandler) {
    std::string what;
    loop.set_unhandled_handler([&](std::exception_ptr exception) {
        try {
            std::rethrow_exception(exception);
        } catch (const std::runtime_error& error) {
            what = error.what();
        }
        app.quit();
    });

    loop.post([] { throw std::runtime_error("no paper"); });
    app.run();

    EXPECT_EQ(what, "no paper");
}

}  // namespace
