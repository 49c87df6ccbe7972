// SPDX-License-Identifier: MIT
#pragma once

#include <futon/agent.hpp>

#include "platform/fork.hpp"

namespace futon {

inline bool Agent::is_inherited() const noexcept {
    return generation_ != platform::fork_generation();
}

namespace detail {

/// Makes an agent the current one of its thread, whichever agents were made since. At the end the previous one is
/// current again, or an agent that was made meanwhile and still lives.
///
/// The current agent of a thread is the newest. While a loop runs its jobs, it is that loop's, or one that a job has
/// made.
class CurrentAgent {
public:
    explicit CurrentAgent(Agent& agent) noexcept
        : agent_(agent), before_(*agent.slot_), was_newest_(before_->newer_ == nullptr) {
        *agent.slot_ = &agent;
    }
    ~CurrentAgent() {
        if (agent_.is_inherited()) return;  // a job has forked, and this is the child
        // If the previous one was not the newest, a loop is running it, and it outlives this.
        *agent_.slot_ = was_newest_ ? &newest() : before_;
    }
    CurrentAgent(const CurrentAgent&) = delete;
    CurrentAgent& operator=(const CurrentAgent&) = delete;

private:
    /// The newest agent. From now on each agent that was made meanwhile is replaced at its end by the one before it.
    Agent& newest() noexcept {
        Agent* newest = &agent_;
        while (Agent* newer = newest->newer_) {
            if (newer->enclosing_ == &agent_) newer->enclosing_ = newest;
            newest = newer;
        }
        return *newest;
    }

    Agent& agent_;
    Agent* const before_;
    const bool was_newest_;
};

}  // namespace detail

}  // namespace futon
