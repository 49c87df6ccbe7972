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

/// A timer of libuv's as a promise.
Promise<void> uv_sleep(uv_loop_t* uv, std::uint64_t milliseconds) {
    using Source = futon::PromiseSource<void>;
    auto [fired, fire] = futon::make_promise<void>();
    auto [closed, close] = futon::make_promise<void>();
    Source* const sources[] = {&fire, &close};
    uv_timer_t timer;
    uv_timer_init(uv, &timer);
    timer.data = const_cast<Source**>(sources);
    uv_timer_start(
        &timer, [](uv_timer_t* t) { static_cast<Source**>(t->data)[0]->fulfil(); }, milliseconds, 0);
    co_await fired;

    // The handle is in this frame until libuv has let go of it.
    uv_close(reinterpret_cast<uv_handle_t*>(&timer),
             [](uv_handle_t* h) { static_cast<Source**>(h->data)[1]->fulfil(); });
    co_await closed;
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
