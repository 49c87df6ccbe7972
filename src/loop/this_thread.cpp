// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <futon/agent.hpp>

#include "platform/fork.hpp"
#include "queue/copies.hpp"

// The part of agents that a blocking program needs: it links nothing of event loops.
namespace futon::detail {

constinit thread_local Agent* this_thread_agent = nullptr;

namespace {

// [fork] The agents of the parent's thread are the parent's: in the child this thread has made none.
FUTON_EARLY const platform::ChildHandler has_no_agent([]() noexcept { this_thread_agent = nullptr; });

}  // namespace

void throw_blocking_forbidden(const char* operation) {
    // A blocking function has an awaitable twin, named without the `try_` and `_for` of std's names; a lock's twin
    // gives a guard. The twin of a user's operation is unknown. The text is printed, since a program that only locks
    // needs no other functions of std::string.
    const std::string_view name = operation;
    const bool is_own = name.starts_with("futon::");
    // Not by `substr`, which may throw: that would link one more function.
    const std::string_view scope(name.data(), is_own ? name.rfind("::") + 2 : 0);
    std::string_view verb(name.data() + scope.size(), name.size() - scope.size());
    for (const std::string_view suffix : {"_for", "_until"}) {
        if (!verb.ends_with(suffix)) continue;
        verb.remove_suffix(suffix.size());
        if (verb.starts_with("try_")) verb.remove_prefix(4);
    }
    const bool gives_guard = scope.ends_with("Lock::") && verb.starts_with("lock");
    char text[256];
    if (is_own) {
        std::snprintf(text, sizeof text,
                      "%s: this agent may not block (futon::Agent::can_block); co_await %.*s%s%.*s_async there",
                      operation, static_cast<int>(scope.size()), scope.data(), gives_guard ? "scoped_" : "",
                      static_cast<int>(verb.size()), verb.data());
    } else {
        std::snprintf(text, sizeof text,
                      "%s: this agent may not block (futon::Agent::can_block); co_await futon::await there", operation);
    }
    throw BlockingForbidden(text);
}

constinit thread_local Agent** this_thread_slot = nullptr;
constinit thread_local std::uint32_t this_thread_draws = 0;
constinit thread_local ReleaseNotes this_thread_releases;
constinit thread_local ReaderLine* this_thread_readers = nullptr;

Agent** find_this_thread_slot() noexcept {
    return this_thread_slot = core::common_agent_slot();
}

}  // namespace futon::detail

namespace futon {

Agent** core::own_agent_slot() noexcept {
    return &detail::this_thread_agent;
}

namespace {

constinit thread_local detail::ReaderLine* this_thread_line = nullptr;

}  // namespace

detail::ReaderLine** core::own_reader_line() noexcept {
    return &this_thread_line;
}

}  // namespace futon
