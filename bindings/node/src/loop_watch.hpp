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
/// while there are such threads, and watches the loop of one that it has seen blocked twice.
///
/// Threads  the loop's own.
class LoopWatch {
public:
    explicit LoopWatch(uv_loop_t& loop) noexcept : descriptor_(uv_backend_fd(&loop)) {}
    ~LoopWatch();
    LoopWatch(const LoopWatch&) = delete;
    LoopWatch& operator=(const LoopWatch&) = delete;

    /// While it lives, the waiter is interrupted when something is sent to the loop, and every now and then.
    class Blocked {
    public:
        Blocked(LoopWatch& watch, InterruptibleWaiter& waiter) noexcept;
        ~Blocked();
        Blocked(const Blocked&) = delete;
        Blocked& operator=(const Blocked&) = delete;

        /// False if the system has no thread or descriptor left for the watcher: then the waiter is never interrupted.
        bool is_watched() const noexcept { return is_watched_; }

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

    bool is_armed(bool all) const noexcept { return is_armed_.load() && (all || has_messages_); }

    // The watcher's, under its mutex.
    bool has_messages_ = false;
    std::uint64_t id_ = 0;
    unsigned seen_calls_ = 0;
};

}  // namespace futon::node
