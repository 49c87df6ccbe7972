// SPDX-License-Identifier: MIT
// A page whose frames compute, beside threads that hold its lock: how long the page waits, in how many of its frames it has the lock,
// and what the threads keep of what they have beside a page that computes as much and asks for nothing. Then a page in a long task.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

#include "measure.hpp"

namespace futon::bench {

namespace {

constexpr int most_threads = 4;

// Milliseconds.
constexpr double alone_for = 700;
constexpr double seen_for = 1000;  // before it is measured
constexpr double measured_for = 2000;
constexpr double stall = 2000;

// clang-format off
EM_JS(void, futon_bench_request_frame, (), { requestAnimationFrame(() => _futon_bench_take_frame()); });
// clang-format on

struct Scene {
    Fairness order;
    int threads;
    double hold;   // milliseconds
    double frame;  // that each frame computes
};

/// Threads that take the lock again and again. To hold it is not to compute: the page's frames are to be late for the lock alone.
class Threads {
public:
    Promise<void> begin(AsyncLock& lock, const Scene& scene) {
        lock_ = &lock;
        scene_ = scene;
        is_over_ = false;
        ended_ = 0;
        ++round_;
        if (round_ == 1)
            for (int i = 0; i < most_threads; ++i) std::thread([this, i] { run(i); }).detach();
        notify(round_);
        acquisitions_ = 0;
        while (acquisitions_ < 2 * scene.threads) co_await wait_async(acquisitions_, acquisitions_.load());
    }
    Promise<void> end() {
        is_over_ = true;
        for (int seen = ended_; seen < most_threads; seen = ended_) co_await wait_async(ended_, seen);
    }
    int acquisitions() const { return acquisitions_; }
    double take_longest_wait() { return longest_wait_.exchange(0); }

private:
    [[noreturn]] void run(int index) {
        for (int last = 0;; ++last) {
            wait(round_, last);
            if (index < scene_.threads) compete();
            ++ended_;
            notify(ended_);
        }
    }
    void compete() {
        std::atomic<int> nothing = 0;
        const std::chrono::duration<double, std::milli> hold(scene_.hold);
        while (!is_over_) {
            const Stopwatch watch;
            const std::scoped_lock held(*lock_);
            longest_wait_ = std::max(longest_wait_.load(), watch.microseconds() / 1000);  // under the lock
            wait(nothing, 0, std::chrono::duration_cast<std::chrono::nanoseconds>(hold));
            if (++acquisitions_ <= 2 * most_threads) notify(acquisitions_);
        }
    }

    AsyncLock* lock_ = nullptr;
    Scene scene_{};
    std::atomic<bool> is_over_ = false;
    std::atomic<int> round_ = 0;
    std::atomic<int> ended_ = 0;
    std::atomic<int> acquisitions_ = 0;
    std::atomic<double> longest_wait_ = 0;  // milliseconds
};

Threads threads;
AsyncLock locks[] = {AsyncLock(Fairness::bounded), AsyncLock(Fairness::strict)};

void compute(double begin, double milliseconds) {
    while (emscripten_get_now() - begin < milliseconds) {
    }
}

/// The page: it asks for the lock in each frame, unless it waits for it.
struct Page {
    Promise<void> run(double milliseconds, double frame_length, AsyncLock* asked_lock) {
        auto [promise, source] = make_promise<void>();
        done = std::move(source);
        lock = asked_lock;
        frame = frame_length;
        frames = most_frames_of_wait = frames_of_wait = 0;
        longest_frame = 0;
        waits.clear();
        begun = emscripten_get_now();
        until = begun + milliseconds;
        futon_bench_request_frame();
        return std::move(promise);
    }
    void take_frame() {
        const double begin = emscripten_get_now();
        if (begin >= until) {
            if (is_waiting) note_wait(begin - std::max(asked, begun));
            return done->fulfil();
        }
        ++frames;
        ++frames_of_wait;
        if (lock != nullptr && !is_waiting) turn = ask(*lock);
        compute(begin, frame);
        longest_frame = std::max(longest_frame, emscripten_get_now() - begin);
        futon_bench_request_frame();
    }
    Promise<void> ask(AsyncLock& asked_lock) {
        is_waiting = true;
        asked = emscripten_get_now();
        frames_of_wait = 1;
        co_await asked_lock.lock_async();
        note_wait(emscripten_get_now() - asked);
        is_waiting = false;
        asked_lock.unlock();
    }
    void note_wait(double milliseconds) {
        waits.push_back(milliseconds);
        most_frames_of_wait = std::max(most_frames_of_wait, frames_of_wait);
    }

    AsyncLock* lock = nullptr;
    double frame = 0;
    int frames = 0;
    int frames_of_wait = 0;  // that have begun, with the one in which it asks
    int most_frames_of_wait = 0;
    double longest_frame = 0;
    double begun = 0;
    double until = 0;
    double asked = 0;
    bool is_waiting = false;
    std::vector<double> waits;
    std::optional<Promise<void>> turn;
    std::optional<PromiseSource<void>> done;
};

Page page;

std::string name_of(const Scene& scene) {
    char text[120];
    std::snprintf(text, sizeof text, "%s, %d %s %g ms, frames of %g ms",
                  scene.order == Fairness::strict ? "strict" : "bounded", scene.threads,
                  scene.threads == 1 ? "thread that holds for" : "threads that hold for", scene.hold, scene.frame);
    return text;
}

/// Acquisitions of the threads in a millisecond, while the page has frames for so long.
Promise<double> rate_beside(double milliseconds, double frame, AsyncLock* lock) {
    threads.take_longest_wait();
    const int before = threads.acquisitions();
    const double begin = emscripten_get_now();
    co_await page.run(milliseconds, frame, lock);
    co_return (threads.acquisitions() - before) / (emscripten_get_now() - begin);
}

Promise<void> measure(Scene scene) {
    AsyncLock& lock = locks[scene.order == Fairness::strict ? 1 : 0];
    co_await threads.begin(lock, scene);
    const double alone = co_await rate_beside(alone_for, scene.frame, nullptr);
    co_await rate_beside(seen_for, scene.frame, &lock);
    const double rate = co_await rate_beside(measured_for, scene.frame, &lock);
    std::vector<double> waits = page.waits;
    std::sort(waits.begin(), waits.end());
    const double longest = waits.empty() ? measured_for : waits.back();
    const double bound = 4 * scene.frame + scene.threads * scene.hold + 20;
    char text[300];
    std::snprintf(
        text, sizeof text,
        "in %.2f of %d frames; waits for %.1f ms at the median, %.1f at most, %d frames (%s %.1f ms); threads keep "
        "%.2f, longest wait %.1f ms; longest frame %.1f ms",
        static_cast<double>(waits.size()) / page.frames, page.frames, waits.empty() ? 0 : median(waits), longest,
        page.most_frames_of_wait, longest <= bound ? "within" : "MORE THAN", bound, rate / alone,
        threads.take_longest_wait(), page.longest_frame);
    say(name_of(scene).c_str(), text);
    co_await threads.end();
    while (page.is_waiting) co_await page.run(0, 0, nullptr);
}

/// The page has frames of 16 ms, then a task that takes two seconds. In one of two it has asked for the lock.
Promise<void> measure_stall(Scene scene) {
    AsyncLock& lock = locks[scene.order == Fairness::strict ? 1 : 0];
    co_await threads.begin(lock, scene);
    double rates[2] = {};
    double longest_waits[2] = {};
    for (const bool asks : {false, true}) {
        co_await page.run(seen_for, scene.frame, asks ? &lock : nullptr);
        while (page.is_waiting) co_await page.run(0, 0, nullptr);
        threads.take_longest_wait();
        const int before = threads.acquisitions();
        if (asks) page.turn = page.ask(lock);
        const double begin = emscripten_get_now();
        compute(begin, stall);
        rates[asks ? 1 : 0] = (threads.acquisitions() - before) / (emscripten_get_now() - begin);
        longest_waits[asks ? 1 : 0] = threads.take_longest_wait();
        while (page.is_waiting) co_await page.run(0, 0, nullptr);
    }
    char text[200];
    std::snprintf(text, sizeof text, "threads keep %.2f, longest wait %.1f ms, where it does not ask %.1f",
                  rates[1] / rates[0], longest_waits[1], longest_waits[0]);
    say((name_of(scene) + ", then a task of 2 s").c_str(), text);
    co_await threads.end();
    while (page.is_waiting) co_await page.run(0, 0, nullptr);
}

}  // namespace

Promise<void> measure_turns() {
    for (const Fairness order : {Fairness::bounded, Fairness::strict})
        for (const double hold : {0.1, 5.})
            for (const int count : {1, most_threads}) {
                for (const double frame : {0., 2., 16., 40., 100.}) {
                    co_await measure({order, count, hold, frame});
                    if (count > 1 && frame == 16) co_await measure_stall({order, count, hold, frame});
                }
            }
}

}  // namespace futon::bench

extern "C" EMSCRIPTEN_KEEPALIVE void futon_bench_take_frame() {
    futon::bench::page.take_frame();
}
