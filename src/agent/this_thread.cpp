// SPDX-License-Identifier: MIT
#include <string>

#include <futon/agent.hpp>

// What a program that only blocks needs of agents: nothing of event loops is linked into it.
namespace futon::detail {

constinit thread_local Agent* this_thread_agent = nullptr;

void throw_blocking_forbidden(const char* operation) {
    throw BlockingForbidden(std::string(operation) + ": this agent may not block; see futon::Agent::can_block");
}

}  // namespace futon::detail
