// SPDX-License-Identifier: MIT
// futon in Asio beside Asio's own ways, in one thread but for the last: the best times of runs by turns. Needs only Asio.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <utility>

#include <asio/experimental/channel.hpp>
#include <asio/experimental/concurrent_channel.hpp>
#include <futon/asio.hpp>
#include <futon/futon.hpp>

#include "notify_to_callback.hpp"

namespace {

namespace net = futon::asio::net;
using futon::asio::error_code;
using Clock = std::chrono::steady_clock;

constexpr int rounds = 50'000;

double seconds(const std::function<void()>& run) {
    const auto begin = Clock::now();
    run();
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

void compare(const char* name, const std::function<void()>& ours, const std::function<void()>& theirs) {
    double own = seconds(ours);
    double other = seconds(theirs);
    for (int run = 0; run < 30; ++run) {
        own = std::min(own, seconds(ours));
        other = std::min(other, seconds(theirs));
    }
    std::printf("%-44s %7.1f ns  %7.1f ns  %5.2fx\n", name, own / rounds * 1e9, other / rounds * 1e9, own / other);
}

template <class Next>
struct Repeat {
    net::io_context& context;
    Next next;
    int left = rounds;
    void go() {
        if (left-- > 0) next(*this);
    }
};

void lock_free() {
    net::io_context context(1);
    futon::AsyncLock lock;
    Repeat repeat{context, [&](auto& self) {
                      futon::asio::async(self.context, lock.locking(), [&](error_code, futon::AsyncLock::Guard guard) {
                          guard.unlock();
                          self.go();
                      });
                  }};
    repeat.go();
    context.run();
}

void post() {
    net::io_context context(1);
    Repeat repeat{context, [](auto& self) { net::post(self.context, [&] { self.go(); }); }};
    repeat.go();
    context.run();
}

net::awaitable<void> lock_contended(futon::AsyncLock& lock) {
    for (int i = 0; i < rounds / 8; ++i) {
        auto guard = co_await futon::asio::async_lock(lock, net::use_awaitable);
        co_await net::post(net::use_awaitable);
    }
}

/// Asio's for one thread at a time, and for many, as a lock is.
using Channel = net::experimental::channel<void(error_code, int)>;
using ConcurrentChannel = net::experimental::concurrent_channel<void(error_code, int)>;

template <class Channel>
net::awaitable<void> channel_contended(Channel& channel) {
    for (int i = 0; i < rounds / 8; ++i) {
        co_await channel.async_send(error_code(), 0, net::use_awaitable);
        co_await net::post(net::use_awaitable);
        channel.try_receive([](error_code, int) {});
    }
}

void contended() {
    net::io_context context(1);
    futon::AsyncLock lock;
    for (int i = 0; i < 8; ++i) net::co_spawn(context, lock_contended(lock), net::detached);
    context.run();
}

template <class Channel>
void contended_channel() {
    net::io_context context(1);
    Channel channel(context, 1);
    for (int i = 0; i < 8; ++i) net::co_spawn(context, channel_contended(channel), net::detached);
    context.run();
}

/// From a call on this thread to the handler on another.
void notified() {
    net::io_context context(1);
    auto work = net::make_work_guard(context);
    std::thread loop([&] { context.run(); });
    bench::Arrival arrival;
    futon::core::Atomic<int> word{0};
    const auto wait = [&] {
        std::atomic<bool> is_queued{false};
        net::post(context, [&] {
            futon::asio::async(context, futon::waiting(word, 0),
                               [&](error_code, futon::WaitResult) { arrival.tell(); });
            is_queued.store(true);
        });
        while (!is_queued.load()) std::this_thread::yield();
    };
    bench::compare(
        "notify to handler",
        [&] {
            wait();
            return arrival.time_of([&] { futon::notify(futon::Word<int>(word)); });
        },
        "asio::post to handler",
        [&] {
            wait();  // that the context has done the same before
            const double time = arrival.time_of([&] { net::post(context, [&] { arrival.tell(); }); });
            arrival.time_of([&] { futon::notify(futon::Word<int>(word)); });
            return time;
        });
    work.reset();
    loop.join();
}

}  // namespace

int main() {
    std::thread second([] {
        static_cast<void>(futon::Event().wait(std::chrono::minutes(1)));
    });  // glibc skips atomics where there is one thread
    second.detach();
    compare("free lock, to a post", lock_free, post);
    compare("8 coroutines, to a channel of many threads", contended, contended_channel<ConcurrentChannel>);
    compare("8 coroutines, to a channel of one thread", contended, contended_channel<Channel>);
    notified();
}
