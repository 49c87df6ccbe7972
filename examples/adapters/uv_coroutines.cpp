// SPDX-License-Identifier: MIT
//
// Coroutines in a libuv program: they wait for locks, channels and deadlines of futon, and for a timer of libuv's, which
// settles a promise. What no coroutine takes goes to the handler: no exception passes through libuv.
//
// Prints:
//     libuv's timer has fired
//     items: 6
//     handler: no paper

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>

#include <futon/uv.hpp>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::Promise;

namespace {

/// A timer of libuv's. A coroutine's frame may end before libuv has let go of the handle: so that is not in the frame.
class UvTimer {
public:
    UvTimer(uv_loop_t* uv, std::uint64_t milliseconds, futon::PromiseSource<void>& fired) : timer_(new uv_timer_t) {
        uv_timer_init(uv, timer_);
        timer_->data = &fired;
        uv_timer_start(
            timer_, [](uv_timer_t* timer) { static_cast<futon::PromiseSource<void>*>(timer->data)->fulfil(); },
            milliseconds, 0);
    }
    UvTimer(const UvTimer&) = delete;
    UvTimer& operator=(const UvTimer&) = delete;
    ~UvTimer() {
        uv_close(reinterpret_cast<uv_handle_t*>(timer_),
                 [](uv_handle_t* handle) { delete reinterpret_cast<uv_timer_t*>(handle); });
    }

private:
    uv_timer_t* const timer_;
};

/// A timer of libuv's as a promise.
Promise<void> uv_sleep(uv_loop_t* uv, std::uint64_t milliseconds) {
    auto [fired, fire] = futon::make_promise<void>();
    const UvTimer timer(uv, milliseconds, fire);
    co_await fired;
}

Promise<int> sum(uv_loop_t* uv, futon::Channel<int>& channel) {
    co_await uv_sleep(uv, 2);
    std::puts("libuv's timer has fired");
    int total = 0;
    while (auto item = co_await channel.receive_async(10s)) total += *item;
    std::printf("items: %d\n", total);
    if (total == 6) throw std::runtime_error("no paper");
    co_return total;
}

}  // namespace

int main() {
    uv_loop_t* const uv = uv_default_loop();
    futon::Channel<int> channel(2);
    int handled = 0;
    {
        futon::uv::Loop loop(uv);
        loop.set_unhandled_handler([&](std::exception_ptr exception) {
            try {
                std::rethrow_exception(exception);
            } catch (const std::exception& error) {
                std::printf("handler: %s\n", error.what());
                ++handled;
            }
        });
        static_cast<void>(sum(uv, channel));
        std::jthread sender([&] {
            for (int i = 1; i <= 3; ++i) static_cast<void>(channel.send(i));
            channel.close();
        });
        uv_run(uv, UV_RUN_DEFAULT);
    }
    uv_run(uv, UV_RUN_DEFAULT);
    return uv_loop_close(uv) == 0 && handled == 1 ? 0 : 1;
}
