// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

#include <uv.h>

#include "interruptible_waiter.hpp"

namespace futon::node {

/// Wakes a blocked thread each time that something is sent to its loop.
///
/// Node tells a thread that it has to end by a message to its loop, among others; native code gets no other notice. One thread
/// of the process, the watcher, sleeps until a loop whose thread is blocked has got something.
///
/// Most threads are blocked for microseconds. So a blocked thread only says that it is: no more than two stores. The watcher ticks
/// while there are such threads, and watches the loop of one that it has seen blocked twice. That thread also asks by itself from time to
/// time, because not all that it must be told comes with a message: see Environment::sleep_watched.
///
/// Threads  the loop's own.
class LoopWatch {
public:
    explicit LoopWatch(uv_loop_t& loop) noexcept : descriptor_(uv_backend_fd(&loop)) {}
    ~LoopWatch();
    LoopWatch(const LoopWatch&) = delete;
    LoopWatch& operator=(const LoopWatch&) = delete;

    /// While it lives, the waiter is interrupted when the loop begins to be watched, and when something is sent to it from then on.
    class Blocked {
    public:
        Blocked(LoopWatch& watch, InterruptibleWaiter& waiter) noexcept;
        ~Blocked();
        Blocked(const Blocked&) = delete;
        Blocked& operator=(const Blocked&) = delete;

        /// False if the system has no thread or descriptor left for the watcher: then the waiter is never interrupted.
        bool is_watched() const noexcept { return is_watched_; }

        /// Whether the loop is watched by now, and has got something since.
        bool has_begun() const noexcept { return watch_.is_armed_.load(); }
        bool has_messages() const noexcept { return watch_.has_messages_.load(); }

    private:
        LoopWatch& watch_;
        bool is_watched_;
    };

private:
    friend class LoopWatcher;

    static constexpr std::uintptr_t in_use = 1;

    /// Calls `f` with the waiter, if there is one: it is blocked until `f` returns.
    template <class F>
    void with_waiter(F&& f) noexcept;

    const int descriptor_;
    std::atomic<std::uintptr_t> waiter_{0};  // and `in_use`, while the watcher uses it
    std::atomic<unsigned> calls_{0};         // how often the thread has blocked
    std::atomic<bool> is_armed_{false};      // the loop is watched; set by the watcher, cleared by the thread
    std::atomic<bool> has_messages_{false};  // the watcher's

    // The watcher's, under its mutex.
    std::uint64_t id_ = 0;
    unsigned seen_calls_ = 0;
};

}  // namespace futon::node
