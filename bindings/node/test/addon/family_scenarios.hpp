// SPDX-License-Identifier: MIT
#pragma once

// What a thread of C++ does in each scenario of both_languages.test.js; support/family_scenarios.js is the same in JavaScript.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "family_ways.hpp"

namespace family {

using futon::AsyncLock;
using futon::Promise;
using futon::WaitResult;

/// One owner at a time counts.
inline void count_alone(const Run& run, std::size_t counter = count) {
    run.expect(run.word(inside).exchange(1) == 0);
    run.plain(counter) += 1;
    run.word(inside).store(0);
}

template <class Way>
Promise<void> lock(Run& run) {
    auto& lock = run.words.object<AsyncLock>(lock_at);
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        const auto guard =
            co_await until_done<AsyncLock::Guard>(run, [&](const Limits& limits) { return Way::hold(lock, limits); });
        count_alone(run);
    }
}

/// Holds it upgradeable, reads, and upgrades.
template <class Way>
Promise<futon::SharedLock::Guard> upgraded(Run& run, futon::SharedLock& lock) {
    using futon::SharedLock;
    auto reader = co_await until_done<SharedLock::UpgradeableGuard>(
        run, [&](const Limits& limits) { return Way::hold_upgradeable(lock, limits); });
    const std::int32_t seen = run.plain(first);
    run.expect(seen == run.plain(second));
    auto writer =
        co_await until_done<SharedLock::Guard>(run, [&](const Limits& limits) { return Way::upgrade(reader, limits); });
    run.expect(run.plain(first) == seen && !reader.owns_lock());
    co_return writer;
}

/// Each third hold writes, each fourth of these after an upgrade, and each other of these goes on as a reader.
template <class Way>
Promise<void> shared_lock(Run& run) {
    using futon::SharedLock;
    auto& lock = run.words.object<SharedLock>(shared_lock_at);
    const auto read = [&run] { run.expect(run.plain(first) == run.plain(second)); };
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        if (i % 3 == 0) {
            // GCC 12 evaluates both operands of a conditional one of which is awaited.
            SharedLock::Guard writer(WaitResult::timed_out);
            if (i % 4 == 0)
                writer = co_await upgraded<Way>(run, lock);
            else
                writer = co_await until_done<SharedLock::Guard>(
                    run, [&](const Limits& limits) { return Way::hold(lock, limits); });
            run.plain(first) += 1;
            count_alone(run, second);
            if (i % 2 != 0) continue;
            if (i % 8 == 0) {
                auto again = writer.downgrade_to_upgradeable();
                read();
                const auto reader = again.downgrade();
                read();
                continue;
            }
            const auto reader = writer.downgrade();
            read();
        } else {
            const auto reader = co_await until_done<SharedLock::SharedGuard>(
                run, [&](const Limits& limits) { return Way::hold_shared(lock, limits); });
            read();
        }
    }
}

/// Three permits, of which each takes one or two.
template <class Way>
Promise<void> semaphore(Run& run) {
    auto& semaphore = run.words.object<futon::Semaphore>(semaphore_at);
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        const std::int32_t n = 1 + i % 2;
        const auto permits = co_await until_done<futon::Semaphore::Permits>(
            run, [&](const Limits& limits) { return Way::acquire(semaphore, static_cast<std::uint64_t>(n), limits); });
        run.expect(run.word(inside).fetch_add(n) + n <= 3);
        run.word(count).fetch_add(n);
        run.word(inside).fetch_sub(n);
    }
}

/// Two events in turn: the last one that has passed an event resets it, and sets the other.
template <class Way>
Promise<void> event(Run& run) {
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        const auto at = [&](std::int32_t round) -> futon::Event& {
            return run.words.object<futon::Event>(event_at + 4 * static_cast<std::size_t>(round % 2));
        };
        co_await until_done<WaitResult>(run, [&](const Limits& limits) { return Way::wait(at(i), limits); });
        const std::int32_t passed = run.word(count).fetch_add(1) + 1;
        run.expect(passed > i * run.participants && passed <= (i + 1) * run.participants);
        if (passed != (i + 1) * run.participants) continue;
        at(i).reset();
        at(i + 1).set();
    }
}

/// One signal, which each passes on.
template <class Way>
Promise<void> signal(Run& run) {
    auto& signal = run.words.object<futon::AutoResetEvent>(signal_at);
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        co_await until_done<WaitResult>(run, [&](const Limits& limits) { return Way::wait(signal, limits); });
        count_alone(run);
        signal.set();
    }
}

/// A latch for each round.
template <class Way>
Promise<void> latch(Run& run) {
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        auto& latch = run.words.object<futon::Latch>(latches_at + 4 * static_cast<std::size_t>(i));
        run.word(count).fetch_add(1);
        if (i % 2 == 0) {
            const bool is_served = is_done(co_await Way::arrive_and_wait(latch, run.stop));
            if (!is_served) throw Stopped();
        } else {
            latch.count_down();
            co_await until_done<WaitResult>(run, [&](const Limits& limits) { return Way::wait(latch, limits); });
        }
        run.expect(run.word(count).load() >= (i + 1) * run.participants);
    }
}

template <class Way>
Promise<void> barrier(Run& run) {
    auto& barrier = run.words.object<futon::Barrier<>>(barrier_at);
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        run.word(count).fetch_add(1);
        const bool is_served = is_done(co_await Way::arrive_and_wait(barrier, run.stop));
        if (!is_served) throw Stopped();
        const std::int32_t arrived = run.word(count).load();
        run.expect(arrived >= (i + 1) * run.participants && arrived < (i + 2) * run.participants);
    }
    barrier.arrive_and_drop();
}

/// A buffer of two items: each puts one in, and takes one out.
template <class Way>
Promise<void> condition(Run& run) {
    auto& lock = run.words.object<AsyncLock>(lock_at);
    auto& not_empty = run.words.object<futon::Condition>(condition_at);
    auto& not_full = run.words.object<futon::Condition>(other_condition_at);
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        for (const bool puts : {true, false}) {
            auto guard = co_await until_done<AsyncLock::Guard>(
                run, [&](const Limits& limits) { return Way::hold(lock, limits); });
            auto& mine = puts ? not_full : not_empty;
            while (run.plain(items) == (puts ? 2 : 0)) {
                co_await Way::wait(mine, guard, run.next_limits());
                run.expect(guard.owns_lock());
                run.require_running();
            }
            run.plain(items) += puts ? 1 : -1;
            run.plain(puts ? put : taken_out) += 1;
            run.expect(run.plain(items) >= 0 && run.plain(items) <= 2);
            (puts ? not_empty : not_full).notify_one();
        }
    }
}

/// Who has sent a message, and how many that one has sent before.
using Numbers = std::array<std::int32_t, 2>;

/// Each sends a message and receives one. The last one that has done so closes the channel.
template <class Way>
Promise<void> channel(Run& run) {
    auto& channel = run.words.object<futon::ByteChannel>(channel_at);
    std::vector<std::int32_t> last(static_cast<std::size_t>(run.participants), -1);
    for (std::int32_t i = 0; i < run.rounds; ++i) {
        const Numbers message{run.id, i};
        const auto sent = co_await until_done<futon::SendResult<>>(
            run, [&](const Limits& limits) { return Way::send(channel, std::as_bytes(std::span(message)), limits); });
        run.expect(static_cast<bool>(sent));

        const auto received = co_await until_done<futon::Received<futon::ByteChannel::Message>>(
            run, [&](const Limits& limits) { return Way::receive(channel, limits); });
        Numbers found{};
        run.expect(received && received->bytes.size() == sizeof found);
        std::memcpy(found.data(), received.value().bytes.data(), sizeof found);
        auto& before = last.at(static_cast<std::size_t>(found[0]));
        run.expect(found[1] > before);
        before = found[1];
        run.word(put).fetch_add(i);
        run.word(taken_out).fetch_add(found[1]);
    }
    auto& is_closed = run.words.object<futon::Event>(event_at);
    if (run.word(count).fetch_add(1) + 1 == run.participants) {
        channel.close();
        is_closed.set();
    }
    const bool is_served = is_done(co_await Way::wait(is_closed, run.stop));
    if (!is_served) throw Stopped();
    const auto end = co_await Way::receive(channel, run.stop);
    run.require_running();
    run.expect(end.result() == futon::ChannelResult::closed);
}

/// A lock, a permit, a signal, and a message: each is there once, and one thread at a time has it.
template <class Way>
Promise<void> select(Run& run) {
    auto& lock = run.words.object<AsyncLock>(lock_at);
    auto& permits = run.words.object<futon::Semaphore>(semaphore_at);
    auto& signal = run.words.object<futon::AutoResetEvent>(signal_at);
    auto& channel = run.words.object<futon::ByteChannel>(channel_at);
    const auto count_chosen = [&](std::size_t index) {
        run.expect(run.word(order + index).exchange(1) == 0);
        run.plain(chosen + index) += 1;
        run.word(order + index).store(0);
    };
    for (std::int32_t i = 0; i < run.rounds;) {
        const Limits limits = run.next_limits();
        auto found =
            co_await Way::select(lock.locking(), permits.scoped_acquiring(), signal.waiting(), channel.receiving(),
                                 futon::timeout(limits.deadline()), futon::stop_requested(run.stop));
        const std::size_t index = found.index();
        run.require_running();
        if (index > 3) continue;
        count_chosen(index);
        if (index == 2) signal.set();
        if (index == 3) {
            const auto& message = std::get<3>(found).value();
            run.expect(channel.try_send(message.bytes, message.kind).result() == futon::ChannelResult::ok);
        }
        ++i;
    }
}

// A result has a name before it is asked for: GCC 12 destroys too early what is awaited in a condition.

/// Notes that the thread has been served.
inline void note(const Run& run) {
    const auto place = static_cast<std::size_t>(run.word(count).fetch_add(1));
    run.word(order + place).store(run.id);
    run.word(next).fetch_add(1);
    futon::notify(run.word(next));
}

template <class Way>
Promise<void> lock_in_order(Run& run) {
    const auto guard = co_await Way::hold(run.words.object<AsyncLock>(lock_at), run.stop);
    if (!guard.owns_lock()) throw Stopped();
    note(run);
}

template <class Way>
Promise<void> semaphore_in_order(Run& run) {
    const auto permits = co_await Way::acquire(run.words.object<futon::Semaphore>(semaphore_at), 1, run.stop);
    if (permits.count() == 0) throw Stopped();
    note(run);
}

template <class Way>
Promise<void> shared_lock_in_order(Run& run) {
    const auto writer = co_await Way::hold(run.words.object<futon::SharedLock>(shared_lock_at), run.stop);
    if (!writer.owns_lock()) throw Stopped();
    note(run);
}

template <class Way>
Promise<void> signal_in_order(Run& run) {
    const bool is_served = is_done(co_await Way::wait(run.words.object<futon::AutoResetEvent>(signal_at), run.stop));
    if (!is_served) throw Stopped();
    note(run);
}

template <class Way>
Promise<void> condition_in_order(Run& run) {
    auto guard = co_await Way::hold(run.words.object<AsyncLock>(lock_at), run.stop);
    if (!guard.owns_lock()) throw Stopped();
    const bool is_served =
        is_done(co_await Way::wait(run.words.object<futon::Condition>(condition_at), guard, run.stop));
    if (!is_served) throw Stopped();
    note(run);
}

}  // namespace family
