// SPDX-License-Identifier: MIT
//
// futon in a GLib main loop: a coroutine waits for a lock that threads hold, beside GLib's own sources. Nothing blocks the loop.
//
// Prints:
//     the workers counted to 4000, beside the loop
//     the loop's own time-out came 3 times

#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <futon/futon.hpp>
#include <futon/glib.hpp>

namespace {

constexpr int workers = 4;
constexpr int goal = 4000;

struct Counter {
    futon::AsyncLock lock;
    futon::Condition changed;
    int count = 0;
};

void work(Counter& counter) {
    for (int i = 0; i < goal / workers; ++i) {
        const std::scoped_lock hold(counter.lock);
        if (++counter.count == goal) counter.changed.notify_all();
    }
}

struct Program {
    GMainLoop* main_loop = g_main_loop_new(nullptr, FALSE);
    Counter counter;
    int ticks = 0;
    bool is_counted = false;

    void quit_if_done() {
        if (is_counted && ticks == 3) g_main_loop_quit(main_loop);
    }
};

futon::Promise<void> wait_for_workers(Program& program) {
    auto guard = co_await program.counter.lock.scoped_lock_async();
    co_await program.counter.changed.wait_async(guard, [&] { return program.counter.count == goal; });
    program.is_counted = true;
    program.quit_if_done();
}

gboolean tick(gpointer data) {
    Program& program = *static_cast<Program*>(data);
    const bool goes_on = ++program.ticks < 3;
    program.quit_if_done();
    return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

}  // namespace

int main() {
    Program program;
    futon::glib::Loop loop;  // this thread's default context
    g_timeout_add(1, &tick, &program);

    loop.post([&] { return wait_for_workers(program); });
    std::vector<std::jthread> threads;
    for (int i = 0; i < workers; ++i) threads.emplace_back([&] { work(program.counter); });
    g_main_loop_run(program.main_loop);
    threads.clear();
    g_main_loop_unref(program.main_loop);

    std::printf("the workers counted to %d, beside the loop\n", program.counter.count);
    std::printf("the loop's own time-out came %d times\n", program.ticks);
    return program.is_counted && program.ticks == 3 ? 0 : 1;
}
