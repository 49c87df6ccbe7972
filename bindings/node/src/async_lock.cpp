// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include "arguments.hpp"
#include "blocked_call.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

/// The lock belongs to this thread of JavaScript from here on, which has a guard of its own.
Outcome acquired(Environment& environment, AsyncLock& lock) noexcept {
    environment.acquired(lock);
    return Outcome::ok;
}

}  // namespace

napi_value try_lock(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    AsyncLock& lock = lock_in(mailbox);
    mailbox.loop_time = environment.loop_time();
    mailbox.outcome = lock.try_lock() ? acquired(environment, lock) : Outcome::not_equal;
    return nullptr;
}

napi_value lock(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    AsyncLock& lock = lock_in(mailbox);
    const Deadline deadline = deadline_in(mailbox);
    mailbox.loop_time = environment.loop_time();
    const auto is_held_here = [&] { return deadline.is_never() && environment.held_locks().is_held_here(&lock); };
    // To try tells the diagnostics of no order of locks, for it closes no deadlock.
    if ((!core::probe::is_enabled || is_held_here()) && lock.try_lock()) {
        mailbox.outcome = acquired(environment, lock);
    } else if (is_held_here()) {
        mailbox.outcome = Outcome::held_here;  // another thread might release it, but would hardly be meant to
    } else {
        mailbox.outcome = to_outcome(environment.take(block_here(environment, lock.locking(), deadline)));
    }
    return nullptr;
}

napi_value unlock(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const Environment::Call call(environment);
    AsyncLock& lock = lock_in(mailbox);
    if (mailbox.acquisition != 0 && !environment.has_acquired(lock, mailbox.acquisition)) {
        mailbox.outcome = Outcome::not_held;
        mailbox.taken_note = -1;
        return nullptr;
    }
    environment.forget(lock);  // first: once it is released, it is another's
    mailbox.outcome = lock.try_unlock() ? Outcome::ok : Outcome::not_held;
    return nullptr;
}

napi_value note_of(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const int place = environment.held_locks().place_of(address_in(mailbox));
    mailbox.count = place;
    mailbox.acquisition = place < 0 ? 0 : environment.held_locks().acquisition_at(place);
    return nullptr;
}

napi_value holder_of(napi_env env, napi_callback_info info) {
    Mailbox& mailbox = environment_of(env, info).mailbox();
    mailbox.count = HeldLocks::holder_of(address_in(mailbox));
    return nullptr;
}

}  // namespace futon::node
