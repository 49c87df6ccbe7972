// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <uv.h>

#include <futon/core/loop/timer_wheel.hpp>
#include <futon/core/operation/pace.hpp>
#include <futon/core/operation/poll_pace.hpp>
#include <futon/deadline.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/wait_result.hpp>

#include "diagnosis.hpp"
#include "held_locks.hpp"
#include "interruptible_waiter.hpp"
#include "loop_watch.hpp"
#include "mailbox.hpp"
#include "napi.hpp"
#include "pending_wait.hpp"

namespace futon::node {

/// A copy of lib/ in a thread of JavaScript: its pending waits, the locks that it holds, how its loop is woken, and how it
/// blocks. There is one for each thread, and one more each time that a program loads the package anew.
///
/// Lifetime  it keeps lib/ alive while a wait is pending, or a lock is held. Else it ends when lib/ is collected, and at the
///           latest with its thread. Until the first wait it has no handles in the loop.
/// A wait that a call of its own thread delivers is settled before that call returns. A wait that another thread
/// delivers is pushed to a list, and the first one pushed wakes the loop. One callback settles all that have arrived by
/// then.
///
/// Teardown  all its waits are dequeued, and no notify counts them from then on. For a wait that another thread is just
///           delivering it waits: the delivery is certain, and soon. The locks that it holds are released as abandoned.
/// Threads   its own, except for `deliver`.
class Environment {
public:
    /// Opens an environment of the calling thread. `mailbox` is set to the buffer, which JavaScript must keep. `modules` is the
    /// number of the running Node. Returns null, with a pending exception, if Node refuses.
    static Environment* open(napi_env env, std::int32_t thread_id, std::int32_t modules, napi_value* mailbox) noexcept;

    /// The environment ends when `owner` is collected, which all of lib/ keeps. Returns false in a thread that is being
    /// terminated.
    bool belong_to(napi_value owner) noexcept;

    Mailbox& mailbox() noexcept { return *mailbox_; }
    std::int32_t thread_id() const noexcept { return thread_id_; }

    /// The time of the loop, in milliseconds; only whether it has changed means something.
    std::int32_t loop_time() const noexcept { return static_cast<std::int32_t>(uv_now(&loop_)); }
    core::Pace& pace() noexcept { return pace_; }
    bool has_engine_promises() const noexcept { return has_engine_promises_; }

    /// `settle` is called for waits that have arrived. `nothing` does nothing: calling it tells whether V8 still runs
    /// code. Both are kept by lib/, and `settle` keeps lib/.
    void set_callbacks(napi_value settle, napi_value nothing) noexcept;

    /// A wait that is not queued yet, in the slot that the mailbox names. `is_light` asks for a light slot, if one is
    /// free: JavaScript keeps the promise's functions then. Throws bad_alloc.
    PendingWait& begin_wait(bool is_light);

    /// Takes back a wait that was not enqueued.
    void give_back(PendingWait& wait) noexcept;

    /// The wait was enqueued: from here on it keeps the process alive, and its deadline is armed.
    void enqueued(PendingWait& wait) noexcept;

    /// Dequeues a wait for good. Returns false if it is settled soon: it was delivered; or it waits at a condition, and is over once it
    /// has locked again. If another owner has locked the lock of a delivered one meanwhile, it is settled as cancelled.
    bool cancel(std::uint32_t slot) noexcept;

    void set_work(std::uint32_t slot, bool is_work) noexcept;
    PendingWait& wait_at(std::uint32_t slot) noexcept { return chunks_[slot / chunk_size][slot % chunk_size]; }

    /// Writes the next waits that are over to the mailbox's batch. They keep their slots, and the process alive, until
    /// the next call or the loop's next iteration: JavaScript has settled them by then.
    void take_settled() noexcept;

    /// The deadline of a wait is due.
    void time_out(PendingWait& wait) noexcept;

    /// The lock belongs to this thread of JavaScript from here on. JavaScript sees in its word whether it was abandoned.
    void acquired(AsyncLock& lock) noexcept;

    /// Takes over what an operation has yielded, for JavaScript has guards of its own. Returns how the wait has ended.
    WaitResult take(AsyncLock::Guard guard) noexcept;
    WaitResult take(Condition::Wakeup wakeup) noexcept;
    static WaitResult take(WaitResult result) noexcept { return result; }
    static WaitResult take(const SendResult<>& sent) noexcept { return to_wait_result(sent.result()); }
    WaitResult take(Received<ByteChannel::Message> received) noexcept;
    template <std::uint64_t mode>
    static WaitResult take(SharedLock::Holder<mode>&& guard) noexcept {
        guard.release();
        return guard.result();
    }

    bool has_acquired(const AsyncLock& lock, std::int32_t acquisition) const noexcept;

    /// It is about to be released.
    void forget(const AsyncLock& lock) noexcept;
    const HeldLocks& held_locks() const noexcept { return held_locks_; }

    /// Whether the calling thread is this environment's, and so runs its loop. Any thread.
    bool is_here() const noexcept { return std::this_thread::get_id() == thread_; }

    /// A waiter's delivery. Any thread.
    void deliver(PendingWait& wait) noexcept;

    /// While it lives, a wait that this thread delivers to itself is settled by the call that the thread is in.
    class Call {
    public:
        explicit Call(Environment& environment) noexcept : environment_(environment) {
            environment.is_in_call_ = true;
            environment.note_awake();
            environment.poll_pace_.begin_call();
        }
        ~Call() {
            environment_.is_in_call_ = false;
            environment_.poll_pace_.end_call();
            if (!environment_.settled_.is_empty()) environment_.offer_settled();
        }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

    private:
        Environment& environment_;
    };

    /// Blocks this thread until the waiter is delivered or its deadline has come. Returns which came first; or nothing if
    /// Node ends the thread: then the caller must dequeue the waiter, or, where it was delivered, give back what it was given.
    std::optional<WaitResult> sleep(InterruptibleWaiter& waiter, core::WaitQueues& table, Deadline deadline) noexcept;

    /// The same for a waiter that is in no queue. Returns what has woken the thread; a delivery may still come, unless it was that.
    enum class Wake : std::uint8_t { delivered, due, ended };
    Wake sleep(InterruptibleWaiter& waiter, Deadline deadline) noexcept;

    /// Returns false if Node ends the thread: then it gives back what it gets, for no code of JavaScript would take it.
    bool may_run_javascript() noexcept;

    /// What the diagnostics ask: the loop, whether promises wait in it; and any thread, while its handles are open, has it go round.
    uv_loop_t& loop() noexcept { return loop_; }
    bool has_waits() const noexcept { return in_use_ > 0; }
    void ring() noexcept { uv_async_send(&async_); }
    Diagnosis& diagnosis() noexcept { return diagnosis_; }

    /// What the next select chooses among.
    Arms& arms() noexcept { return arms_; }

    /// What the next call sends; and what the last one has received.
    Bytes& bytes() noexcept { return bytes_; }
    Message& message() noexcept { return message_; }

private:
    // A slot's address never changes.
    static constexpr std::size_t chunk_size = 256;
    static_assert(chunk_size == PendingWait::light_slots);

    /// A list of waits. It uses the link of the wait queue, which none of them is in.
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

    struct Owner;

    Environment(napi_env env, std::int32_t thread_id, Mailbox& mailbox, uv_loop_t& loop) noexcept;
    ~Environment() = default;

    Wake sleep_watched(InterruptibleWaiter& waiter, Deadline deadline) noexcept;

    void open_handles() noexcept;
    void look_at_each_turn() noexcept;

    /// Tells arbiters that the loop does not sleep.
    void note_awake() noexcept {
        if (poll_pace_.is_asleep()) poll_pace_.wake_up(uv_metrics_idle_time(&loop_));
    }
    bool may_poll_wait() const noexcept;

    /// Keeps lib/ alive until `let_go_if_idle`.
    void keep() noexcept;
    void let_go_if_idle() noexcept;

    void add_chunk();
    void release(PendingWait& wait) noexcept;
    void release_taken() noexcept;

    /// Tells JavaScript which slots come next, so that it can keep what settles a wait before the wait is enqueued.
    void offer_slots() noexcept;

    /// Lets the current call of JavaScript settle the waits that are over: now, or after those it is settling.
    void offer_settled() noexcept;

    /// Moves the waits that other threads have delivered to `settled_`.
    void collect_arrivals() noexcept;

    /// Whether a delivered wait is over. If not, it waits for a lock that a barging locker got first, and was enqueued
    /// again.
    bool is_over(PendingWait& wait, WaitResult& result) noexcept;
    bool is_select_over(PendingWait& wait, WaitResult& result) noexcept;
    void keep_message(PendingWait& wait) noexcept;

    /// A channel that is closed has nothing to wait for.
    static WaitResult to_wait_result(ChannelResult result) noexcept;

    void begin_work(PendingWait& wait) noexcept;
    void end_work(PendingWait& wait) noexcept;
    void arm(PendingWait& wait) noexcept;
    void disarm(PendingWait& wait) noexcept;
    void arm_loop_timer() noexcept;
    void settle_in_callback() noexcept;

    std::array<uv_handle_t*, 4> handles() noexcept {
        return {reinterpret_cast<uv_handle_t*>(&async_), reinterpret_cast<uv_handle_t*>(&timer_),
                reinterpret_cast<uv_handle_t*>(&prepare_), reinterpret_cast<uv_handle_t*>(&check_)};
    }

    void abandon_waits() noexcept;
    void close() noexcept;

    static void on_arrival(uv_async_t* async);
    static void on_timer(uv_timer_t* timer);
    static void on_prepare(uv_prepare_t* prepare);
    static void on_check(uv_check_t* check);
    static void on_end(napi_async_cleanup_hook_handle hook, void* environment);
    static void on_collected(napi_env env, void* owner, void* hint);
    void end() noexcept;
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
    Owner* owner_ = nullptr;  // until it is collected
    bool is_kept_ = false;
    bool is_closing_ = false;
    napi_async_cleanup_hook_handle cleanup_ = nullptr;

    std::vector<std::unique_ptr<PendingWait[], void (*)(PendingWait*)>> chunks_;
    Chain light_;             // free slots below `light_slots`
    Chain heavy_;             // free slots from there on
    Chain settled_;           // delivered, and not yet in a batch
    Chain taken_;             // in the last batch
    std::size_t in_use_ = 0;  // waits that were enqueued, and are not over
    std::size_t work_ = 0;    // those that keep the process alive
    bool is_in_call_ = false;
    Arms arms_;
    Bytes bytes_;
    Message message_;
    HeldLocks held_locks_;
    LoopWatch loop_watch_;
    [[no_unique_address]] Diagnosis diagnosis_{*this};

    core::Pace pace_;
    core::PollPace poll_pace_{pace_};
    core::TimerWheel timers_;
    uv_timer_t timer_{};
    uv_prepare_t prepare_{};
    uv_check_t check_{};
    int open_handles_ = 0;

    // Shared with other threads.
    std::atomic<PendingWait*> arrivals_{nullptr};  // the newest first
    std::atomic<int> senders_{0};                  // threads between their first and last access in `deliver`
    uv_async_t async_{};
};

}  // namespace futon::node
