// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <futon/wait_result.hpp>

#include "call.hpp"

namespace futon::test {

/// A time point that has not come.
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// One call, from its invocation to its response. What takes effect does so in between.
struct Operation {
    int agent = 0;
    Call call;
    std::size_t invoked = never;
    std::size_t promised = never;   ///< when a promise was returned instead of a response
    std::size_t responded = never;  ///< when the result was known
    std::int64_t value = 0;         ///< the value that was there, how many were woken, or whether it succeeded
    WaitResult result = WaitResult::ok;

    std::string result_to_string() const;
};

/// The calls of the agents and their results, in the order in which they happened. Time points are numbered from 0.
class History {
public:
    std::size_t invoke(int agent, const Call& call);
    void promise(std::size_t operation) { operations_[operation].promised = now_++; }
    void respond(std::size_t operation, std::int64_t value = 0);
    void respond(std::size_t operation, WaitResult result);
    void clear();

    const std::vector<Operation>& operations() const { return operations_; }

    std::string to_string() const;

    /// The same bytes for the same history of one program, and only for it.
    std::string key() const;

private:
    std::vector<Operation> operations_;
    std::size_t now_ = 0;
};

}  // namespace futon::test
