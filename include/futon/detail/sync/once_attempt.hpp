// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/await.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/once.hpp>
#include <futon/wait_result.hpp>

// How attempts of a Once begin and end, without a waiter: what programs inline. And `call`, which makes one.
namespace futon {

// The word: zero, `done`, or `begun` with or without `has_waiters`.
//
//     bit          means                                set by                       cleared by
//     done         it is initialised                    the end of an attempt; with  never
//                                                       waiters, under the queue's
//                                                       lock
//     begun        an attempt is under way              the attempt's caller         the end of the attempt; with waiters,
//                                                                                    under the queue's lock
//     has_waiters  a waiter may be queued: never clear  a check that must wait,      the end of the attempt, under the
//                  while one is                         under the queue's lock       queue's lock, which empties the queue
//
// [last-touch] The end of an attempt changes the word once, and does not touch the Once after that: from then on an
// `is_done` on another thread may return true, and its caller may destroy the Once. If waiters are queued, the word
// changes after all of them are dequeued, in the last call of the visitor.

inline Once::Attempt::Attempt(Attempt&& other) noexcept
    : once_(std::exchange(other.once_, nullptr)), result_(other.result_) {}

inline Once::Attempt& Once::Attempt::operator=(Attempt&& other) noexcept {
    Attempt taken(std::move(other));
    std::swap(once_, taken.once_);
    std::swap(result_, taken.result_);
    return *this;
}

inline Once::Attempt::~Attempt() {
    if (once_ != nullptr) once_->end(0);
}

inline void Once::Attempt::complete() {
    if (once_ == nullptr) [[unlikely]]
        throw_not_begun();
    std::exchange(once_, nullptr)->end(done);
}

/// Whether the caller need not wait: it is done, or the caller has begun the attempt now, as `is_mine` tells.
inline bool Once::try_now(bool& is_mine) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_acquire);                                    // [signal]
    is_mine = seen == 0 && word_.compare_exchange_strong(seen, begun, std::memory_order_acquire);  // [signal]
    return is_mine || seen == done;
}

/// Ends the attempt under way: `next` is `done`, or zero after a failure.
inline void Once::end(std::uint32_t next) noexcept {
    std::uint32_t expected = begun;
    // [last-touch] The exchange.
    if (!word_.compare_exchange_strong(expected, next, std::memory_order_release,  // [signal]
                                       std::memory_order_relaxed))                 // a waiter is queued
        release_all(next);
}

inline const void* Once::Beginning::key() const noexcept {
    return once_.get();
}

inline bool Once::Beginning::try_now() noexcept {
    return once_->try_now(is_mine_);
}

inline core::WaitCheck Once::Beginning::check() noexcept {
    return {&once_->word_, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&is_mine_)), &Once::must_wait,
            core::FoundBy::note};
}

/// [last-touch] True for a completion: another waiter may have destroyed the Once by then.
inline bool Once::Beginning::woken(core::WakeToken token) const noexcept {
    return token == core::WakeToken::handed_off;
}

/// A failed wait need not pass its wake-up on, because all waiters are woken.
inline void Once::Beginning::give_back(core::WakeToken) noexcept {
    if (std::exchange(is_mine_, false)) once_->end(0);
}

inline Once::Attempt Once::Beginning::result(core::Ending ending) const noexcept {
    return {is_mine_ ? once_.get() : nullptr, core::to_wait_result(ending)};
}

inline std::optional<Once::Attempt> Once::try_begin() noexcept {
    Beginning operation = beginning();
    if (!operation.try_now()) return std::nullopt;
    return operation.result(core::Ending::at_once);
}

inline core::Await<Once::Beginning> Once::begin_async(Limits limits) {
    return core::await(beginning(), std::move(limits));
}

/// Marks a `call` whose function this thread runs.
class FUTON_API Once::Running {
public:
    explicit Running(const Once& once) noexcept;
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

private:
    friend class Once;
    static Running*& latest() noexcept;

    const Once& once_;
    const void* thread_;
    Running* next_;
};

/// `call` under the name of the function that uses it, for its errors. If it is done, this neither blocks nor throws, and
/// needs no operation.
template <class F>
inline WaitResult Once::call_as(const char* operation, F& f, const Limits& limits) {
    static_assert(
        !detail::Unwrapped<std::remove_cvref_t<std::invoke_result_t<F&>>>::is_promise,
        "futon::Once::call: the function returns a promise, as a coroutine does, and may not have initialised "
        "when it returns: write co_await call_async(f)");
    if (detail::this_thread_can_block() && is_done()) return WaitResult::ok;
    Attempt attempt = begin_as(operation, limits);
    if (!attempt.is_mine()) return attempt.result();
    call_here(f);
    attempt.complete();
    return WaitResult::ok;
}

template <class F>
inline decltype(auto) Once::call_here(F& f) {
    const Running running(*this);
    return f();
}

template <class F>
inline WaitResult Once::call(F&& f) {
    return call_as("futon::Once::call", f, {});
}

template <class F>
inline WaitResult Once::call(F&& f, const Limits& limits) {
    return call_as("futon::Once::call", f, limits);
}

template <class F>
inline Promise<WaitResult> Once::call_async(F f, Limits limits) {
    Limits shared = std::move(limits).from_now();
    core::require_timers(Agent::current(), shared.deadline(), "futon::Once::call_async");
    return call_later(std::move(f), std::move(shared));
}

template <class F>
Promise<WaitResult> Once::call_later(F f, Limits limits) {
    Attempt attempt = co_await begin_async(std::move(limits));
    if (attempt.is_mine()) {
        if constexpr (detail::Unwrapped<std::invoke_result_t<F&>>::is_promise) {
            co_await call_here(f);
        } else {
            call_here(f);
        }
        attempt.complete();
    }
    co_return attempt.result();
}

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<Once::Beginning>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
