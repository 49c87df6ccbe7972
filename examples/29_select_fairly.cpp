// SPDX-License-Identifier: MIT
//
// select, further: fair among the choices that are ready, or in an order; with a default, so that it does not wait; and
// over promises and timers beside locks and words.
//
// Prints:
//     fair:      both queues are served
//     in order:  the urgent one first
//     default:   the loop does something else while the lock is held
//     promise:   timed out, timed out, 42

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <variant>

#include <futon/futon.hpp>

#include "fair_semaphore.hpp"

using namespace std::chrono_literals;

namespace {

// Each semaphore counts the messages in a queue.
constexpr int messages = 1000;

std::array<int, 2> serve(bool in_order) {
    example::FairSemaphore urgent(messages);
    example::FairSemaphore normal(messages);
    std::array<int, 2> served{};
    for (int i = 0; i < messages; ++i) {
        const auto chosen = in_order ? futon::select(futon::in_order, urgent.acquiring(), normal.acquiring())
                                     : futon::select(urgent.acquiring(), normal.acquiring());
        ++served[chosen.index()];
    }
    return served;
}

bool both_are_served() {
    const auto [urgent, normal] = serve(false);
    const bool is_right = urgent > messages / 4 && normal > messages / 4;
    std::printf("fair:      %s\n", is_right ? "both queues are served" : "ONE QUEUE STARVES");
    return is_right;
}

bool the_urgent_one_is_first() {
    const bool is_right = serve(true)[0] == messages;
    std::printf("in order:  %s\n", is_right ? "the urgent one first" : "NOT IN ORDER");
    return is_right;
}

/// A job of a loop may not block, and need not: with a default nothing waits.
bool a_loop_asks_without_waiting() {
    futon::EventLoop loop;
    futon::AsyncLock lock;
    lock.try_lock();
    bool was_ready = true;
    loop.post([&] {
        const auto chosen = futon::select(lock.locking(), futon::timeout(1h), futon::otherwise());
        was_ready = !std::holds_alternative<futon::Otherwise>(chosen);
    });
    loop.run();
    std::printf("default:   %s\n", was_ready ? "WAS READY" : "the loop does something else while the lock is held");
    return !was_ready;
}

/// Waits for an answer, and says each millisecond that it is still waiting. The promise stays what it was when the time-out is
/// chosen.
futon::Promise<int> ask_patiently(const futon::Promise<int>& answer, int& timeouts, futon::PromiseSource<int>& source) {
    while (true) {
        const auto chosen = co_await futon::select_async(futon::settled(answer), futon::timeout(1ms));
        if (const int* value = std::get_if<0>(&chosen)) co_return *value;
        if (++timeouts == 2) source.fulfil(42);
    }
}

bool a_promise_is_chosen() {
    futon::EventLoop loop;
    auto [answer, source] = futon::make_promise<int>();
    int timeouts = 0;
    const int value = loop.run_until(ask_patiently(answer, timeouts, source));
    std::printf("promise:   ");
    for (int i = 0; i < timeouts; ++i) std::printf("timed out, ");
    std::printf("%d\n", value);
    return timeouts == 2 && value == 42 && answer.is_settled();
}

}  // namespace

int main() {
    const bool is_right =
        both_are_served() && the_urgent_one_is_first() && a_loop_asks_without_waiting() && a_promise_is_chosen();
    return is_right ? 0 : 1;
}
