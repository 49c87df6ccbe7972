// SPDX-License-Identifier: MIT
//
// GCancellable and std::stop_token: the button that cancels GIO's operations cancels futon's waits, and a stop token cancels
// GIO's.
//
// Prints:
//     the wait for the lock: cancelled
//     GIO says: Operation was cancelled

#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <futon/futon.hpp>
#include <futon/glib.hpp>

namespace {

/// Waits for a lock that another thread keeps, until the user cancels.
futon::Promise<void> wait_for_lock(futon::AsyncLock& lock, GCancellable* cancellable, bool& was_cancelled,
                                   GMainLoop* main_loop) {
    const futon::glib::CancellableStop stop(cancellable);
    const auto guard = co_await lock.scoped_lock_async(stop.token());
    was_cancelled = !guard.owns_lock();
    g_main_loop_quit(main_loop);
}

/// Reads a file with GIO, in code that is stopped by a token.
std::string read(const char* path, std::stop_token stop) {
    const futon::glib::StopCancellable cancellable(std::move(stop));
    GFile* const file = g_file_new_for_path(path);
    GError* error = nullptr;
    char* text = nullptr;
    g_file_load_contents(file, cancellable.get(), &text, nullptr, nullptr, &error);
    const std::string result = error != nullptr ? error->message : text;
    g_clear_error(&error);
    g_free(text);
    g_object_unref(file);
    return result;
}

}  // namespace

int main() {
    GMainLoop* const main_loop = g_main_loop_new(nullptr, FALSE);
    GCancellable* const cancellable = g_cancellable_new();
    futon::AsyncLock lock;
    const std::scoped_lock hold(lock);  // for good
    bool was_cancelled = false;
    {
        futon::glib::Loop loop;
        loop.post([&] { return wait_for_lock(lock, cancellable, was_cancelled, main_loop); });
        std::jthread button([&] { g_cancellable_cancel(cancellable); });
        g_main_loop_run(main_loop);
    }
    std::printf("the wait for the lock: %s\n", was_cancelled ? "cancelled" : "LOCKED");

    std::stop_source stop;
    stop.request_stop();
    const std::string answer = read("/etc/hostname", stop.get_token());
    std::printf("GIO says: %s\n", answer.c_str());

    g_object_unref(cancellable);
    g_main_loop_unref(main_loop);
    return was_cancelled && answer == "Operation was cancelled" ? 0 : 1;
}
