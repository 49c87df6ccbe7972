// SPDX-License-Identifier: MIT
// The primitives besides the lock. JavaScript has validated the arguments; see lib/primitive.js.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <futon/core/operation/operation.hpp>
#include <futon/fairness.hpp>

#include "arguments.hpp"
#include "blocked_call.hpp"
#include "environment.hpp"
#include "functions.hpp"
#include "operation_of.hpp"

namespace futon::node {

namespace {

/// Arrives at a barrier, and calls the function with the operation that waits for the phase. Leaves not_equal if the barrier needs no
/// more arrivals.
template <class F>
void with_arrival(Mailbox& mailbox, F function) {
    auto& barrier = object_in<Barrier<>>(mailbox);
    const auto arrive = [&]() -> std::optional<BarrierBase::Arrival> {
        try {
            return barrier.arrive();
        } catch (const std::logic_error&) {
            return std::nullopt;
        }
    };
    if (const auto arrival = arrive()) {
        function(barrier.waiting(*arrival));
    } else {
        mailbox.outcome = Outcome::not_equal;
    }
}

/// Calls the function with the operation that waits at a condition. Its lock is this thread's, by the acquisition that the mailbox names;
/// from here on it is the operation's. If the wait is refused, because other waiters use another lock, the lock is released.
template <class F>
void with_wait_at_condition(Environment& environment, F function) {
    Mailbox& mailbox = environment.mailbox();
    AsyncLock& lock = second_lock_in(mailbox);
    mailbox.taken_note = -1;
    if (!environment.has_acquired(lock, mailbox.acquisition)) {
        mailbox.outcome = Outcome::not_held;
        return;
    }
    environment.forget(lock);  // first: once it is released, it is another's
    try {
        function(object_in<Condition>(mailbox).waiting(AsyncLock::Guard(lock, std::adopt_lock)));
    } catch (const std::system_error&) {
        mailbox.outcome = Outcome::not_equal;
    }
}

/// Calls the function with the operation that waits for the primitive.
template <class F>
void with_operation(Environment& environment, F function) {
    Mailbox& mailbox = environment.mailbox();
    const auto kind = static_cast<Kind>(mailbox.kind);
    if (kind == Kind::barrier) {
        with_arrival(mailbox, function);
    } else if (kind == Kind::condition) {
        with_wait_at_condition(environment, function);
    } else if (kind == Kind::upgrade) {
        function(Upgrading(object_in<SharedLock>(mailbox)));
    } else {
        with_choice(environment, function);
    }
}

constexpr Outcome done_if(bool is_done) noexcept {
    return is_done ? Outcome::ok : Outcome::not_equal;
}

/// Makes a primitive in memory that is all zero, which no other thread uses yet.
template <class T, class... Args>
Outcome make(const Mailbox& mailbox, Args... args) {
    const unsigned char zeros[sizeof(T)] = {};
    if (std::memcmp(address_in(mailbox), zeros, sizeof zeros) != 0) return Outcome::not_equal;
    new (address_in(mailbox)) T(args...);
    return Outcome::ok;
}

/// The maximum and the fairness of a semaphore come in the place of a word's value.
Outcome act_on_semaphore(Mailbox& mailbox, Verb verb) {
    auto& semaphore = object_in<Semaphore>(mailbox);
    switch (verb) {
        case Verb::make:
            return make<Semaphore>(mailbox, count_in(mailbox), static_cast<std::uint64_t>(mailbox.expected),
                                   mailbox.width != 0 ? Fairness::strict : Fairness::bounded);
        case Verb::try_take:
            return done_if(semaphore.try_acquire(count_in(mailbox)));
        case Verb::give:
            return done_if(semaphore.try_release(count_in(mailbox)));
        case Verb::look:
            mailbox.count = semaphore.available();
            return Outcome::ok;
        case Verb::limit:
            mailbox.count = semaphore.maximum();
            return Outcome::ok;
        case Verb::reset:
            break;
    }
    return Outcome::not_equal;
}

template <class T>
Outcome act_on_event(Mailbox& mailbox, Verb verb) {
    auto& event = object_in<T>(mailbox);
    switch (verb) {
        case Verb::make:
            return make<T>(mailbox, true);
        case Verb::try_take:
            return done_if(event.try_wait());
        case Verb::give:
            event.set();
            return Outcome::ok;
        case Verb::reset:
            event.reset();
            return Outcome::ok;
        case Verb::look:
            return done_if(event.is_set());
        case Verb::limit:
            break;
    }
    return Outcome::not_equal;
}

Outcome act_on_latch(Mailbox& mailbox, Verb verb) {
    auto& latch = object_in<Latch>(mailbox);
    switch (verb) {
        case Verb::make:
            return make<Latch>(mailbox, count_in(mailbox));
        case Verb::give:
            try {
                latch.count_down(count_in(mailbox));
                return Outcome::ok;
            } catch (const std::logic_error&) {  // more than the count
                return Outcome::not_equal;
            }
        case Verb::try_take:
        case Verb::look:
            return done_if(latch.try_wait());
        case Verb::limit:
            mailbox.count = Latch::max();
            return Outcome::ok;
        case Verb::reset:
            break;
    }
    return Outcome::not_equal;
}

/// Unlocks, if the lock is held so.
template <class Unlock>
Outcome release(Unlock unlock) {
    try {
        unlock();
        return Outcome::ok;
    } catch (const std::system_error&) {
        return Outcome::not_equal;
    }
}

Outcome act_on_exclusive_lock(Mailbox& mailbox, Verb verb) {
    auto& lock = object_in<SharedLock>(mailbox);
    switch (verb) {
        case Verb::try_take:
            return done_if(lock.try_lock());
        case Verb::give:
            return release([&] { lock.unlock(); });
        case Verb::reset:  // to a shared hold
            return release([&] { lock.downgrade(); });
        default:
            return Outcome::not_equal;
    }
}

Outcome act_on_shared_lock(const Mailbox& mailbox, Verb verb) {
    auto& lock = object_in<SharedLock>(mailbox);
    switch (verb) {
        case Verb::try_take:
            return done_if(lock.try_lock_shared());
        case Verb::give:
            return release([&] { lock.unlock_shared(); });
        default:
            return Outcome::not_equal;
    }
}

Outcome act_on_upgradeable_lock(const Mailbox& mailbox, Verb verb) {
    auto& lock = object_in<SharedLock>(mailbox);
    switch (verb) {
        case Verb::try_take:
            return done_if(lock.try_lock_upgradeable());
        case Verb::give:
            return release([&] { lock.unlock_upgradeable(); });
        case Verb::reset:  // to a shared hold
            return release([&] { lock.downgrade_upgradeable(); });
        default:
            return Outcome::not_equal;
    }
}

/// From an upgradeable hold to an exclusive one, and back. A try leaves in `count`: 0 if it was done, 1 if there are readers, -1 if it was
/// refused.
Outcome act_on_upgrade(Mailbox& mailbox, Verb verb) {
    auto& lock = object_in<SharedLock>(mailbox);
    switch (verb) {
        case Verb::try_take:
            try {
                mailbox.count = lock.try_upgrade() ? 0 : 1;
            } catch (const std::system_error&) {
                mailbox.count = -1;
            }
            return done_if(mailbox.count == 0);
        case Verb::reset:
            return release([&] { lock.downgrade_to_upgradeable(); });
        default:
            return Outcome::not_equal;
    }
}

Outcome act_on_barrier(Mailbox& mailbox, Verb verb) {
    auto& barrier = object_in<Barrier<>>(mailbox);
    try {
        switch (verb) {
            case Verb::make:
                return make<Barrier<>>(mailbox, count_in(mailbox));
            case Verb::give:
                static_cast<void>(barrier.arrive(count_in(mailbox)));
                return Outcome::ok;
            case Verb::reset:
                barrier.arrive_and_drop();
                return Outcome::ok;
            case Verb::limit:
                mailbox.count = Barrier<>::max();
                return Outcome::ok;
            case Verb::try_take:
            case Verb::look:
                break;
        }
    } catch (const std::logic_error&) {  // the phase needs no more arrivals
    }
    return Outcome::not_equal;
}

/// Notifies up to `count` waiters.
Outcome act_on_condition(Mailbox& mailbox, Verb verb) noexcept {
    if (verb != Verb::give) return Outcome::not_equal;
    auto& condition = object_in<Condition>(mailbox);
    double notified = 0;
    if (std::isinf(mailbox.count)) {
        notified = static_cast<double>(condition.notify_all());
    } else {
        while (notified < mailbox.count && condition.notify_one() != 0) ++notified;
    }
    mailbox.count = notified;
    return Outcome::ok;
}

/// The memory of a channel is all from its address on that the buffer has: `expected` says how much. A capacity that does not fit, or a
/// channel that was made there before: not_equal.
Outcome act_on_channel(Mailbox& mailbox, Verb verb) {
    const std::span memory(static_cast<std::byte*>(address_in(mailbox)), static_cast<std::size_t>(mailbox.expected));
    try {
        if (verb == Verb::make) {
            ByteChannel::make_at(memory, static_cast<std::size_t>(mailbox.count));
            return Outcome::ok;
        }
        if (verb == Verb::reset) {  // look whether one was made there
            ByteChannel::at(memory);
            return Outcome::ok;
        }
    } catch (const std::logic_error&) {
        return Outcome::not_equal;
    }
    auto& channel = object_in<ByteChannel>(mailbox);
    switch (verb) {
        case Verb::give:
            channel.close();
            return Outcome::ok;
        case Verb::look:
            return done_if(channel.is_closed());
        case Verb::limit:
            mailbox.count = static_cast<double>(channel.capacity());
            return Outcome::ok;
        default:
            return Outcome::not_equal;
    }
}

}  // namespace

napi_value begin_operation(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const Deadline deadline = deadline_in(mailbox);
    with_operation(environment, [&](auto op) {
        using Op = decltype(op);
        const PromiseCall call(Op::name, !deadline.is_never());
        if (const auto ended = core::attempt<core::Caller::task>(op, deadline)) {
            mailbox.outcome = to_outcome(environment.take(op.result(*ended)));
            return;
        }
        PendingWait& wait = environment.begin_wait(true);
        WaitLimits& limits = wait.add_limits();
        limits.deadline = deadline;
        Op& kept = std::get<Op>(limits.operation.emplace(std::in_place_type<Op>, std::move(op)));
        if (core::enqueue<core::Caller::task>(kept, wait) != core::Progress::queued) {
            // It could be taken in between, and has been; or it was refused.
            Op done = std::move(kept);
            environment.give_back(wait);
            mailbox.outcome = to_outcome(environment.take(done.result(core::Ending::at_once)));
            return;
        }
        limits.bytes = std::move(environment.bytes());  // they stay where they are
        environment.enqueued(wait);
        mailbox.outcome = static_cast<std::int32_t>(wait.slot());
    });
    return nullptr;
}

napi_value block_in_operation(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    with_operation(environment, [&](auto op) {
        mailbox.outcome = to_outcome(environment.take(block_here(environment, std::move(op), deadline_in(mailbox))));
    });
    return nullptr;
}

napi_value act(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const Environment::Call call(environment);  // what is given to promises of this thread is settled by the caller
    mailbox.loop_time = environment.loop_time();
    const auto verb = static_cast<Verb>(mailbox.narrow);
    switch (static_cast<Kind>(mailbox.kind)) {
        case Kind::semaphore:
            mailbox.outcome = act_on_semaphore(mailbox, verb);
            break;
        case Kind::event:
            mailbox.outcome = act_on_event<Event>(mailbox, verb);
            break;
        case Kind::auto_reset_event:
            mailbox.outcome = act_on_event<AutoResetEvent>(mailbox, verb);
            break;
        case Kind::latch:
            mailbox.outcome = act_on_latch(mailbox, verb);
            break;
        case Kind::exclusive_lock:
            mailbox.outcome = act_on_exclusive_lock(mailbox, verb);
            break;
        case Kind::shared_lock:
            mailbox.outcome = act_on_shared_lock(mailbox, verb);
            break;
        case Kind::upgradeable_lock:
            mailbox.outcome = act_on_upgradeable_lock(mailbox, verb);
            break;
        case Kind::upgrade:
            mailbox.outcome = act_on_upgrade(mailbox, verb);
            break;
        case Kind::barrier:
            mailbox.outcome = act_on_barrier(mailbox, verb);
            break;
        case Kind::condition:
            mailbox.outcome = act_on_condition(mailbox, verb);
            break;
        case Kind::sending:
        case Kind::receiving:
            mailbox.outcome = act_on_channel(mailbox, verb);
            break;
        case Kind::lock:
        case Kind::word:
            break;  // have functions of their own
    }
    return nullptr;
}

}  // namespace futon::node
