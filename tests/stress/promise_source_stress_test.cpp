// SPDX-License-Identifier: MIT
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include <futon/futon.hpp>
#include <futon/promise_source.hpp>

#include "support/gtest.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using futon::EventLoop;
using futon::make_promise;
using futon::Promise;
using futon::PromiseSource;
using futon::test::TimedRounds;
using futon::test::until;

/// Another thread that settles one source a round, at the same time as this thread does something else.
class SettlingThread {
public:
    /// Begins to settle. Returns once the other thread is about to.
    void start(PromiseSource<int>& source) {
        source_ = &source;
        ++rounds_;
        until([&] { return is_at_it_ == rounds_; });
    }

    /// The source has settled, with or without effect.
    void finish() {
        until([&] { return done_ == rounds_; });
    }

private:
    void work(const std::stop_token& end) {
        for (int round = 1;; ++round) {
            until([&] { return rounds_ >= round || end.stop_requested(); });
            if (end.stop_requested()) return;
            is_at_it_ = round;
            source_->fulfil(round);
            done_ = round;
        }
    }

    PromiseSource<int>* source_ = nullptr;
    std::atomic<int> rounds_{0};
    std::atomic<int> is_at_it_{0};
    std::atomic<int> done_{0};
    std::jthread thread_{[this](const std::stop_token& end) { work(end); }};
};

TEST(PromiseSourceStress, FulfilRacesTheEndOfTheLoop) {
    SettlingThread other;
    TimedRounds race;

    while (race.has_another_round()) {
        std::optional<EventLoop> loop(std::in_place);
        auto [promise, source] = make_promise<int>();
        other.start(source);
        if (race.round() % 3 == 0) loop->poll();
        loop.reset();
        other.finish();
        EXPECT_FALSE(promise.is_settled() && race.round() % 3 != 0);  // only a poll delivers
        EXPECT_TRUE(source.is_settled());
    }
}

TEST(PromiseSourceStress, FulfilRacesTheDroppingOfThePromise) {
    EventLoop loop;
    SettlingThread other;
    TimedRounds race;

    while (race.has_another_round()) {
        auto made = make_promise<int>();
        std::optional<Promise<int>> promise(std::move(made.first));
        other.start(made.second);
        promise.reset();
        other.finish();
        loop.run();
    }
}

TEST(PromiseSourceStress, EachRoundSettlesOnceFromAnotherThread) {
    EventLoop loop;
    SettlingThread other;
    TimedRounds race;

    while (race.has_another_round()) {
        auto [promise, source] = make_promise<int>();
        other.start(source);
        ASSERT_EQ(loop.run_until(promise), race.round());
        other.finish();
    }
}

}  // namespace
