// SPDX-License-Identifier: MIT
#pragma once

// The two ways in which a thread of C++ waits: it blocks, or a coroutine of its event loop is suspended. The scenarios are
// written once, for both.

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>

#include <futon/addon.h>

namespace family {

using Words = futon::addon::SharedWords<std::int32_t>;

/// What a call that has blocked gives to `co_await`.
template <class T>
struct Ready {
    T value;

    bool await_ready() const noexcept { return true; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    T await_resume() { return std::move(value); }
};
template <class T>
Ready(T) -> Ready<T>;

using futon::Limits;

struct Blocking {
    static constexpr auto can_block = futon::CanBlock::yes;

    static auto hold(auto& lock, const Limits& limits) { return Ready(lock.scoped_lock(limits)); }
    static auto hold_shared(futon::SharedLock& lock, const Limits& limits) {
        return Ready(lock.scoped_lock_shared(limits));
    }
    static auto hold_upgradeable(futon::SharedLock& lock, const Limits& limits) {
        return Ready(lock.scoped_lock_upgradeable(limits));
    }
    static auto upgrade(futon::SharedLock::UpgradeableGuard& reader, const Limits& limits) {
        return Ready(reader.upgrade(limits));
    }
    static auto acquire(futon::Semaphore& permits, std::uint64_t count, const Limits& limits) {
        return Ready(permits.scoped_acquire(count, limits));
    }
    static auto wait(auto& signal, const Limits& limits) { return Ready(signal.wait(limits)); }
    static auto wait(futon::Condition& condition, futon::AsyncLock::Guard& guard, const Limits& limits) {
        return Ready(condition.wait(guard, limits));
    }
    static auto arrive_and_wait(futon::Latch& latch, const Limits& limits) {
        return Ready(latch.arrive_and_wait(1, limits));
    }
    static auto arrive_and_wait(futon::Barrier<>& barrier, const Limits& limits) {
        return Ready(barrier.arrive_and_wait(limits));
    }
    static auto send(futon::ByteChannel& channel, std::span<const std::byte> bytes, const Limits& limits) {
        return Ready(channel.send(bytes, limits));
    }
    static auto receive(futon::ByteChannel& channel, const Limits& limits) { return Ready(channel.receive(limits)); }
    template <class... Choices>
    static auto select(Choices... choices) {
        return Ready(futon::select(std::move(choices)...));
    }
};

struct Awaiting {
    static constexpr auto can_block = futon::CanBlock::no;

    static auto hold(auto& lock, const Limits& limits) { return lock.scoped_lock_async(limits); }
    static auto hold_shared(futon::SharedLock& lock, const Limits& limits) {
        return lock.scoped_lock_shared_async(limits);
    }
    static auto hold_upgradeable(futon::SharedLock& lock, const Limits& limits) {
        return lock.scoped_lock_upgradeable_async(limits);
    }
    static auto upgrade(futon::SharedLock::UpgradeableGuard& reader, const Limits& limits) {
        return reader.upgrade_async(limits);
    }
    static auto acquire(futon::Semaphore& permits, std::uint64_t count, const Limits& limits) {
        return permits.scoped_acquire_async(count, limits);
    }
    static auto wait(auto& signal, const Limits& limits) { return signal.wait_async(limits); }
    static auto wait(futon::Condition& condition, futon::AsyncLock::Guard& guard, const Limits& limits) {
        return condition.wait_async(guard, limits);
    }
    static auto arrive_and_wait(futon::Latch& latch, const Limits& limits) {
        return latch.arrive_and_wait_async(1, limits);
    }
    static auto arrive_and_wait(futon::Barrier<>& barrier, const Limits& limits) {
        return barrier.arrive_and_wait_async(limits);
    }
    static auto send(futon::ByteChannel& channel, std::span<const std::byte> bytes, const Limits& limits) {
        return channel.send_async(bytes, limits);
    }
    static auto receive(futon::ByteChannel& channel, const Limits& limits) { return channel.receive_async(limits); }
    template <class... Choices>
    static auto select(Choices... choices) {
        return futon::select_async(std::move(choices)...);
    }
};

/// The environment of the thread ends.
struct Stopped : std::exception {};

/// Where things are, as in support/family_memory.js. Bytes:
inline constexpr std::size_t lock_at = 0, condition_at = 4, shared_lock_at = 8, semaphore_at = 16, event_at = 32,
                             signal_at = 40, other_condition_at = 44, barrier_at = 48, latches_at = 256,
                             channel_at = 2048;
/// Words:
inline constexpr std::size_t count = 16, inside = 17, failed = 18, done = 19, first = 20, second = 21, items = 22,
                             put = 23, taken_out = 24, chosen = 26, next = 30, ready = 31, order = 32;

/// What one thread does.
struct Run {
    Words words;
    std::stop_token stop;
    std::int32_t id = 0;
    std::int32_t participants = 0;
    std::int32_t rounds = 0;
    std::uint32_t attempts = 0;

    /// Memory that a primitive protects, or that only changes before others are told.
    std::int32_t& plain(std::size_t index) const noexcept { return words.data()[index]; }
    futon::Word<std::int32_t> word(std::size_t index) const noexcept { return words[index]; }

    /// Counts a promise of the primitive that was broken.
    void expect(bool holds) const {
        if (!holds) word(failed).fetch_add(1);
    }

    /// Of the next attempt: none, a short time, or none at all that could be waited for.
    Limits next_limits() {
        using namespace std::chrono_literals;
        switch (attempts++ % 3) {
            case 1:
                return {20us, stop};
            case 2:
                return {0us, stop};
            default:
                return stop;
        }
    }

    void require_running() const {
        if (stop.stop_requested()) throw Stopped();
    }
};

/// Waits until all others are there.
inline void begin(const Run& run) {
    const futon::Word<std::int32_t> word = run.word(ready);
    word.fetch_add(1);
    futon::notify(word);
    for (std::int32_t there = word.load(); there < run.participants; there = word.load()) {
        futon::wait(word, there, run.stop);
        run.require_running();
    }
}

inline bool is_done(futon::WaitResult result) noexcept {
    return result == futon::WaitResult::ok;
}
inline bool is_done(const futon::Semaphore::Permits& permits) noexcept {
    return permits.count() != 0;
}
inline bool is_done(const futon::SendResult<>& sent) noexcept {
    return sent || sent.result() == futon::ChannelResult::closed;
}
template <class T>
bool is_done(const futon::Received<T>& received) noexcept {
    return received || received.result() == futon::ChannelResult::closed;
}
template <class Guard>
    requires requires(const Guard& guard) {
        guard.owns_lock();
    }
bool is_done(const Guard& guard) noexcept {
    return guard.owns_lock();
}

/// Attempts, some of them with limits, until one is done.
template <class Result, class Attempt>
futon::Promise<Result> until_done(Run& run, Attempt attempt) {
    while (true) {
        Result result = co_await attempt(run.next_limits());
        if (is_done(result)) co_return result;
        run.require_running();
    }
}

}  // namespace family
