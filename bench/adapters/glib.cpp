// SPDX-License-Identifier: MIT
//
// How soon does a GLib main context run a callback of futon's after another thread's notify, beside GLib's own way,
// g_main_context_invoke?

#include <atomic>
#include <latch>
#include <thread>

#include <futon/futon.hpp>
#include <futon/glib.hpp>

#include "notify_to_callback.hpp"

namespace {

std::atomic<int> word{0};
bench::Arrival arrival;

void wait_again() {
    futon::call_back(futon::waiting(word, 0), [](futon::WaitResult) {
        const auto time = bench::Clock::now();
        wait_again();
        arrival.tell(time);
    });
}

}  // namespace

int main() {
    GMainContext* const context = g_main_context_new();
    GMainLoop* const main_loop = g_main_loop_new(context, FALSE);
    std::latch ready(1);
    std::jthread runner([&] {
        // What g_main_context_invoke calls at once in the caller's thread if the context has no owner yet.
        futon::glib::Loop loop(context);
        wait_again();
        loop.post([&] { ready.count_down(); });
        g_main_loop_run(main_loop);
    });
    ready.wait();
    const auto invoked = [](gpointer) -> gboolean {
        arrival.tell();
        return G_SOURCE_REMOVE;
    };
    bench::compare(
        "futon::notify", [] { return arrival.time_of([] { futon::notify(word); }); },  //
        "g_main_context_invoke",
        [&] { return arrival.time_of([&] { g_main_context_invoke(context, invoked, nullptr); }); });
    g_main_loop_quit(main_loop);
    runner.join();
    g_main_loop_unref(main_loop);
    g_main_context_unref(context);
}
