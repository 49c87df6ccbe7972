// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <string_view>

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
    // What blocks has a twin that is awaited; that of a lock gives a guard. An operation of others has none that is known.
    // Printed, for a program that only locks needs nothing else of std::string's functions.
    const std::string_view name = operation;
    const std::size_t lock = name.find("Lock::lock");
    const bool is_own = name.starts_with("futon::");
    const bool gives_guard = is_own && lock != std::string_view::npos;
    const std::size_t stem = gives_guard ? lock + 6 : name.size();
    char text[256];
    std::snprintf(text, sizeof text,
                  "%s: this agent may not block (futon::Agent::can_block); co_await %.*s%s%s%s there", operation,
                  is_own ? static_cast<int>(stem) : 0, operation, gives_guard ? "scoped_" : "",
                  is_own ? operation + stem : "futon::await", is_own ? "_async" : "");
    throw BlockingForbidden(text);
}

constinit thread_local Agent** this_thread_slot = nullptr;
constinit thread_local std::uint32_t this_thread_draws = 0;

Agent** find_this_thread_slot() noexcept {
    return this_thread_slot = core::common_agent_slot();
}

}  // namespace futon::detail

namespace futon {

Agent** core::own_agent_slot() noexcept {
    return &detail::this_thread_agent;
}

}  // namespace futon
