// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <uv.h>

#include <futon/deadline.hpp>
#include <futon/wait_result.hpp>

#include "agent/timer_wheel.hpp"
#include "core/blocked_waiter.hpp"
#include "mailbox.hpp"
#include "napi.hpp"
#include "pending_wait.hpp"

namespace futon::node {

/// What a thread of JavaScript is to futon: its pending waits, the way its loop is woken, and its blocking.
///
/// A wait that is delivered by a call of its own thread is settled before that call returns. One that another thread
/// delivers arrives in a queue, whose first arrival wakes the loop; what has arrived by then is settled in one callback.
///
/// Teardown  the waits leave their lines, and are not counted from then on. What another thread is just delivering is
///           waited for: that is certain, and soon.
/// Threads   its own, but for `deliver`.
class Environment {
public:
    /// Opens the environment of the calling thread; it closes itself when Node ends it. `mailbox` is set to the buffer,
    /// which JavaScript must keep; `modules` is the number of the running Node. Returns null, with a pending exception, if Node refuses.
    static Environment* open(napi_env env, std::int32_t thread_id, std::int32_t modules, napi_value* mailbox) noexcept;

    Mailbox& mailbox() noexcept { return *mailbox_; }
    std::int32_t thread_id() const noexcept { return thread_id_; }
    bool has_engine_promises() const noexcept { return has_engine_promises_; }

    /// What JavaScript calls for what has arrived, and what it does nothing in, so that V8 can say whether it may run.
    void set_callbacks(napi_value settle, napi_value nothing) noexcept;

    /// A wait that is in nobody's line yet, in the slot that the mailbox names; `is_light` where JavaScript keeps the
    /// promise's functions and there is a light one. Throws bad_alloc.
    PendingWait& begin_wait(bool is_light);

    /// The wait has not joined.
    void give_back(PendingWait& wait) noexcept;

    /// The wait has joined: from here on it keeps the process alive, and its deadline is watched.
    void joined(PendingWait& wait) noexcept;

    /// Takes a wait out of its line for good. Returns false if it was delivered: then it is settled soon, by the delivery
    /// or, where a lock was taken by another meanwhile, as cancelled.
    bool cancel(std::uint32_t slot) noexcept;

    void set_work(std::uint32_t slot, bool is_work) noexcept;
    PendingWait& wait_at(std::uint32_t slot) noexcept { return chunks_[slot / chunk_size][slot % chunk_size]; }

    /// Writes the next waits that are over to the mailbox's batch. They keep their slots, and the process alive, until the
    /// next call or the loop's next turn: JavaScript has settled them by then.
    void take_settled() noexcept;

    /// The deadline of a wait has come.
    void time_out(PendingWait& wait) noexcept;

    /// A waiter's delivery. Any thread.
    void deliver(PendingWait& wait) noexcept;

    /// While it lives, what this thread delivers to itself is settled by the call that it is in.
    class Call {
    public:
        explicit Call(Environment& environment) noexcept : environment_(environment) { environment.is_in_call_ = true; }
        ~Call() {
            environment_.is_in_call_ = false;
            if (!environment_.settled_.is_empty()) environment_.offer_settled();
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

    private:
        Environment& environment_;
    };

    enum class Wake { delivered, due, ended };

    /// Blocks this thread until the waiter is delivered, its deadline has come, or Node ends the thread. It stays in
    /// line all the while: unless delivered, the caller must take it out.
    Wake block(core::BlockedWaiter& waiter, Deadline deadline) noexcept;

private:
    // A slot's address never changes.
    static constexpr std::size_t chunk_size = 256;
    static_assert(chunk_size == PendingWait::light_slots);

    /// Waits, linked by what links them in lines otherwise.
    class Chain {
    public:
        bool is_empty() const noexcept { return first_ == nullptr; }
        void push_back(PendingWait& wait) noexcept;
        void push_front(PendingWait& wait) noexcept;
        PendingWait& front() noexcept { return *first_; }
        PendingWait& pop_front() noexcept;

    private:
        PendingWait* first_ = nullptr;
        PendingWait* last_ = nullptr;
    };

    Environment(napi_env env, std::int32_t thread_id, Mailbox& mailbox, uv_loop_t& loop) noexcept;
    ~Environment() = default;

    void add_chunk();
    void release(PendingWait& wait) noexcept;
    void release_taken() noexcept;

    /// Tells JavaScript which slots come next: so it holds what settles a wait before that joins.
    void offer_slots() noexcept;

    /// Has the call that JavaScript is in settle what is over; unless it is about to settle other waits: then after them.
    void offer_settled() noexcept;

    /// Moves what has arrived from other threads to `settled_`.
    void collect_arrivals() noexcept;

    /// Whether a delivered wait is over. A wait for a lock that another was quicker to take stands in line again.
    bool is_over(PendingWait& wait, WaitResult& result) noexcept;

    void begin_work(PendingWait& wait) noexcept;
    void end_work(PendingWait& wait) noexcept;
    void arm(PendingWait& wait) noexcept;
    void disarm(PendingWait& wait) noexcept;
    void arm_loop_timer() noexcept;
    bool may_run_javascript() noexcept;
    void settle_in_callback() noexcept;

    std::array<uv_handle_t*, 3> handles() noexcept {
        return {reinterpret_cast<uv_handle_t*>(&async_), reinterpret_cast<uv_handle_t*>(&timer_),
                reinterpret_cast<uv_handle_t*>(&turn_)};
    }

    void abandon_waits() noexcept;
    void close() noexcept;

    static void on_arrival(uv_async_t* async);
    static void on_timer(uv_timer_t* timer);
    static void on_turn(uv_prepare_t* turn);
    static void on_end(napi_async_cleanup_hook_handle hook, void* environment);
    static void on_closed(uv_handle_t* handle);

    napi_env env_;
    const std::int32_t thread_id_;
    bool has_engine_promises_ = false;
    const std::thread::id thread_ = std::this_thread::get_id();
    Mailbox* mailbox_;
    uv_loop_t& loop_;
    napi_ref settle_ = nullptr;
    napi_ref nothing_ = nullptr;
    napi_ref mailbox_buffer_ = nullptr;
    napi_async_context context_ = nullptr;
    napi_async_cleanup_hook_handle cleanup_ = nullptr;

    std::vector<std::unique_ptr<PendingWait[], void (*)(PendingWait*)>> chunks_;
    Chain light_;    // free slots below `light_slots`
    Chain heavy_;    // free slots from there on
    Chain settled_;  // delivered, and not yet told to JavaScript
    Chain taken_;    // told by the last `take_settled`
    std::size_t work_ = 0;
    bool is_in_call_ = false;

    TimerWheel timers_;
    uv_timer_t timer_{};
    uv_prepare_t turn_{};
    int open_handles_ = 0;

    // Of other threads.
    std::atomic<PendingWait*> arrivals_{nullptr};  // the newest first
    std::atomic<int> senders_{0};                  // between their look at this environment and their last touch of it
    uv_async_t async_{};
};

}  // namespace futon::node
