// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <futon/sync/once.hpp>

namespace futon {

/// A value that its first user makes, while the other users wait. If the initialiser fails, the next user tries. Use it
/// for what is expensive and not always needed: a configuration, a connection, a table. If there is no value, use
/// `Once`.
///
///     futon::Lazy<Config> config;
///     Config& c = config.get([] { return read_config(); });              // a thread that may block
///     Config* d = co_await config.get_async([] { return fetch(); });     // a coroutine; `fetch` may return a promise
///
/// Four bytes besides the value, and padding.
///
/// | to get it             | threads and tasks that may | if another makes it        |
/// |-----------------------|----------------------------|----------------------------|
/// | get                   | agents that may block      | blocks                     |
/// | try_get               | any                        | returns null               |
/// | get_async             | coroutines                 | the coroutine is suspended |
///
/// Fairness  as `Once`, which it uses; so are Ordering, and the rule against recursion.
/// Lifetime  the value lives as long as this object.
/// Requires  the object is neither destroyed nor moved during a call, or before its promise settles.
template <class T>
class Lazy {
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && std::is_destructible_v<T>,
                  "futon::Lazy: T is a type of objects");

public:
    constexpr Lazy() noexcept : is_empty_() {}
    Lazy(const Lazy&) = delete;
    Lazy& operator=(const Lazy&) = delete;
    ~Lazy() {
        if (once_.is_done()) std::destroy_at(std::addressof(value_));
    }

    /// The value if it is made; else null. A load. Any agent.
    T* try_get() noexcept { return once_.is_done() ? std::addressof(value_) : nullptr; }
    const T* try_get() const noexcept { return once_.is_done() ? std::addressof(value_) : nullptr; }

    /// Returns the value. If it is not made yet, calls `f()` to make it, or waits while another caller makes it.
    ///
    /// Threads  agents that may block.
    /// Cost     two loads if it is made
    /// Throws   as `Once::call`, and what `f` throws: the next caller may try then
    template <class F>
    T& get(F&& f) {
        require_value<F>();
        auto make_value = [&] { make(f); };
        once_.call_as(name, make_value, {});
        return value_;
    }

    /// The same with limits: null if they are over before another caller has made the value.
    ///
    /// Threads  as `get(f)`
    /// Throws   as `get(f)`
    template <class F>
    [[nodiscard]] T* get(F&& f, const Limits& limits) {
        require_value<F>();
        auto make_value = [&] { make(f); };
        return found(once_.call_as(name, make_value, limits));
    }

    /// `get` as a promise. `f()` returns the value, or a promise of it. Null as above.
    ///
    ///     Config* c = config.try_get();
    ///     if (c == nullptr) c = co_await config.get_async([] { return fetch(); });
    ///
    /// Cancel  as `Once::call_async`
    /// Throws  as `Once::call_async`
    /// Cost    one allocation, even if the value is made: ask `try_get` first
    template <class F>
    Promise<T*> get_async(F f, Limits limits = {}) {
        Limits shared = std::move(limits).from_now();
        core::require_timers(Agent::current(), shared.deadline(), "futon::Lazy::get_async");
        return get_later(std::move(f), std::move(shared));
    }

private:
    static constexpr const char* name = "futon::Lazy::get";

    T* found(WaitResult result) noexcept { return result == WaitResult::ok ? std::addressof(value_) : nullptr; }

    template <class F>
    static constexpr void require_value() {
        using Made = std::invoke_result_t<F&>;
        static_assert(
            !detail::Unwrapped<std::remove_cvref_t<Made>>::is_promise || std::is_constructible_v<T, Made>,
            "futon::Lazy::get: the function returns a promise of the value, as a coroutine does: write co_await "
            "get_async(f)");
    }

    void keep(T&& value) { ::new (static_cast<void*>(std::addressof(value_))) T(std::move(value)); }

    template <class F>
    void make(F& f) {
        ::new (static_cast<void*>(std::addressof(value_))) T(f());  // in place: T need not be movable
    }

    template <class F>
    Promise<T*> get_later(F f, Limits limits) {
        Once::Attempt attempt = co_await once_.begin_async(std::move(limits));
        if (attempt.is_mine()) {
            if constexpr (detail::Unwrapped<std::invoke_result_t<F&>>::is_promise) {
                T value = co_await once_.call_here(f);
                keep(std::move(value));
            } else {
                auto make_value = [&] { make(f); };
                once_.call_here(make_value);
            }
            attempt.complete();
        }
        co_return found(attempt.result());
    }

    Once once_;
    union {
        char is_empty_;
        T value_;  // alive from the completion on
    };
};

}  // namespace futon

#include <futon/detail/end.hpp>
