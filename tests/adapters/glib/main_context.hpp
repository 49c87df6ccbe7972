// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <utility>

#include <futon/glib.hpp>

namespace futon::test {

/// A main context of its own, and main loops on it.
class MainContext {
public:
    MainContext() : context_(g_main_context_new()), main_loop_(g_main_loop_new(context_, FALSE)) {}
    MainContext(const MainContext&) = delete;
    MainContext& operator=(const MainContext&) = delete;
    ~MainContext() {
        g_main_loop_unref(main_loop_);
        release();
    }

    GMainContext* get() const noexcept { return context_; }
    void run() { g_main_loop_run(main_loop_); }
    void quit() noexcept { g_main_loop_quit(main_loop_); }
    bool is_running() const noexcept { return g_main_loop_is_running(main_loop_) != FALSE; }

    /// Gives up the reference of the context's maker.
    void release() noexcept {
        if (context_ != nullptr) g_main_context_unref(std::exchange(context_, nullptr));
    }

    /// Runs another main loop on it until `is_done()`, asked after each of its turns.
    void run_until(const std::function<bool()>& is_done) {
        while (!is_done()) g_main_context_iteration(context_, TRUE);
    }

    /// Calls `f()` as an event of GLib's, again and again until it says false.
    void attach(std::function<bool()> f, int priority = G_PRIORITY_DEFAULT) {
        GSource* source = g_idle_source_new();
        g_source_set_priority(source, priority);
        g_source_set_callback(
            source,
            [](gpointer data) -> gboolean { return (*static_cast<std::function<bool()>*>(data))() ? TRUE : FALSE; },
            new std::function<bool()>(std::move(f)),
            [](gpointer data) { delete static_cast<std::function<bool()>*>(data); });
        g_source_attach(source, context_);
        g_source_unref(source);
    }

private:
    GMainContext* context_;
    GMainLoop* main_loop_;
};

}  // namespace futon::test
