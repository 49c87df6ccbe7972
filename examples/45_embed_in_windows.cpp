// SPDX-License-Identifier: MIT
//
// An event loop in a thread of Windows that has messages. native_handle() is a HANDLE that stays signalled while poll() has
// something to do, timers included. Any wait of the system takes it beside other handles:
// MsgWaitForMultipleObjectsEx here, RegisterWaitForSingleObject for a thread pool.
//
// The HANDLE is the loop's: the program only waits for it, and neither sets nor closes it. What fails in the loop must not
// leave through a window procedure: set_unhandled_handler takes it.
//
// Prints:
//     a worker has notified
//     a message has come
//     a deadline has come

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::WaitResult;

namespace {

constexpr UINT worker_is_done = WM_APP;

/// A window's thread would dispatch it.
void handle(const MSG& message) {
    if (message.message == worker_is_done) std::puts("a message has come");
}

}  // namespace

int main() {
    futon::EventLoop loop;
    const HANDLE ready = loop.native_handle();

    std::atomic<int> word{0};
    std::optional<WaitResult> notified;
    std::optional<WaitResult> late;
    int messages = 0;

    /// Sleeps until there is a message or something to do in the loop, and sees to both.
    const auto turn = [&] {
        const DWORD woken_by = MsgWaitForMultipleObjectsEx(1, &ready, INFINITE, QS_ALLINPUT, MWMO_INPUTAVAILABLE);
        if (woken_by == WAIT_OBJECT_0) loop.poll();
        MSG message;
        while (PeekMessageW(&message, nullptr, 0, 0, PM_REMOVE)) {
            ++messages;
            handle(message);
        }
    };

    futon::wait_async(word, 0).promise().then([&](WaitResult result) { notified = result; });
    std::jthread worker([&] { futon::notify(word); });
    while (!notified) turn();
    worker.join();
    std::puts(*notified == WaitResult::ok ? "a worker has notified" : "it has not");

    const DWORD this_thread = GetCurrentThreadId();
    std::jthread poster([&] { PostThreadMessageW(this_thread, worker_is_done, 0, 0); });
    while (messages == 0) turn();
    poster.join();

    futon::wait_async(word, 0, 5ms).promise().then([&](WaitResult result) { late = result; });
    while (!late) turn();
    std::puts(*late == WaitResult::timed_out ? "a deadline has come" : "it has not");

    return *notified == WaitResult::ok && *late == WaitResult::timed_out ? 0 : 1;
}
