// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <uv.h>
#ifndef _WIN32
#include <poll.h>
#endif
#include <futon/agent.hpp>
#include <futon/core/driver/call_back.hpp>
#include <futon/core/loop/hosted_loop.hpp>

namespace futon::uv {

/// The category of std::system_error for errors of libuv: its codes and texts.
inline const std::error_category& category() noexcept {
    class Category final : public std::error_category {
        const char* name() const noexcept override { return "libuv"; }
        std::string message(int code) const override { return uv_strerror(code); }
    };
    static const Category category;
    return category;
}

namespace internal {

/// The handles in libuv: a message from any thread, a timer, and what is called before and after each poll. libuv frees a handle
/// only in a turn of the loop after closing, so the handles outlive the object that uses them.
class Handles {
public:
    /// What libuv calls, with `user` as the handle's data.
    struct Callbacks {
        uv_async_cb woken;
        uv_timer_cb fired;
        uv_prepare_cb before_poll;
        uv_check_cb after_poll;
    };

    /// Throws  std::system_error if libuv has no room for another handle
    static Handles& open(uv_loop_t& loop, void* user, const Callbacks& callbacks) {
        auto handles = std::make_unique<Handles>();
        if (const int error = uv_async_init(&loop, &handles->async_, callbacks.woken); error != 0)
            throw std::system_error(error, category(), "futon::uv::Loop: uv_async_init");
        uv_timer_init(&loop, &handles->timer_);  // this and the next always succeed
        uv_prepare_init(&loop, &handles->prepare_);
        uv_check_init(&loop, &handles->check_);
        for (uv_handle_t* const each : handles->all()) {
            each->data = user;
            uv_unref(each);  // the message handle counts the waits
        }
        handles->fired_ = callbacks.fired;
        uv_prepare_start(&handles->prepare_, callbacks.before_poll);
        uv_check_start(&handles->check_, callbacks.after_poll);
        return *handles.release();
    }

    /// Any thread.
    void wake() noexcept { uv_async_send(&async_); }

    void set_timer(std::chrono::steady_clock::time_point time) noexcept {
        using std::chrono::milliseconds;
        if (time == std::chrono::steady_clock::time_point::max()) {
            uv_timer_stop(&timer_);
            return;
        }
        // From the current time: the loop's time may be old, because a callback before this one may have taken long.
        uv_update_time(timer_.loop);
        const auto now = std::chrono::steady_clock::now();
        const auto wait = time <= now ? milliseconds::zero() : std::chrono::ceil<milliseconds>(time - now);
        uv_timer_start(&timer_, fired_, static_cast<std::uint64_t>(wait.count()), 0);
    }

    /// futon's jobs run between these two.
    void begin_call() noexcept {
        if (!std::exchange(is_calling_, true)) return;
        std::fputs("futon::uv::Loop: uv_run is not called by a job: libuv forbids it\n", stderr);
        std::abort();
    }
    void end_call() noexcept { is_calling_ = false; }

    void keep_alive(bool is_alive) noexcept { (is_alive ? uv_ref : uv_unref)(handle(async_)); }

#if UV_VERSION_HEX >= 0x012700
    static constexpr bool counts_waits = true;

    /// How long all polls have waited. They are counted from the first call on.
    core::Pace::Time waited() noexcept {
        if (!std::exchange(is_counting_, true)) uv_loop_configure(async_.loop, UV_METRICS_IDLE_TIME);
        return uv_metrics_idle_time(async_.loop);
    }
#else
    static constexpr bool counts_waits = false;
    static core::Pace::Time waited() noexcept {
        return 0;
    }
#endif

    /// Whether the poll that comes next may wait: it finds nothing to do at once.
    bool may_poll_wait() const noexcept {
        if (uv_backend_timeout(async_.loop) == 0) return false;
#ifdef _WIN32
        return true;
#else
        pollfd descriptor{uv_backend_fd(async_.loop), POLLIN, 0};
        return ::poll(&descriptor, 1, 0) == 0;
#endif
    }

    bool is_closing() const noexcept {
        return is_closing_;
    }

    /// Closes all. The loop deletes them in its next turn.
    void close() noexcept {
        is_closing_ = true;
        constexpr uv_close_cb closed = [](uv_handle_t* handle) {
            auto* const handles = static_cast<Handles*>(handle->data);
            if (--handles->open_ == 0) delete handles;
        };
        for (uv_handle_t* const each : all()) {
            each->data = this;
            uv_close(each, closed);
        }
    }

private:
    template <class T>
    static uv_handle_t* handle(T& of) noexcept {
        return reinterpret_cast<uv_handle_t*>(&of);
    }

    std::array<uv_handle_t*, 4> all() noexcept {
        return {handle(async_), handle(timer_), handle(prepare_), handle(check_)};
    }

    uv_async_t async_;
    uv_timer_t timer_;
    uv_prepare_t prepare_;
    uv_check_t check_;
    uv_timer_cb fired_ = nullptr;
    int open_ = 4;
    bool is_calling_ = false;
    bool is_counting_ = false;
    bool is_closing_ = false;
};

/// A futon loop within a libuv loop.
class Hosted final : public core::HostedLoop {
public:
    Hosted(uv_loop_t* loop, CanBlock can_block) : HostedLoop(can_block, "futon::uv::Loop"), handles_(open(loop)) {}
    ~Hosted() override {
        finish();
        handles_.close();
    }

private:
    Handles& open(uv_loop_t* loop) {
        if (loop == nullptr) throw std::invalid_argument("futon::uv::Loop: the uv_loop_t is null");
#ifndef _WIN32
        if (uv_backend_fd(loop) < 0) throw std::invalid_argument("futon::uv::Loop: the uv_loop_t is closed");
#endif
        return Handles::open(*loop, this,
                             {[](uv_async_t* woken) { static_cast<Hosted*>(woken->data)->call(&Hosted::run_ready); },
                              [](uv_timer_t* fired) { static_cast<Hosted*>(fired->data)->call(&Hosted::timer_fired); },
                              [](uv_prepare_t* prepare) { static_cast<Hosted*>(prepare->data)->before_poll(); },
                              [](uv_check_t* check) { static_cast<Hosted*>(check->data)->after_poll(); }});
    }

    /// What was posted is run here, for within the poll callbacks of sockets may come first, and take long.
    void before_poll() noexcept {
        if (!is_wanted()) return;
        Handles& handles = handles_;
        call(&Hosted::run_ready);
        if (Handles::counts_waits && !handles.is_closing())
            pace().before_poll(core::Pace::now(), handles.waited(), handles.may_poll_wait(), has_work());
    }
    void after_poll() noexcept {
        if (pace().is_polling()) pace().after_poll(core::Pace::now(), handles_.waited());
    }
    void note_awake() noexcept {
        if (pace().is_asleep()) pace().wake_up(handles_.waited());
    }

    /// A wait begins, maybe in another callback of libuv's.
    void work_started() noexcept override {
        note_awake();
        HostedLoop::work_started();
    }

    /// This object may be gone afterwards; the handles live until the next turn.
    void call(void (Hosted::*f)()) noexcept {
        note_awake();
        Handles& handles = handles_;
        handles.begin_call();
        (this->*f)();
        handles.end_call();
    }

    void wake() noexcept override {
        handles_.wake();
    }
    void set_timer(std::chrono::steady_clock::time_point time) noexcept override {
        handles_.set_timer(time);
    }
    void keep_alive(bool is_alive) noexcept override {
        handles_.keep_alive(is_alive);
    }

    Handles& handles_;
};

}  // namespace internal

/// A libuv loop as an agent: promises, coroutines, callbacks and timers of its thread run in `uv_run`.
///
///     uv_loop_t* const uv_loop = uv_default_loop();
///     {
///         futon::uv::Loop loop(uv_loop);  // this thread's agent, from here on
///         futon::call_back(lock.locking(), [](futon::AsyncLock::Guard guard) { ... });
///         uv_run(uv_loop, UV_RUN_DEFAULT);
///     }
///     uv_run(uv_loop, UV_RUN_DEFAULT);    // closes the handles
///     uv_loop_close(uv_loop);
///
/// It has one uv_async_t, one uv_timer_t, one uv_prepare_t and one uv_check_t, whatever the number of waits. `uv_run` returns when nothing is left to
/// happen, in libuv and in futon. A job of this thread, a function of `post_at`, a pending wait and a WorkGuard count;
/// unref'd waits and posts of other threads that may still come do not.
///
/// `post`, `post_at`, `post_after`, `keep_running`, `close`, `is_closed`, `has_work` and `set_unhandled_handler` are as
/// in EventLoop.
///
/// Teardown  as EventLoop. It closes its handles with uv_close. libuv releases them in the next turn of the loop; until
///           then `uv_loop_close` returns UV_EBUSY. A callback of libuv may destroy it and, unlike an EventLoop, so may
///           one of its own jobs: its waits end at once then, and the rest once the job has returned
/// Errors    no exception passes through libuv. Exceptions that nothing takes go to the unhandled handler; without one
///           they end the program
/// Threads   only the thread that runs the uv_loop_t, except for `post`, which any thread may call while this lives
/// Requires  the uv_loop_t outlives it, and runs on the thread that made it. No job calls `uv_run`, which libuv
///           forbids: the program ends if jobs would run in it
class Loop : public core::HostedLoopOwner<internal::Hosted> {
public:
    /// Throws  std::invalid_argument if `loop` is null, or closed (not detected on Windows); std::system_error if libuv
    ///         refuses another handle; std::bad_alloc
    explicit Loop(uv_loop_t* loop, CanBlock can_block = CanBlock::no)
        : HostedLoopOwner(new internal::Hosted(loop, can_block)), uv_loop_(loop) {}

    /// The libuv loop that runs this.
    uv_loop_t* uv_loop() const noexcept { return uv_loop_; }

private:
    uv_loop_t* uv_loop_;
};

}  // namespace futon::uv

#include <futon/detail/end.hpp>
