// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>

#include <futon/core/operation/operation.hpp>

#include "arguments.hpp"
#include "engine_promise.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

/// A promise, and in `deferred` what settles it, if that takes more than the promise. Null in a thread that is being
/// terminated.
napi_value create_promise(napi_env env, const Environment& environment, napi_deferred* deferred) noexcept {
    if (environment.has_engine_promises()) return engine_promise::create();
    napi_value promise = nullptr;
    return napi_create_promise(env, deferred, &promise) == napi_ok ? promise : nullptr;
}

/// Frees what is kept for a promise that JavaScript has not seen.
void discard(napi_env env, napi_deferred deferred) noexcept {
    napi_value undefined = nullptr;
    must(napi_get_undefined(env, &undefined), "napi_get_undefined");
    if (deferred != nullptr) napi_resolve_deferred(env, deferred, undefined);
}

/// Enqueues a wait and returns it, or leaves in the mailbox why not. If `promise` is given, the promise is made first,
/// for nothing may fail after the wait was enqueued. [enqueue-safe]
PendingWait* enqueue_here(napi_env env, Environment& environment, napi_value* promise) {
    Mailbox& mailbox = environment.mailbox();
    WordWait op = wait_in(mailbox);
    const Deadline deadline = deadline_in(mailbox);
    if (mailbox.timeout == 0) {
        std::atomic_thread_fence(std::memory_order_seq_cst);  // as in `wait`
        const auto ended = core::attempt<core::Caller::task>(op, deadline);
        mailbox.outcome = to_outcome(WordWait::result(*ended));
        return nullptr;
    }

    napi_deferred deferred = nullptr;
    // Before the promise is made, for that may run hooks that wait as well: JavaScript relies on this slot.
    PendingWait& wait = environment.begin_wait(promise == nullptr);
    if (promise != nullptr && (*promise = create_promise(env, environment, &deferred)) == nullptr) {
        environment.give_back(wait);
        mailbox.outcome = Outcome::ended;
        return nullptr;
    }
    if (!deadline.is_never()) wait.add_limits().deadline = deadline;
    wait.set_deferred(deferred);
    wait.has_promise = promise != nullptr;
    const PromiseCall call(WordWait::name, !deadline.is_never());
    if (core::enqueue<core::Caller::task>(op, wait) != core::Progress::queued) {
        environment.give_back(wait);
        if (promise != nullptr) discard(env, deferred);
        mailbox.outcome = Outcome::not_equal;
        return nullptr;
    }
    environment.enqueued(wait);
    mailbox.outcome = static_cast<std::int32_t>(wait.slot());
    return &wait;
}

}  // namespace

napi_value enqueue(napi_env env, napi_callback_info info) {
    enqueue_here(env, environment_of(env, info), nullptr);
    return nullptr;
}

napi_value enqueue_with_promise(napi_env env, napi_callback_info info) {
    napi_value promise = nullptr;
    return enqueue_here(env, environment_of(env, info), &promise) != nullptr ? promise : nullptr;
}

napi_value fulfil(napi_env env, napi_callback_info info) {
    std::size_t count = 2;
    napi_value arguments[2] = {};
    void* data = nullptr;
    must(napi_get_cb_info(env, info, &count, arguments, nullptr, &data), "napi_get_cb_info");
    auto& environment = *static_cast<Environment*>(data);
    PendingWait& wait = environment.wait_at(static_cast<std::uint32_t>(environment.mailbox().slot));
    if (wait.deferred() != nullptr) {
        napi_resolve_deferred(env, wait.deferred(), arguments[0]);
        wait.set_deferred(nullptr);
    } else if (environment.has_engine_promises()) {
        engine_promise::fulfil(arguments[1], arguments[0]);
    }
    return nullptr;
}

napi_value take_settled(napi_env env, napi_callback_info info) {
    environment_of(env, info).take_settled();
    return nullptr;
}

napi_value cancel(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    mailbox.outcome = environment.cancel(static_cast<std::uint32_t>(mailbox.slot)) ? 1 : 0;
    return nullptr;
}

napi_value set_work(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    const Mailbox& mailbox = environment.mailbox();
    environment.set_work(static_cast<std::uint32_t>(mailbox.slot), mailbox.count != 0);
    return nullptr;
}

}  // namespace futon::node
