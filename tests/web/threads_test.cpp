// SPDX-License-Identifier: MIT
// The page's loop beside threads that block, and beside a thread that has a hosted loop of its own.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <emscripten/eventloop.h>
#include <emscripten/heap.h>

#include "web/harness.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::CanBlock;
using futon::EventLoop;
using futon::Fairness;
using futon::Promise;
using futon::WaitResult;
using futon::test::expect;
using futon::test::next_task;

Promise<void> until_at_least(std::atomic<int>& word, int least) {
    for (int seen = word; seen < least; seen = word) co_await futon::wait_async(word, seen);
}

Promise<void> contend(Fairness fairness) {
    static std::atomic<int> ended;
    constexpr int threads = 4;
    constexpr int rounds = 2000;
    constexpr int rounds_of_page = 300;
    ended = 0;
    AsyncLock lock(fairness);
    long balance = 0;
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i)
        workers.emplace_back([&] {
            for (int k = 0; k < rounds; ++k) {
                const std::scoped_lock hold(lock);
                ++balance;
            }
            ++ended;
            futon::notify(ended);
        });
    for (int k = 0; k < rounds_of_page; ++k) co_await lock.execute_locked([&] { ++balance; });
    co_await until_at_least(ended, threads);

    expect(balance == threads * rounds + rounds_of_page, "each has had the lock alone");
}

FUTON_WEB_TEST(ThePageAndThreadsShareALock) {
    co_await contend(Fairness::bounded);
}

FUTON_WEB_TEST(ThePageAndThreadsShareAStrictLock) {
    co_await contend(Fairness::strict);
}

void compute(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
    }
}

// Told by its turns alone a page that computes as long may never get the lock.
FUTON_WEB_TEST(APageThatComputesIsServedBesideThreads) {
    constexpr int threads = 2;
    static std::atomic<int> ended;
    static std::atomic<bool> is_over;
    ended = 0;
    is_over = false;
    AsyncLock lock;
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i)
        workers.emplace_back([&] {
            std::atomic<int> nothing = 0;
            while (!is_over) {
                const std::scoped_lock hold(lock);
                futon::wait(nothing, 0, 1ms);
            }
            ++ended;
            futon::notify(ended);
        });
    bool is_served = false;
    for (int i = 0; i < 3; ++i) {
        is_served = false;
        auto turn = lock.execute_locked([&] { is_served = true; });
        while (!is_served) {
            compute(60ms);
            co_await next_task();
        }
        co_await std::move(turn);
    }
    is_over = true;
    co_await until_at_least(ended, threads);

    expect(is_served, "three times");
}

std::atomic<int> ball;

Promise<void> play(int parity, int most) {
    for (int seen = ball; seen < most; seen = ball) {
        if (seen % 2 == parity) {
            ball = seen + 1;
            futon::notify(ball);
        } else {
            co_await futon::wait_async(ball, seen);
        }
    }
}

FUTON_WEB_TEST(AThreadThatStaysInItsEnginesLoopHasAHostedLoopToo) {
    static std::atomic<int> ended;
    ball = ended = 0;
    std::thread([] {
        auto loop = std::make_unique<EventLoop>(CanBlock::yes);
        loop->start();
        EventLoop& started = *loop;
        started.run_then(play(1, 400), [owned = std::move(loop)]() mutable {
            ended = 1;
            futon::notify(ended);
            static_cast<void>(owned.release());  // lives as long as its thread
        });
        emscripten_unwind_to_js_event_loop();
    }).detach();
    co_await play(0, 400);
    co_await until_at_least(ended, 1);

    expect(ball == 400, "all rounds were played");
}

FUTON_WEB_TEST(AWaitGoesOnWhileTheMemoryGrows) {
    static std::atomic<int> word;
    word = 0;
    auto wait = futon::wait_async(word, 0).promise();
    const std::size_t before = emscripten_get_heap_size();
    std::vector<std::unique_ptr<char[]>> blocks;
    while (emscripten_get_heap_size() == before) blocks.push_back(std::make_unique<char[]>(8 << 20));
    std::jthread notifier([] { futon::notify(word); });

    expect(co_await wait == WaitResult::ok, "it is notified");
}

FUTON_WEB_TEST(AFailedAllocationThrows) {
    bool is_thrown = false;
    try {
        const futon::SharedArrayBuffer buffer(std::size_t{1} << 30);
    } catch (const std::bad_alloc&) {
        is_thrown = true;
    }
    expect(is_thrown, "there is not that much memory");
    co_return;
}

}  // namespace
