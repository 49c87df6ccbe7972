// SPDX-License-Identifier: MIT
//
// 9. How soon does a loop run its callback after another thread's notify, and what does a burst of notifies cost?
//
// Latency: from the notify to the callback on a blocked loop, on another processor. Burst: twenty thousand signals
// without a pause, until the last callback has run, with the number of system calls on both sides.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <latch>
#include <optional>
#include <thread>

#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "harness/system_calls.hpp"
#include "peers/loops.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;

/// A loop on a thread of its own.
template <class Loop>
class Running {
public:
    Running(bench::Callback callback, std::size_t sources) {
        std::latch ready(1);
        thread_ = std::jthread([this, &ready, sources, callback = std::move(callback)] {
            const bench::Pinned there(1);
            loop_.emplace(callback, sources);
            ready.count_down();
            loop_->run();
            loop_.reset();
        });
        ready.wait();
    }
    ~Running() { loop_->stop(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void signal(std::size_t source) { loop_->signal(source); }

private:
    std::optional<Loop> loop_;
    std::jthread thread_;
};

void spin_for(std::chrono::microseconds length) {
    const auto end = Clock::now() + length;
    while (Clock::now() < end) {
    }
}

template <class Loop>
Sample latency(int signals) {
    const bench::Pinned here(0);
    std::atomic<int> received{0};
    Clock::time_point arrival;
    Running<Loop> loop(
        [&] {
            arrival = Clock::now();
            received.fetch_add(1, std::memory_order_release);
        },
        1);
    bench::Histogram latencies;
    for (int i = 0; i < signals; ++i) {
        spin_for(std::chrono::microseconds(60));  // long enough for the loop to block
        const Clock::time_point begin = Clock::now();
        loop.signal(0);
        while (received.load(std::memory_order_acquire) <= i) std::this_thread::yield();
        latencies.add(static_cast<std::uint64_t>(bench::nanoseconds(arrival - begin)));
    }
    Sample sample;
    sample.values["ns"] = latencies.quantile(0.5);
    sample.latencies["latency"] = latencies;
    return sample;
}

template <class Loop>
Sample burst(int signals) {
    const bench::Pinned here(0);
    std::atomic<int> received{0};
    Running<Loop> loop([&] { received.fetch_add(1, std::memory_order_release); }, static_cast<std::size_t>(signals));
    spin_for(std::chrono::microseconds(200));
    const std::uint64_t calls = bench::system_calls();
    Sample sample = bench::time_of(signals, [&] {
        for (int i = 0; i < signals; ++i) loop.signal(static_cast<std::size_t>(i));
        while (received.load(std::memory_order_acquire) < signals)
            std::this_thread::yield();  // not counted as a system call
    });
    sample.values["system_calls"] = static_cast<double>(bench::system_calls() - calls);
    return sample;
}

template <class F>
void for_each_loop(F f) {
    f.template operator()<bench::FutonLoop>("futon, notify", Kind::ours);
    f.template operator()<bench::FutonInEpoll>("futon, notify, embedded in epoll", Kind::ours);
    f.template operator()<bench::FutonPost>("futon, EventLoop::post", Kind::ours);
    f.template operator()<bench::EventfdLoop>("eventfd + epoll", Kind::peer);
    f.template operator()<bench::UvLoop>("uv_async_send", Kind::peer);
    f.template operator()<bench::AsioPost>("asio::post", Kind::peer);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "09_cross_thread_notify");
    const int signals = session.pick(100, 1'000, 3'000);
    for_each_loop([&]<class Loop>(const char* name, Kind kind) {
        session.add({"latency", name, kind}, [=] { return latency<Loop>(signals); });
    });
    session.run(session.pick(2u, 7u, 15u));

    for (const std::size_t size :
         session.pick<std::vector<std::size_t>>({1'000}, {20'000}, {20, 200, 2'000, 20'000, 200'000}))
        for_each_loop([&]<class Loop>(const char* name, Kind kind) {
            session.add({"burst", name, kind, {{"signals", static_cast<double>(size)}}},
                        [=] { return burst<Loop>(static_cast<int>(size)); });
        });
    session.run(session.pick(2u, 11u, 15u));
    return session.finish();
}
