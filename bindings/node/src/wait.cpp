// SPDX-License-Identifier: MIT
#include <atomic>

#include "arguments.hpp"
#include "blocked_call.hpp"
#include "functions.hpp"

namespace futon::node {

napi_value wait(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    // The specification orders a wait that does not block after each notify before it, and each later notify after the
    // wait. The comparison outside of the queue's lock does not; with this fence and notify's, it does.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    mailbox.outcome = to_outcome(block_here(environment, wait_in(mailbox), deadline_in(mailbox)));
    return nullptr;
}

}  // namespace futon::node
