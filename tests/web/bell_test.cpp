// SPDX-License-Identifier: MIT
// The word that the engine listens to for a loop, and its cells.
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "web/harness.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::expect;
using futon::test::next_task;
using futon::test::web_loop;

/// Settles once the thread has come to its end; it is to notify `word` after it has changed it.
Promise<void> until_changed(std::atomic<int>& word, int from) {
    while (word == from) co_await futon::wait_async(word, from);
}

FUTON_WEB_TEST(ARingOfAnotherThreadEndsTheListening) {
    static std::atomic<int> ball;
    constexpr int rounds = 500;
    ball = 0;
    std::jthread player([] {
        for (int i = 0; i < rounds; ++i) {
            ball = 2 * i + 1;
            futon::notify(ball);
            while (ball == 2 * i + 1) futon::wait(ball, 2 * i + 1);
        }
    });
    for (int i = 0; i < rounds; ++i) {
        while (ball != 2 * i + 1) co_await futon::wait_async(ball, ball.load());
        ball = 2 * i + 2;
        futon::notify(ball);
    }
    expect(ball == 2 * rounds, "all rounds were played");
}

FUTON_WEB_TEST(AnEarlierDeadlineEndsTheListeningForALaterOne) {
    std::atomic<int> word = 0;
    auto far = futon::wait_async(word, 0, 1h).promise();
    for (int i = 0; i < 20; ++i) expect(co_await futon::wait_async(word, 0, 1ms) == WaitResult::timed_out, "in time");
    expect(!far.is_settled(), "the later one is still to come");
}

FUTON_WEB_TEST(PostsOfAThreadAllRunInTheirOrder) {
    static std::atomic<int> is_over;
    is_over = 0;
    int next = 0;
    bool is_ordered = true;
    std::jthread poster([&] {
        for (int i = 0; i < 5000; ++i) web_loop().post([&, i] { is_ordered = is_ordered && next++ == i; });
        is_over = 1;
        futon::notify(is_over);
    });
    co_await until_changed(is_over, 0);
    while (next < 5000) co_await next_task();

    expect(is_ordered, "in their order");
}

FUTON_WEB_TEST(AThousandLoopsEndWhileAThreadNotifiesTheirWaits) {
    static std::atomic<int> word;
    static std::atomic<int> is_over;
    static std::atomic<bool> is_enough;
    word = is_over = 0;
    is_enough = false;
    std::jthread notifier([] {
        while (!is_enough) futon::notify(word);
        is_over = 1;
        futon::notify(is_over);
    });
    for (int i = 0; i < 1000; ++i) {
        {
            EventLoop loop;
            std::vector<futon::Promise<WaitResult>> waits;
            for (int k = 0; k < 5; ++k) waits.push_back(futon::wait_async(word, 0, 50ms).promise());
            for (int k = 0; k < i % 4; ++k) loop.poll();
        }
        if (i % 8 == 0) co_await next_task();  // what listens on for loops that have ended gives their cells back
    }
    is_enough = true;
    co_await until_changed(is_over, 0);
    expect(futon::notify(word) == 0, "none of their waits is left");
}

FUTON_WEB_TEST(TheTwoHundredAndFiftySeventhLoopIsRefusedAndCellsComeBack) {
    std::size_t most = 0;
    for (int round = 0; round < 2; ++round) {
        // Loops that have ended, in tests before too, give their cells back once the engine has been told, which takes some tasks.
        for (int i = 0; i < 100; ++i) co_await next_task();
        std::vector<std::unique_ptr<EventLoop>> loops;
        bool is_refused = false;
        try {
            while (loops.size() < 1000) loops.push_back(std::make_unique<EventLoop>());
        } catch (const std::system_error& error) {
            is_refused = error.code() == std::errc::resource_unavailable_try_again;
        }
        expect(is_refused, "one is refused");
        // The page has a loop, and so may a thread that has been started by another test.
        expect(loops.size() == 255 || loops.size() == 254, "256 at a time");
        expect(round == 0 || loops.size() == most, "as many once more");
        most = loops.size();
        while (!loops.empty()) loops.pop_back();
    }
}

}  // namespace
