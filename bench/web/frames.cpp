// SPDX-License-Identifier: MIT
// Frames of a page that takes a strict lock once in each of them, while three threads hold it for 5 ms in turn; and of the same
// page without that.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

#include "measure.hpp"

namespace futon::bench {

namespace {

using namespace std::chrono_literals;

constexpr int threads = 3;
constexpr double seconds = 6;

PromiseSource<double>* next_frame = nullptr;

// clang-format off
EM_JS(int, futon_bench_has_frames, (), { return typeof requestAnimationFrame == 'function' ? 1 : 0; });
EM_JS(void, futon_bench_next_frame, (), { requestAnimationFrame((time) => _futon_bench_frame(time)); });
// clang-format on

/// Milliseconds, when the next frame begins.
Promise<double> frame() {
    auto [promise, source] = make_promise<double>();
    static std::optional<PromiseSource<double>> kept;
    kept = std::move(source);
    next_frame = &*kept;
    futon_bench_next_frame();
    return std::move(promise);
}

struct Frames {
    int count = 0;
    double longest = 0;
    double elapsed = 0;
    double longest_wait = 0;  // milliseconds from the call until the page has the lock
    int turns = 0;
};

Promise<Frames> draw(AsyncLock* lock) {
    Frames frames;
    bool is_waiting = false;
    std::vector<Promise<void>> turns;
    const double begin = co_await frame();
    for (double last = begin; last - begin < seconds * 1000;) {
        if (lock != nullptr && !is_waiting) {
            is_waiting = true;
            turns.push_back(lock->execute_locked([&, asked = Stopwatch()] {
                is_waiting = false;
                ++frames.turns;
                frames.longest_wait = std::max(frames.longest_wait, asked.microseconds() / 1000);
            }));
        }
        const double now = co_await frame();
        ++frames.count;
        frames.longest = std::max(frames.longest, now - last);
        frames.elapsed = now - begin;
        last = now;
    }
    for (Promise<void>& turn : turns) co_await std::move(turn);
    co_return frames;
}

void say_frames(const char* subject, const Frames& frames) {
    char text[200];
    std::snprintf(
        text, sizeof text,
        "%.1f frames a second, the longest %.1f ms; the page has had the lock %d times, at latest after %.1f ms",
        frames.count * 1000 / frames.elapsed, frames.longest, frames.turns, frames.longest_wait);
    say(subject, text);
}

}  // namespace

Promise<void> measure_frames() {
    if (futon_bench_has_frames() == 0) co_return;
    static AsyncLock lock(Fairness::strict);
    static std::atomic<int> ended;
    static std::atomic<bool> is_over;
    ended = 0;
    is_over = false;
    say_frames("a page by itself", co_await draw(nullptr));
    for (int i = 0; i < threads; ++i)
        std::thread([] {
            std::atomic<int> nothing = 0;
            while (!is_over) {
                const std::scoped_lock hold(lock);
                wait(nothing, 0, 5ms);  // to hold it is not to compute: a late frame is not the threads' fault
            }
            ++ended;
            notify(ended);
        }).detach();
    say_frames("beside three threads that hold its lock for 5 ms", co_await draw(&lock));
    is_over = true;
    for (int seen = ended; seen < threads; seen = ended) co_await wait_async(ended, seen);
}

}  // namespace futon::bench

extern "C" EMSCRIPTEN_KEEPALIVE void futon_bench_frame(double time) {
    futon::bench::next_frame->fulfil(time);
}
