// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/view.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

namespace detail {

/// Permits as the resource of a `core::Arbiter`.
struct PermitRules {
    using Word = std::uint64_t;
    using State = core::ResourceState;
    static bool can_serve(State permits, std::uint64_t count) noexcept { return permits >= count; }
    static State taken(State permits, std::uint64_t count) noexcept { return permits - static_cast<State>(count); }
    static State returned(State permits, std::uint64_t count) noexcept { return permits + static_cast<State>(count); }
    static bool may_serve(State permits) noexcept { return permits != 0; }
    FUTON_API static const core::ArbiterBase<Word>::Rules lasting;
};

}  // namespace detail

/// A counting semaphore for threads that may block and event loops that must not: permits, and one wait queue for both.
/// Use it to bound how many users share something.
///
///     futon::Semaphore connections(8);
///     auto permit = connections.scoped_acquire();                         // a thread that may block
///     auto permits = co_await connections.scoped_acquire_async(2, 5ms);   // a coroutine: two at once, or none in 5 ms
///
/// Sixteen bytes; zero bytes are a semaphore without permits: it can be a member, a global, or lie in a
/// SharedArrayBuffer.
///
/// | to acquire n permits                        | threads and tasks that may | if there are fewer                   |
/// |---------------------------------------------|----------------------------|--------------------------------------|
/// | acquire, scoped_acquire, try_acquire_for    | agents that may block      | blocks; else BlockingForbidden       |
/// | try_acquire                                 | any                        | returns false                        |
/// | acquire_async, scoped_acquire_async         | coroutines                 | the coroutine is suspended           |
/// | acquiring, scoped_acquiring                 | drivers, `select`          | the driver decides                   |
///
/// All n permits are acquired at once, or none.
///
/// Fairness  a caller that finds enough permits takes them ahead of queued waiters. Waiters are served in queue order:
///           a small queued request does not overtake a large one. Once the first waiter has waited for
///           `handoff_threshold`, released permits are kept for it, so small requests of callers cannot overtake it for
///           ever. With `Fairness::strict` no caller overtakes the queue.
/// Order     a strict semaphore serves threads and tasks in queue order, with one exception: a task is overtaken if it
///           misses an offer that lasted as long as its loop has lately needed, or if its loop is in a turn longer than
///           any recent one. See `core::Arbiter`.
/// Loops     the loop of a queued task may not be running, so permits are only offered to the task. The offer lasts as
///           long as the loop takes to look at its jobs; while it is open, no other waiter or caller gets a permit.
///           After that, others may take the permits; the task keeps its place. See `core::Arbiter`.
/// Ordering  everything before a release happens before everything after an acquisition that it makes possible.
/// Lifetime  a release does not touch the semaphore once it has made an acquisition possible, so the thread that
///           acquires may destroy the semaphore, unless other waiters are queued.
/// Requires  the semaphore is neither destroyed nor moved while a waiter is queued.
class FUTON_API Semaphore {
public:
    class Permits;
    class Acquiring;
    class ScopedAcquiring;
    class Acquisition;
    class ScopedAcquisition;

    /// How long released permits may go to callers instead of the first waiter.
    static constexpr std::chrono::milliseconds handoff_threshold = core::handoff_threshold;

    /// The largest number of permits that any semaphore can have.
    static constexpr std::uint32_t max() noexcept { return 0x7fff'ffff; }

    /// Throws  std::system_error (value_too_large) if `permits` is more than `max()`
    constexpr explicit Semaphore(std::uint64_t permits = 0, Fairness fairness = Fairness::bounded)
        : Semaphore(permits, max(), fairness) {}

    /// Makes a semaphore with its own maximum: a release beyond it is refused. Permits that an abandoned wait had
    /// received always go back.
    ///
    ///     futon::Semaphore has_work(0, 1);   // a binary one
    ///
    /// Throws  std::invalid_argument if `maximum` is zero, or more than `max()`; std::system_error (value_too_large) if
    ///         `permits` is more than `maximum`
    constexpr Semaphore(std::uint64_t permits, std::uint64_t maximum, Fairness fairness = Fairness::bounded)
        : permits_(static_cast<core::ResourceState>(permits), fairness), maximum_(static_cast<std::uint32_t>(maximum)) {
        if (maximum == 0 || maximum > max()) throw_impossible("futon::Semaphore: its maximum", max());
        if (permits > maximum) throw_too_many("futon::Semaphore", maximum_);
    }
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    /// Returns the semaphore that lies in a buffer. All views of the same bytes are the same semaphore; nothing but
    /// semaphores may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of sixteen, or the semaphore would end outside the
    ///         buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static Semaphore& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<Semaphore>(buffer, byte_offset);
    }

    /// Takes the permits if there are enough, without waiting. Any agent.
    ///
    /// Throws  std::invalid_argument if `count` is zero, or more than `maximum()`
    bool try_acquire(std::uint64_t count = 1) {
        require_possible(count, "futon::Semaphore::try_acquire");
        return try_take(count);
    }

    /// Blocks until the caller has the permits, or the limits are over. Available permits win over limits that are over.
    ///
    /// Returns  `ok` if the caller has the permits, else `timed_out` or `cancelled`
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the permits are there; std::invalid_argument as
    ///          `try_acquire`
    /// Cost     a compare-exchange if the permits are there; else up to ten microseconds of spinning before each sleep.
    ///          Allocates nothing
    WaitResult acquire(std::uint64_t count = 1) { return acquire(count, {}); }
    [[nodiscard]] WaitResult acquire(std::uint64_t count, const Limits& limits) {
        require_can_block("futon::Semaphore::acquire");
        require_possible(count, "futon::Semaphore::acquire");
        return try_take(count) ? WaitResult::ok : acquire_contended(count, limits);
    }
    [[nodiscard]] WaitResult acquire(const Limits& limits) { return acquire(1, limits); }

    /// The same for one permit, under the names of std::counting_semaphore.
    template <class Rep, class Period>
    [[nodiscard]] bool try_acquire_for(std::chrono::duration<Rep, Period> time) {
        require_can_block("futon::Semaphore::try_acquire_for");
        return acquire(1, time) == WaitResult::ok;
    }
    [[nodiscard]] bool try_acquire_until(Deadline deadline) {
        require_can_block("futon::Semaphore::try_acquire_until");
        return acquire(1, deadline) == WaitResult::ok;
    }

    /// The same, for permits that are put back at the end of a scope.
    Permits scoped_acquire(std::uint64_t count = 1, const Limits& limits = {});
    Permits scoped_acquire(const Limits& limits);

    /// The functions above for coroutines: `co_await` gives what they return, on this agent.
    ///
    /// Cancel  as `core::await`: if the coroutine is destroyed after it received permits, the permits go to the next
    ///         waiter, or back
    /// Throws  std::invalid_argument as `try_acquire`; when awaited: NoExecutor, as `core::await`
    Acquisition acquire_async(std::uint64_t count = 1, Limits limits = {});
    Acquisition acquire_async(Limits limits);
    ScopedAcquisition scoped_acquire_async(std::uint64_t count = 1, Limits limits = {});
    ScopedAcquisition scoped_acquire_async(Limits limits);

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    void acquire(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write acquire(2, 5ms)
    void scoped_acquire(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write scoped_acquire(2, 5ms)
    void acquire_async(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write acquire_async(2, 5ms)
    void scoped_acquire_async(const Limits&, std::integral auto, const auto&...) = delete;  // futon: the count comes first: write scoped_acquire_async(2, 5ms)
    void try_acquire_for(std::integral auto, const auto&...) = delete;  // futon: it acquires one permit: write acquire(2, 5ms) == futon::WaitResult::ok
    void try_acquire_until(std::integral auto, const auto&...) = delete;  // futon: it acquires one permit: write acquire(2, deadline) == futon::WaitResult::ok
    // clang-format on

    /// Adds permits, and wakes the waiters that they satisfy. Any agent; never blocks.
    ///
    /// Throws  std::system_error (value_too_large) if the permits would exceed `maximum()`; nothing is added then
    /// Cost    a compare-exchange if no waiter is queued
    void release(std::uint64_t count = 1) {
        if (!try_release(count)) throw_too_many("futon::Semaphore::release", maximum());
    }

    /// The same where a full semaphore is no error: returns false, and adds nothing, if the permits would exceed
    /// `maximum()`.
    [[nodiscard]] bool try_release(std::uint64_t count = 1) noexcept {
        core::probe::releasing(this);
        const std::uint32_t most = maximum();
        return count <= most && permits_.give_back_up_to(most - static_cast<std::uint32_t>(count), count);
    }

    /// How many permits are available. Only a hint: other agents acquire and release meanwhile.
    std::uint32_t available() const noexcept { return permits_.state(); }

    /// The most permits that this semaphore can have: the maximum that it was made with, or `max()`.
    std::uint32_t maximum() const noexcept { return maximum_ == 0 ? max() : maximum_; }

    /// `acquire` and `scoped_acquire` as operations, for `select` and the drivers of `core`. Throw as `try_acquire`.
    Acquiring acquiring(std::uint64_t count = 1);
    ScopedAcquiring scoped_acquiring(std::uint64_t count = 1);

private:
    using Arbiter = core::Arbiter<detail::PermitRules>;

    static void require_can_block(const char* what) {
        if (!detail::this_thread_can_block()) detail::throw_blocking_forbidden(what);
    }
    void require_possible(std::uint64_t count, const char* what) const {
        if (count == 0 || count > maximum()) throw_impossible(what, maximum());
    }
    [[noreturn]] static void throw_impossible(const char* what, std::uint32_t most);
    [[noreturn]] static void throw_too_many(const char* what, std::uint32_t most);

    bool try_take(std::uint64_t count) noexcept {
        if (!permits_.try_take(count)) return false;
        core::probe::acquired(this);
        return true;
    }
    WaitResult acquire_contended(std::uint64_t count, const Limits& limits);

    Arbiter permits_;
    std::uint32_t maximum_ = 0;  // 0, as in a zeroed buffer, means max()
};

static_assert(sizeof(Semaphore) == 16);
static_assert(std::is_trivially_destructible_v<Semaphore>);

/// "Acquire permits" as an operation. Yields a WaitResult; the caller must release the permits.
class FUTON_API FUTON_WARN_UNUSED Semaphore::Acquiring : public core::Arbiter<detail::PermitRules>::Request {
public:
    using Result = WaitResult;
    static constexpr const char* name = "futon::Semaphore::acquire";

    Result result(core::Ending ending) noexcept {
        end();
        if (core::to_wait_result(ending) == WaitResult::ok) core::probe::acquired(key());
        return core::to_wait_result(ending);
    }

private:
    friend class Semaphore;

    Acquiring(Semaphore& semaphore, std::uint64_t count) noexcept : Request(semaphore.permits_, count) {}
};

/// Owns acquired permits and puts them back at the end of its scope; or has none, and says why.
///
///     if (auto permit = connections.scoped_acquire(1, 5ms)) use_connection();
///
/// Requires  the semaphore has room for them when they are put back, so the program must not release more than it
///           acquired. Otherwise the program ends, and names this rule.
class [[nodiscard]] Semaphore::Permits {
public:
    // clang-format off
    Permits(Semaphore&, std::uint64_t = 1) = delete;  // futon: write scoped_acquire() to acquire permits, or Permits::adopt(semaphore, n) where they were acquired
    // clang-format on

    /// Takes over permits that the caller has acquired, by `acquire` or from `detach`. Throws std::invalid_argument as
    /// `try_acquire`.
    static Permits adopt(Semaphore& semaphore, std::uint64_t count) {
        semaphore.require_possible(count, "futon::Semaphore::Permits::adopt");
        return {Adopted{}, semaphore, static_cast<std::uint32_t>(count)};
    }

    /// No permits, for this reason.
    explicit Permits(WaitResult failure) noexcept : result_(failure) {}

    Permits(Permits&& other) noexcept : semaphore_(other.semaphore_), count_(other.detach()), result_(other.result_) {}
    Permits& operator=(Permits&& other) noexcept {
        Permits taken(std::move(other));
        std::swap(semaphore_, taken.semaphore_);
        std::swap(count_, taken.count_);
        std::swap(result_, taken.result_);
        return *this;
    }
    ~Permits() { put_back(); }

    /// How many permits it owns; 0 if it failed or has put them back.
    std::uint32_t count() const noexcept { return count_; }
    explicit operator bool() const noexcept { return count_ != 0; }

    /// `ok` if the permits were acquired, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Puts the permits back before the end of the scope. Does nothing if there are none.
    void put_back() noexcept {
        if (const std::uint32_t count = std::exchange(count_, 0))
            detail::expects(
                semaphore_->try_release(count),
                "permits are put back where the semaphore has room for them: no other has released too many");
    }

    /// Gives up ownership without releasing. Returns how many permits the caller must release.
    [[nodiscard]] std::uint32_t detach() noexcept { return std::exchange(count_, 0); }

    // `release` would be ambiguous: Semaphore::release puts permits back, std::unique_lock::release gives up ownership.
    // Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    void release() = delete;  // futon: write put_back() to release the permits, or detach() to have them without this object
    // clang-format on

private:
    friend class Semaphore;
    friend class ScopedAcquiring;

    struct Adopted {};
    Permits(Adopted, Semaphore& semaphore, std::uint32_t count) noexcept : semaphore_(&semaphore), count_(count) {}

    Semaphore* semaphore_ = nullptr;
    std::uint32_t count_ = 0;
    WaitResult result_ = WaitResult::ok;
};

/// "Acquire permits" as an operation that yields Permits.
class FUTON_API FUTON_WARN_UNUSED Semaphore::ScopedAcquiring : public core::Arbiter<detail::PermitRules>::Request {
public:
    using Result = Permits;
    static constexpr const char* name = "futon::Semaphore::scoped_acquire";

    Result result(core::Ending ending) noexcept {
        end();
        if (core::to_wait_result(ending) != WaitResult::ok) return Permits(core::to_wait_result(ending));
        core::probe::acquired(key());
        return {Permits::Adopted{}, semaphore_, static_cast<std::uint32_t>(amount())};
    }

private:
    friend class Semaphore;

    ScopedAcquiring(Semaphore& semaphore, std::uint64_t count) noexcept
        : Request(semaphore.permits_, count), semaphore_(semaphore) {}

    Semaphore& semaphore_;
};

inline Semaphore::Acquiring Semaphore::acquiring(std::uint64_t count) {
    require_possible(count, Acquiring::name);
    return {*this, count};
}
inline Semaphore::ScopedAcquiring Semaphore::scoped_acquiring(std::uint64_t count) {
    require_possible(count, ScopedAcquiring::name);
    return {*this, count};
}

inline Semaphore::Permits Semaphore::scoped_acquire(std::uint64_t count, const Limits& limits) {
    require_can_block(ScopedAcquiring::name);
    require_possible(count, ScopedAcquiring::name);
    const WaitResult result = acquire(count, limits);
    if (result != WaitResult::ok) return Permits(result);
    return {Permits::Adopted{}, *this, static_cast<std::uint32_t>(count)};
}
inline Semaphore::Permits Semaphore::scoped_acquire(const Limits& limits) {
    return scoped_acquire(1, limits);
}

}  // namespace futon

#include <futon/detail/sync/semaphore_tasks.hpp>  // how coroutines acquire

#include <futon/detail/end.hpp>
