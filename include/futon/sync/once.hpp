// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include <futon/core/driver/await.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/view.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// One-time initialisation: one caller initialises while the others wait. If its initialiser fails, the next caller
/// tries. Use it if threads and coroutines need the same thing set up, or if setting it up takes an await. `Lazy` is a
/// Once with the value that it makes.
///
///     futon::Once once;
///     once.call([] { open_log(); });                                     // a thread that may block
///     co_await once.call_async([]() -> futon::Promise<void> { ... });    // a coroutine, and one that initialises
///
/// Four bytes, zero before the first attempt: it can be a member, a global, or lie in a SharedArrayBuffer.
///
/// | to begin or to wait     | threads and tasks that may | if another initialises     |
/// |-------------------------|----------------------------|----------------------------|
/// | call, begin             | agents that may block      | blocks                     |
/// | try_begin, is_done      | any                        | returns nothing, or false  |
/// | call_async, begin_async | coroutines                 | the coroutine is suspended |
/// | beginning               | drivers, `select`          | the driver decides         |
///
/// Fairness  if an initialiser fails, the waiters and new callers compete, and the first that runs is the next to
///           initialise. So no caller waits for a task whose event loop does not run, unless that task has begun an
///           attempt.
/// Loops     an attempt that a task has begun stays its own until it completes or fails, even while its loop is busy or
///           does not run: threads that wait for it wait for that loop. To avoid that, initialise on a thread, or give
///           the waits a limit. If a loop ends during an initialiser, the attempt has failed, and the next caller
///           starts from the beginning. So an initialiser that awaits may run in part, and must cope with that.
/// Ordering  everything before the completion happens before everything after each call that finds it done; everything
///           before a failure happens before the next attempt.
/// Lifetime  neither the completion nor its waiters touch the Once after a waiter or an `is_done` could have seen the
///           completion. So any of them may destroy the Once if no later caller will use it.
/// Requires  the Once is neither destroyed nor moved while a waiter is queued or an attempt is under way. An
///           initialiser that waits for its own Once waits for ever; a thread that does so within `call` gets an
///           exception instead.
class FUTON_API Once {
public:
    /// What `begin` gives: the right to initialise, or the answer that it is done, or why it is neither. An attempt
    /// that is destroyed before `complete` has failed, and the next caller may try.
    class [[nodiscard]] FUTON_API Attempt {
    public:
        Attempt(Attempt&& other) noexcept;
        Attempt& operator=(Attempt&& other) noexcept;
        ~Attempt();

        /// Whether the caller must initialise, and then call `complete`.
        bool is_mine() const noexcept { return once_ != nullptr; }

        /// Whether it is initialised already.
        bool is_done() const noexcept { return once_ == nullptr && result_ == WaitResult::ok; }

        /// `ok` if it is initialised or the caller must initialise; else `timed_out` or `cancelled`.
        WaitResult result() const noexcept { return result_; }

        /// Reports that the caller has initialised, and releases all waiters. Throws std::logic_error if the attempt is
        /// not the caller's.
        void complete();

    private:
        friend class Once;
        Attempt(Once* once, WaitResult result) noexcept : once_(once), result_(result) {}
        [[noreturn]] static void throw_not_begun();

        Once* once_;  // null if the attempt is not the caller's
        WaitResult result_;
    };

    /// "Begin it, or wait until it is done" as an operation.
    class FUTON_API FUTON_WARN_UNUSED Beginning {
    public:
        using Result = Attempt;
        static constexpr const char* name = "futon::Once::begin";

        explicit Beginning(Once& once) noexcept : once_(once) {}
        const void* key() const noexcept;
        bool try_now() noexcept;
        core::WaitCheck check() noexcept;
        bool woken(core::WakeToken token) const noexcept;
        void give_back(core::WakeToken) noexcept;
        Attempt result(core::Ending ending) const noexcept;

    private:
        core::Target<Once> once_;
        bool is_mine_ = false;  // this operation has begun the attempt that is under way
    };

    constexpr Once() noexcept = default;
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;

    /// Returns the Once that lies in a buffer. All views of the same bytes are the same Once; nothing but these may
    /// wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or the Once would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static Once& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<Once>(buffer, byte_offset);
    }

    /// Whether it is initialised. If it returns true, it orders like a wait. Any agent.
    bool is_done() const noexcept { return word_.load(std::memory_order_acquire) == done; }  // [signal]

    /// `begin` without waiting: returns nothing while another caller initialises. Any agent.
    std::optional<Attempt> try_begin() noexcept;

    /// Blocks until it is initialised, the caller must initialise, or the limits are over.
    ///
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if it is done; std::system_error
    ///          (resource_deadlock_would_occur) within an initialiser that this thread runs in a `call` of the same
    ///          Once
    Attempt begin(const Limits& limits = {}) { return begin_as(Beginning::name, limits); }

    /// `begin` for coroutines: `co_await` gives an Attempt, on this agent. Allocates nothing.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers
    core::Await<Beginning> begin_async(Limits limits = {});

    /// `begin` as an operation, for `select` and the drivers of `core`. Yields an Attempt.
    Beginning beginning() noexcept { return Beginning(*this); }

    /// Calls `f()` unless it is initialised already; waits, within the limits, while another caller initialises.
    ///
    /// Returns  `ok` if it is initialised; `timed_out` or `cancelled` if the limits were over while another caller
    ///          initialised
    /// Cost     two loads if it is done
    /// Threads  as `begin`
    /// Throws   as `begin`, and what `f` throws: the next caller may try then
    template <class F>
    WaitResult call(F&& f);
    template <class F>
    [[nodiscard]] WaitResult call(F&& f, const Limits& limits);

    /// `call` for event loops: returns a promise. If `f` returns a promise, as a coroutine does, the attempt lasts
    /// until that promise settles.
    ///
    /// Cancel    if the agent ends during the attempt, or the promise of `f` rejects, the next caller may try. Dropping
    ///           the promise ends nothing
    /// Throws    NoExecutor; std::bad_alloc. `f` has not run then
    /// Cost      one allocation, even if it is done: ask `is_done` first
    /// Requires  the Once outlives the settling of the promise
    template <class F>
    Promise<WaitResult> call_async(F f, Limits limits = {});

private:
    template <class T>
    friend class Lazy;

    static constexpr std::uint32_t done = 1;
    static constexpr std::uint32_t begun = 2;
    static constexpr std::uint32_t has_waiters = 4;

    class Running;

    bool try_now(bool& is_mine) noexcept;
    void end(std::uint32_t next) noexcept;
    Attempt begin_as(const char* operation, const Limits& limits);
    template <class F>
    WaitResult call_as(const char* operation, F& f, const Limits& limits);
    template <class F>
    decltype(auto) call_here(F& f);
    template <class F>
    Promise<WaitResult> call_later(F f, Limits limits);

    void release_all(std::uint32_t next) noexcept;
    void require_no_recursion(const char* operation) const;
    static bool must_wait(void* word, std::uint64_t is_mine) noexcept;

    detail::Atomic<std::uint32_t> word_{0};
    [[no_unique_address]] core::probe::Lifetime lifetime_;
};

static_assert(sizeof(Once) == 4 && (std::is_trivially_destructible_v<Once> || core::probe::is_enabled));

}  // namespace futon

#include <futon/detail/sync/once_attempt.hpp>  // how attempts begin and end, and the word

#include <futon/detail/end.hpp>
