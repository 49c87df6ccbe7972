// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::Scope;
using futon::settled;
using futon::stop_requested;
using futon::timeout;
using futon::waiting;
using futon::test::TimedRounds;
using futon::test::waiting_at;

/// What children of many scopes select: a lock that threads lock too, a word that they notify, and promises that they fulfil.
class ScopeStress : public testing::Test {
protected:
    /// Has a place in memory that must outlive it: the counter of its scope.
    struct Counted {
        explicit Counted(int& its_count) : count(its_count) { ++count; }
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;
        ~Counted() { --count; }
        int& count;
    };

    Promise<void> child(int& running, unsigned seed, std::stop_token stop) {
        const Counted counted(running);
        std::mt19937 random(seed);
        for (int i = 0; i < 4 && !stop.stop_requested(); ++i) {
            auto [answer, source] = futon::make_promise<int>();
            if (random() % 2 == 0) source.fulfil(i);
            const auto chosen =
                co_await futon::select_async(settled(answer), lock.locking(), waiting(word, 0),
                                             timeout(std::chrono::microseconds(random() % 200)), stop_requested(stop));
            if (chosen.index() == 1) ++acquired;
            if (random() % 64 == 0) throw std::runtime_error("a child fails");
        }
    }

    Promise<void> serve(unsigned seed, std::stop_token stop) {
        int running = 0;
        try {
            co_await futon::with_scope(
                [&](Scope& scope) -> Promise<void> {
                    for (unsigned i = 0; i < 5; ++i)
                        scope.spawn([&, i](std::stop_token token) { return child(running, seed + i, token); });
                    co_await child(running, seed + 9, scope.stop_token());
                },
                stop);
        } catch (const std::runtime_error&) {
            ++failed;
        }
        EXPECT_EQ(running, 0);
        ++joined;
    }

    void disturb() {
        do {  // once at least, however late this thread begins
            const std::scoped_lock hold(lock);
            futon::notify(word, 1);
        } while (!is_over);
    }

    void expect_nothing_was_lost() {
        is_over = true;
        for (std::jthread& thread : threads) thread.join();
        EXPECT_EQ(waiting_at(word) + waiting_at(lock), 0u);
        EXPECT_TRUE(lock.try_lock());
    }

    AsyncLock lock;
    std::atomic<int> word{0};
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> acquired{0};
    std::atomic<int> joined{0};
    std::atomic<int> failed{0};
    std::array<std::jthread, 2> threads{std::jthread([this] { disturb(); }), std::jthread([this] { disturb(); })};
};

TEST_F(ScopeStress, EveryScopeIsJoinedAfterItsChildrenWhateverStopsThem) {
    TimedRounds rounds;
    int begun = 0;
    while (rounds.has_another_round()) {
        EventLoop loop;
        std::stop_source stop;
        std::vector<Promise<void>> all;
        for (unsigned i = 0; i < 4; ++i, ++begun)
            all.push_back(serve(static_cast<unsigned>(17 * begun), stop.get_token()));
        const std::jthread stopper([&] { stop.request_stop(); });
        loop.run_until(futon::all(std::move(all)));
    }

    EXPECT_EQ(joined, begun);
    expect_nothing_was_lost();
}

TEST_F(ScopeStress, ALoopThatEndsDestroysScopesFromTheInside) {
    TimedRounds rounds;
    unsigned begun = 0;
    std::mt19937 random(1);
    while (rounds.has_another_round()) {
        std::optional<EventLoop> loop(std::in_place);
        std::stop_source stop;
        for (unsigned i = 0; i < 4; ++i, ++begun) static_cast<void>(serve(17 * begun, stop.get_token()));
        if (random() % 2 == 0) loop->poll();
        const std::jthread stopper([&] { stop.request_stop(); });
        if (random() % 2 == 0) loop->poll();
        loop.reset();
    }

    EXPECT_LE(joined, static_cast<int>(begun));
    expect_nothing_was_lost();
}

}  // namespace
