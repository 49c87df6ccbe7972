// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <chrono>
#include <cstddef>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <type_traits>
#include <utility>

#include <futon/diagnostics.hpp>

namespace futon::diagnostics {

#ifdef FUTON_DIAGNOSTICS

namespace detail {

/// A thread that waits for a mutex of another library: entered before it blocks, and taken out when it has got it or gives up.
class FUTON_API MutexWait {
public:
    MutexWait(const void* mutex, const char* kind, const char* operation, bool is_limited) noexcept;

    /// Throws  what a report throws: the wait closes a deadlock
    void about_to_block() { core::probe::about_to_sleep(); }

    void got(core::probe::Hold hold) noexcept;

private:
    core::probe::Attempt attempt_;
    core::probe::WaitRecord wait_;
    const void* mutex_;
    const char* kind_;
};

FUTON_API bool is_held_by_caller(const void* mutex) noexcept;
FUTON_API void mutex_acquired(const void* mutex, const char* kind, core::probe::Hold hold,
                              core::probe::Way way) noexcept;

template <class Mutex>
inline constexpr const char* kind_of_mutex = "mutex";
template <>
inline constexpr const char* kind_of_mutex<std::mutex> = "std::mutex";
template <>
inline constexpr const char* kind_of_mutex<std::recursive_mutex> = "std::recursive_mutex";
template <>
inline constexpr const char* kind_of_mutex<std::timed_mutex> = "std::timed_mutex";
template <>
inline constexpr const char* kind_of_mutex<std::shared_mutex> = "std::shared_mutex";

template <class Mutex>
inline constexpr bool is_recursive =
    std::is_same_v<Mutex, std::recursive_mutex> || std::is_same_v<Mutex, std::recursive_timed_mutex>;

}  // namespace detail

#endif

/// A mutex of another library, which the diagnostics see as they see futon's locks: who holds it and who waits, deadlocks and orders
/// of locking across both, names. It is used as the mutex is, and has those of its functions that std has names for.
///
///     futon::diagnostics::Watched<std::mutex> cache{"the cache"};
///     const std::scoped_lock hold(cache);
///
/// Linked with `futon::futon` it is the mutex, of its size, and nothing is seen.
///
/// Threads   as the mutex; it is unlocked by the thread that has locked it.
template <class Mutex>
class Watched {
public:
    Watched() = default;

    /// The arguments after the name are those of the mutex.
    template <class... Arguments>
    explicit Watched(std::string_view name, Arguments&&... arguments) : mutex_(std::forward<Arguments>(arguments)...) {
        futon::name(*this, name);
    }

#ifdef FUTON_DIAGNOSTICS
    ~Watched() {
        core::probe::ended(this);
    }
#endif
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;

    /// Throws  what the mutex throws; DeadlockFound, if this wait closes a deadlock and `Response::throw_from_wait` was chosen
    void lock() {
        enter(
            Exclusive{}, "lock", false, [this] { return mutex_.try_lock(); }, [this] { return mutex_.lock(), true; });
    }
    bool try_lock() {
        return try_now(Exclusive{}, mutex_.try_lock());
    }
    void unlock() {
        leave(Exclusive{});
        mutex_.unlock();
    }
    template <class Rep, class Period>
    bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
        return enter(
            Exclusive{}, "try_lock_for", true, [this] { return mutex_.try_lock(); },
            [&] { return mutex_.try_lock_for(duration); });
    }
    template <class Clock, class Duration>
    bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
        return enter(
            Exclusive{}, "try_lock_until", true, [this] { return mutex_.try_lock(); },
            [&] { return mutex_.try_lock_until(time); });
    }

    /// The same of a mutex that readers share.
    void lock_shared() {
        enter(
            Shared{}, "lock_shared", false, [this] { return mutex_.try_lock_shared(); },
            [this] { return mutex_.lock_shared(), true; });
    }
    bool try_lock_shared() {
        return try_now(Shared{}, mutex_.try_lock_shared());
    }
    void unlock_shared() {
        leave(Shared{});
        mutex_.unlock_shared();
    }

private:
    struct Exclusive {};
    struct Shared {};

#ifdef FUTON_DIAGNOSTICS
    using Hold = core::probe::Hold;
    static constexpr const char* kind = detail::kind_of_mutex<Mutex>;

    /// A recursive mutex is entered once.
    bool entered(Exclusive) noexcept {
        return depth_++ == 0;
    }
    bool left(Exclusive) noexcept {
        return --depth_ == 0;
    }
    static bool entered(Shared) noexcept {
        return true;
    }
    static bool left(Shared) noexcept {
        return true;
    }
    static constexpr Hold hold_of(Exclusive) noexcept {
        return Hold::exclusive;
    }
    static constexpr Hold hold_of(Shared) noexcept {
        return Hold::shared;
    }

    template <class Mode, class Try, class Wait>
    bool enter(Mode mode, const char* operation, bool is_limited, Try try_lock, Wait wait) {
        // What its own thread holds is tried only if it is recursive: else that is forbidden.
        if ((detail::is_recursive<Mutex> || !detail::is_held_by_caller(this)) && try_lock()) {
            if (entered(mode)) detail::mutex_acquired(this, kind, hold_of(mode), core::probe::Way::ready_to_wait);
            return true;
        }
        detail::MutexWait waiting(this, kind, operation, is_limited);
        waiting.about_to_block();
        if (!wait()) return false;
        if (entered(mode)) waiting.got(hold_of(mode));
        return true;
    }
    template <class Mode>
    bool try_now(Mode mode, bool is_taken) {
        if (is_taken && entered(mode)) detail::mutex_acquired(this, kind, hold_of(mode), core::probe::Way::tried);
        return is_taken;
    }
    template <class Mode>
    void leave(Mode mode) noexcept {
        if (left(mode)) core::probe::releasing(this, hold_of(mode));
    }

    std::size_t depth_ = 0;  // changed by the thread that holds it
#else
    template <class Mode, class Try, class Wait>
    static bool enter(Mode, const char*, bool, Try, Wait wait) {
        return wait();
    }
    template <class Mode>
    static bool try_now(Mode, bool is_taken) {
        return is_taken;
    }
    template <class Mode>
    static void leave(Mode) noexcept {}
#endif

    Mutex mutex_;
};

}  // namespace futon::diagnostics

#include <futon/detail/end.hpp>
