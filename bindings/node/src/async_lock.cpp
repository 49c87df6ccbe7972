// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include "arguments.hpp"
#include "blocked_call.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

/// As AsyncLock::lock, but checks periodically whether Node is ending this thread.
Outcome lock_here(Environment& environment, AsyncLock& lock) noexcept {
    if (lock.try_lock() || lock.try_lock_spinning()) return Outcome::ok;

    BlockedCall waiter(environment, lock.handoff_deadline());
    while (waiter.enqueue(lock.held_by_another())) {
        if (environment.block(waiter, Deadline::never()) == Environment::Wake::ended) {
            if (core::process_table().dequeue(waiter, WaitResult::cancelled)) return Outcome::ended;
            // It was woken, or handed the lock, before it could be dequeued: that goes to the next waiter.
            waiter.park();
            if (waiter.is_granted || lock.try_lock()) lock.try_unlock();
            return Outcome::ended;
        }
        if (waiter.is_granted || lock.try_lock_spinning()) return Outcome::ok;
    }
    return Outcome::ok;
}

}  // namespace

napi_value try_lock(napi_env env, napi_callback_info info) {
    Mailbox& mailbox = environment_of(env, info).mailbox();
    mailbox.outcome = lock_in(mailbox).try_lock() ? Outcome::ok : Outcome::not_equal;
    return nullptr;
}

napi_value lock(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    mailbox.outcome = lock_here(environment, lock_in(mailbox));
    return nullptr;
}

napi_value unlock(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const Environment::Call call(environment);
    mailbox.outcome = lock_in(mailbox).try_unlock() ? Outcome::ok : Outcome::not_held;
    return nullptr;
}

napi_value lock_or_enqueue(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    AsyncLock& lock = lock_in(mailbox);
    const Deadline deadline = deadline_in(mailbox);
    if (lock.try_lock()) {
        mailbox.outcome = Outcome::ok;
        return nullptr;
    }
    if (deadline.is_due()) {
        mailbox.outcome = Outcome::timed_out;
        return nullptr;
    }

    PendingWait& wait = environment.begin_wait(true);
    WaitLimits& limits = wait.add_limits();
    limits.deadline = deadline;
    limits.lock = &lock;
    limits.handoff_deadline = lock.handoff_deadline();
    if (!core::process_table().enqueue(wait, lock.held_by_another())) {
        environment.give_back(wait);  // it was released in between, and is now locked here
        mailbox.outcome = Outcome::ok;
        return nullptr;
    }
    environment.enqueued(wait);
    mailbox.outcome = static_cast<std::int32_t>(wait.slot());
    return nullptr;
}

}  // namespace futon::node
