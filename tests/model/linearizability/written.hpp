// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "linearization.hpp"

namespace futon::test {

/// A history that is written down by hand.
class Written {
public:
    explicit Written(const Subject& subject = {}) : subject_(subject) {}

    std::size_t begin(int agent, const Call& call) { return history_.invoke(agent, call); }
    std::size_t promised(int agent, const Call& call) {
        const std::size_t operation = begin(agent, call);
        history_.promise(operation);
        return operation;
    }
    /// The loop of the agent ends, and what was promised there.
    void end_loop(int agent) {
        history_.begin_end(agent);
        history_.end(agent);
    }
    template <class Result = int>
    void end(std::size_t operation, Result result = 0) {
        history_.respond(operation, result);
    }
    template <class Result = int>
    void whole(int agent, const Call& call, Result result = 0) {
        end(begin(agent, call), result);
    }

    bool is_linearizable() const { return Linearization(history_, subject_).exists(); }

private:
    History history_;
    Subject subject_;
};

}  // namespace futon::test
