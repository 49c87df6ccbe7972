// SPDX-License-Identifier: MIT
#include "this_thread.hpp"

#include <cstdint>
#include <memory>

#include <pthread.h>

#include <emscripten/threading.h>

#include <futon/event_loop.hpp>

namespace futon::javascript {

namespace {

struct OwnLoop {
    explicit OwnLoop(CanBlock can_block) : loop(can_block) { loop.start(); }

    EventLoop loop;
    Agent& agent = Agent::current();
};

/// A page's loop has no end, for what `exit` destroys may still use it. Nor has one within which a program has left another.
struct AtTheEndOfItsThread {
    void operator()(OwnLoop* own) const noexcept {
        if (emscripten_is_main_runtime_thread() == 0 && &Agent::current() == &own->agent) delete own;
    }
};

thread_local std::unique_ptr<OwnLoop, AtTheEndOfItsThread> own_loop;

}  // namespace

Agent& agent_here() {
    Agent& current = Agent::current();
    if (current.executor() != nullptr) return current;
    if (own_loop == nullptr) {
        if (detail::this_agent() != nullptr) return current;  // which says that it has no executor
        own_loop.reset(new OwnLoop(current.can_block() ? CanBlock::yes : CanBlock::no));
    }
    return own_loop->agent;
}

std::int64_t number_of_this_thread() noexcept {
    if (emscripten_is_main_runtime_thread() != 0) return 0;
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pthread_self()));
}

}  // namespace futon::javascript
