// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <futon/sync/channel_result.hpp>
#include <futon/wait_result.hpp>

#include "call.hpp"

namespace futon::test {

/// A time point that has not come.
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// What a call yields.
struct Answer {
    Answer(std::int64_t seen) : value(seen) {}
    Answer(WaitResult end) : result(end) {}
    Answer(ChannelResult end, std::int64_t item) : value(item), channel(end) {
        if (end == ChannelResult::timed_out) result = WaitResult::timed_out;
        if (end == ChannelResult::cancelled) result = WaitResult::cancelled;
    }

    std::int64_t value = 0;
    WaitResult result = WaitResult::ok;
    ChannelResult channel = ChannelResult::ok;
};

/// One call, from its invocation to its response. What takes effect does so in between.
struct Operation {
    int agent = 0;
    Call call;
    std::size_t invoked = never;
    std::size_t promised = never;   ///< when a promise was returned instead of a response
    std::size_t responded = never;  ///< when the result was known
    std::size_t abandoned = never;  ///< when its loop began to end, instead of a response; it had ended at `responded`
    std::int64_t value = 0;         ///< the value that was there, how many were woken, whether it succeeded, the item
    WaitResult result = WaitResult::ok;
    ChannelResult channel = ChannelResult::ok;

    bool is_pending() const { return responded == never; }
    bool is_abandoned() const { return abandoned != never; }
    bool is_granted() const {
        return result == WaitResult::ok && channel == ChannelResult::ok && !is_pending() && !is_abandoned();
    }

    std::string result_to_string() const;
};

/// The calls of the agents and their results, in the order in which they happened. Time points are numbered from 0.
class History {
public:
    std::size_t invoke(int agent, const Call& call);
    void promise(std::size_t operation) { operations_[operation].promised = now_++; }
    void respond(std::size_t operation, const Answer& answer = std::int64_t{0});

    /// The loop of this agent begins to end, and has ended: what was promised there gets no response.
    void begin_end(int agent);
    void end(int agent);
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
