// SPDX-License-Identifier: MIT
//
// How soon does a libuv loop run a callback of futon's after another thread's notify, beside libuv's own way, uv_async_send?
//
// By turns, in one run: the sender waits until the loop is surely blocked, signals, and the callback takes the time. Printed
// are the medians, and their ratio as the median over blocks, so that what else the machine does weighs on both.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include <futon/uv.hpp>

#include <futon/futon.hpp>

#include "../harness/median.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using bench::median;

/// What the loop's callbacks tell the sender.
struct Received {
    void tell() {
        time = Clock::now();
        count.fetch_add(1, std::memory_order_release);
    }

    Clock::time_point time;
    std::atomic<int> count{0};
};

/// A uv loop on a thread of its own.
class Running {
public:
    Running() {
        std::latch ready(1);
        thread_ = std::jthread([&] {
            uv_loop_init(&uv_);
            uv_async_init(&uv_, &signal_, [](uv_async_t* s) { static_cast<Received*>(s->data)->tell(); });
            signal_.data = &received;
            {
                futon::uv::Loop loop(&uv_);
                wait_again(0);
                loop_ = &loop;
                ready.count_down();
                uv_run(&uv_, UV_RUN_DEFAULT);
            }
            uv_close(reinterpret_cast<uv_handle_t*>(&signal_), nullptr);
            uv_run(&uv_, UV_RUN_DEFAULT);
            uv_loop_close(&uv_);
        });
        ready.wait();
    }
    ~Running() {
        loop_->post([this] { uv_stop(&uv_); });
    }

    void notify() {
        word_.fetch_add(1);
        futon::notify(word_);
    }
    void send() { uv_async_send(&signal_); }

    Received received;

private:
    void wait_again(int seen) {
        futon::call_back(futon::waiting(word_, seen), [this](futon::WaitResult) {
            received.tell();
            wait_again(word_.load());
        });
    }

    uv_loop_t uv_;
    uv_async_t signal_;
    std::atomic<int> word_{0};
    futon::uv::Loop* loop_ = nullptr;
    std::jthread thread_;
};

template <class Signal>
double latency(Running& loop, int signals, Signal signal) {
    std::vector<double> nanoseconds;
    for (int i = 0; i < signals; ++i) {
        const auto asleep = Clock::now() + std::chrono::microseconds(60);
        while (Clock::now() < asleep) {
        }
        const int before = loop.received.count.load(std::memory_order_acquire);
        const auto begin = Clock::now();
        signal(loop);
        while (loop.received.count.load(std::memory_order_acquire) == before) std::this_thread::yield();
        nanoseconds.push_back(std::chrono::duration<double, std::nano>(loop.received.time - begin).count());
    }
    return median(nanoseconds);
}

}  // namespace

int main(int argc, char** argv) {
    const int blocks = argc > 1 ? std::atoi(argv[1]) : 40;
    Running loop;
    std::vector<double> ours;
    std::vector<double> theirs;
    std::vector<double> ratios;
    for (int i = 0; i < blocks; ++i) {
        ours.push_back(latency(loop, 300, [](Running& l) { l.notify(); }));
        theirs.push_back(latency(loop, 300, [](Running& l) { l.send(); }));
        ratios.push_back(ours.back() / theirs.back());
    }
    std::printf("notify -> callback         %8.0f ns\n", median(ours));
    std::printf("uv_async_send -> callback  %8.0f ns\n", median(theirs));
    std::printf("ratio                      %8.3f\n", median(ratios));
}
