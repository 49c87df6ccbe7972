// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include <utility>

#include <futon/core/operation.hpp>

#include "arguments.hpp"
#include "blocked_call.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

/// The lock belongs to JavaScript from here on, which has a guard of its own.
Outcome pass_on(AsyncLock::Guard guard) noexcept {
    guard.release();
    return to_outcome(guard.result());
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
    mailbox.outcome = pass_on(block_here(environment, lock_in(mailbox).locking(), deadline_in(mailbox)));
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
    AsyncLock::Locking locking = lock_in(mailbox).locking();
    const Deadline deadline = deadline_in(mailbox);
    if (const auto ended = core::attempt<core::Caller::task>(locking, deadline, {})) {
        mailbox.outcome = pass_on(locking.result(*ended));
        return nullptr;
    }

    PendingWait& wait = environment.begin_wait(true);
    WaitLimits& limits = wait.add_limits();
    limits.deadline = deadline;
    limits.locking.emplace(std::move(locking));
    if (core::enqueue<core::Caller::task>(*limits.locking, wait) != core::Progress::queued) {
        // It was released in between, and is now locked here.
        mailbox.outcome = pass_on(limits.locking->result(core::Ending::at_once));
        environment.give_back(wait);
        return nullptr;
    }
    environment.enqueued(wait);
    mailbox.outcome = static_cast<std::int32_t>(wait.slot());
    return nullptr;
}

}  // namespace futon::node
