// SPDX-License-Identifier: MIT
#include <string>

#include <futon/agent.hpp>

#include "core/copies.hpp"
#include "platform/fork.hpp"

// What a program that only blocks needs of agents: nothing of event loops is linked into it.
namespace futon::detail {

constinit thread_local Agent* this_thread_agent = nullptr;

namespace {

// [fork] The agents of the parent's thread are the parent's: in the child this thread has made none.
FUTON_EARLY const platform::ChildHandler has_no_agent([]() noexcept { this_thread_agent = nullptr; });

}  // namespace

void throw_blocking_forbidden(const char* operation) {
    throw BlockingForbidden(std::string(operation) + ": this agent may not block; see futon::Agent::can_block");
}

constinit thread_local Agent** this_thread_slot = nullptr;

Agent** find_this_thread_slot() noexcept {
    return this_thread_slot = core::common_agent_slot();
}

}  // namespace futon::detail

namespace futon {

Agent** core::own_agent_slot() noexcept {
    return &detail::this_thread_agent;
}

}  // namespace futon
