// SPDX-License-Identifier: MIT
#include "arguments.hpp"
#include "blocked_call.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

Outcome wait_here(Environment& environment) noexcept {
    const Mailbox& mailbox = environment.mailbox();
    const Deadline deadline = deadline_in(mailbox);
    BlockedCall waiter(environment);
    if (!waiter.enqueue(check_in(mailbox))) return Outcome::not_equal;

    const Environment::Wake wake = environment.block(waiter, deadline);
    if (wake != Environment::Wake::delivered) {
        if (core::process_table().dequeue(waiter, WaitResult::timed_out))
            return wake == Environment::Wake::due ? Outcome::timed_out : Outcome::ended;
        waiter.park();  // [once] a waker has dequeued it: the wake is on its way, and counted
    }
    return Outcome::ok;
}

}  // namespace

napi_value wait(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    environment.mailbox().outcome = wait_here(environment);
    return nullptr;
}

}  // namespace futon::node
