// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include <glib.h>
#include <futon/core/loop/hosted_loop.hpp>

namespace futon::glib {

namespace detail {

/// A futon loop, and the source that represents it in a main context.
class HostLoop final : public core::HostedLoop {
public:
    /// Requires  `require_runnable(context)`
    HostLoop(GMainContext* context, int priority)
        : HostedLoop(CanBlock::no, "futon::glib::Loop"), context_(g_main_context_ref(context)) {
        static GSourceFuncs functions{&prepare, &check, &dispatch, nullptr, nullptr, nullptr};
        static GSourceFuncs alarm_functions{&no_prepare, &woke, nullptr, nullptr, nullptr, nullptr};
        alarm_ = new_source(alarm_functions, "futon wake-up", G_MININT);
        source_ = new_source(functions, "futon", priority);
        g_source_set_can_recurse(source_, TRUE);  // a job may run the context: a modal dialog
        g_source_set_callback(source_, nullptr, source_, &on_destroyed);
        g_source_attach(source_, context_);
        g_source_attach(alarm_, context_);
    }
    ~HostLoop() override {
        is_ending_ = true;
        finish();
        for (GSource* source : {source_, alarm_}) {
            // If this runs within a dispatch, the destruction is reported later.
            reinterpret_cast<Source*>(source)->loop = nullptr;
            g_source_destroy(source);
            g_source_unref(source);
        }
        g_main_context_unref(context_);
    }

    static GMainContext* require_runnable(GMainContext* context) {
        if (context == nullptr) throw std::invalid_argument("futon::glib::Loop: the main context is null");
        if (!g_main_context_acquire(context))
            throw std::logic_error("futon::glib::Loop: a loop is made on the thread that runs its main context");
        g_main_context_release(context);
        return context;
    }

    /// The context that runs this loop.
    GMainContext* context() const noexcept { return context_; }
    GSource* source() const noexcept { return source_; }

private:
    using TimePoint = std::chrono::steady_clock::time_point;

    struct Source {
        GSource base;
        HostLoop* loop;
    };

    static constexpr gint64 never = std::numeric_limits<gint64>::max();

    GSource* new_source(GSourceFuncs& functions, const char* name, int priority) noexcept {
        GSource* const source = g_source_new(&functions, sizeof(Source));
        reinterpret_cast<Source*>(source)->loop = this;
        g_source_set_name(source, name);
        g_source_set_priority(source, priority);
        return source;
    }

    void wake() noexcept override {
        if (is_woken_.exchange(true)) return;
        if (!is_home() || may_poll_) g_main_context_wakeup(context_);  // else it calls `prepare` before it polls
    }

    void set_timer(TimePoint time) noexcept override {
        const gint64 before = std::exchange(ready_time_, to_monotonic(time));
        if (may_poll_ && ready_time_ < before) g_main_context_wakeup(context_);
    }

    bool is_home() const noexcept { return std::this_thread::get_id() == home_; }

    static HostLoop& loop_of(GSource* source) noexcept {
        HostLoop& loop = *reinterpret_cast<Source*>(source)->loop;
        if (!loop.is_home()) [[unlikely]]
            g_error("futon::glib::Loop: the main context of a loop is run by the thread that made the loop");
        return loop;
    }

    static gboolean prepare(GSource* source, gint* timeout) noexcept {
        HostLoop& loop = loop_of(source);
        loop.may_poll_ = true;  // first: from here on a post wakes the context
        loop.host_sleeps();     // if a source is ready, for as long as a poll takes that does not wait
        *timeout = -1;
        if (loop.is_woken_) return TRUE;
        if (loop.ready_time_ != never) {
            const gint64 rest = loop.ready_time_ - g_source_get_time(source);
            if (rest <= 0) return TRUE;
            *timeout = static_cast<gint>(std::min<gint64>((rest - 1) / 1000 + 1, G_MAXINT));
        }
        return FALSE;
    }

    static gboolean check(GSource* source) noexcept {
        HostLoop& loop = loop_of(source);
        const bool is_ready = loop.is_woken_ || loop.ready_time_ <= g_source_get_time(source);
        return is_ready || loop.should_look() ? TRUE : FALSE;
    }

    static gboolean no_prepare(GSource*, gint* timeout) noexcept {
        *timeout = -1;
        return FALSE;
    }

    /// The context calls this after its poll, before it calls the checks of all other sources. Those of a lower priority than a
    /// source that is ready are not called: so `check` cannot tell that the poll is over.
    static gboolean woke(GSource* source) noexcept {
        loop_of(source).host_woke();
        return FALSE;
    }

    static gboolean dispatch(GSource* source, GSourceFunc, gpointer) noexcept {
        HostLoop& loop = loop_of(source);
        loop.may_poll_ = false;
        loop.is_woken_.exchange(false);  // from here on a post wakes again
        if (loop.ready_time_ <= g_source_get_time(source)) {
            loop.ready_time_ = never;
            loop.timer_fired();
        } else {
            loop.run_ready();
        }
        return G_SOURCE_CONTINUE;  // even if the loop is gone, and its source with it
    }

    static void on_destroyed(gpointer data) noexcept {
        HostLoop* const host = static_cast<Source*>(data)->loop;
        if (host == nullptr || host->is_ending_) return;
        HostLoop& loop = *host;
        if (!loop.is_home()) [[unlikely]]
            g_error("futon::glib::Loop: the source of a loop is destroyed on the loop's own thread");
        loop.close();
    }

    /// Microseconds of g_get_monotonic_time, which is the steady clock. Rounded up, so that no timer fires early.
    static gint64 to_monotonic(TimePoint time) noexcept {
        if (time == TimePoint::max()) return never;
        if (time == TimePoint::min()) return 0;
        return std::chrono::ceil<std::chrono::microseconds>(time.time_since_epoch()).count();
    }

    GMainContext* const context_;
    GSource* alarm_;
    GSource* source_;
    const std::thread::id home_ = std::this_thread::get_id();
    std::atomic<bool> is_woken_{false};
    gint64 ready_time_ = never;
    bool may_poll_ = true;  // between `prepare` and `dispatch` the context may be asleep, or about to be
    bool is_ending_ = false;
};

}  // namespace detail

/// A GLib main context as an agent: promises, coroutines and timers of its thread run when the context runs.
///
///     futon::glib::Loop loop;  // on the thread that runs the main loop
///     auto task = show(lock);  // a coroutine: co_await lock.scoped_lock_async()
///     g_main_loop_run(main_loop);
///
/// It is one GSource, for wake-ups and timers; another one sees only when the context wakes up. While a job runs the context (a modal dialog, a nested main loop),
/// futon's other jobs go on. Each dispatch runs what was ready when it began, for at most some milliseconds, so other
/// sources of the same priority get their turn.
///
/// Pending waits do not keep a main loop running: it runs until it is quit, and can be run again.
///
/// Threads   only the thread that made it, which alone runs the context meanwhile; `post` from any thread
/// Errors    exceptions of jobs go to the handler of `set_unhandled_handler`, and never through GLib. If there is no
///           handler, or it throws, the program ends as with an exception that leaves a thread
/// Teardown  destroying it ends its waits, and discards posted jobs. One of its own jobs may destroy it; no other job
///           runs then. Context and loop may end in either order: the loop keeps a reference to its context
/// Lifetime  if other code on this thread destroys the source, the loop is closed: its waits leave their queues, and
///           later posts never run
class Loop final : public core::HostedLoopOwner<detail::HostLoop> {
public:
    /// Uses this thread's default context.
    ///
    /// Throws  std::logic_error if another thread is running the context; std::bad_alloc
    Loop() : Loop(DefaultContext().context) {}

    /// Uses a context that this thread runs. A greater number is a lower priority, as everywhere in GLib.
    ///
    /// Throws  std::invalid_argument if the context is null; std::logic_error if another thread is running it;
    ///         std::bad_alloc
    explicit Loop(GMainContext* context, int priority = G_PRIORITY_DEFAULT)
        : HostedLoopOwner(new detail::HostLoop(detail::HostLoop::require_runnable(context), priority)) {}

    /// The context that runs this loop.
    GMainContext* context() const noexcept { return loop().context(); }

    /// The source, for its id and its name. The loop owns it.
    GSource* source() const noexcept { return loop().source(); }

    /// Changes the priority of the source.
    void set_priority(int priority) noexcept { g_source_set_priority(loop().source(), priority); }

    /// Whether the context still runs this loop: false once other code has destroyed the source.
    bool is_attached() const noexcept { return !g_source_is_destroyed(loop().source()); }

private:
    struct DefaultContext {
        DefaultContext() noexcept : context(g_main_context_ref_thread_default()) {}
        DefaultContext(const DefaultContext&) = delete;
        DefaultContext& operator=(const DefaultContext&) = delete;
        ~DefaultContext() { g_main_context_unref(context); }
        GMainContext* const context;
    };
};

}  // namespace futon::glib

#include <futon/detail/end.hpp>
