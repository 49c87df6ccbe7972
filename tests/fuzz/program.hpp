// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace futon::fuzz {

inline constexpr int agents = 4;
inline constexpr int closer = agents;  ///< the agent that lets every program end
inline constexpr int words = 2;
inline constexpr int stops = 2;
inline constexpr std::size_t most_steps = 20;

/// What an agent does in one step. Threads do the first group, event loops the second, all agents the rest.
enum class Op : std::uint8_t {
    wait,
    lock,

    wait_async,    ///< in a coroutine
    keep_promise,  ///< wait_async, and keep the promise
    listen,        ///< to the oldest kept promise
    drop,          ///< the oldest kept promise
    run_until,     ///< the oldest kept promise has settled
    poll,
    execute_locked,     ///< a function, or a coroutine that waits while it holds the lock
    scoped_lock_async,  ///< in a coroutine

    notify,
    store,
    request_stop,
    try_lock,
    unlock,
    sleep
};

struct Step {
    Op op = Op::notify;
    int word = 0;
    int number = 0;  ///< the value to store or to expect, or how many to notify
    bool has_deadline = false;
    bool has_stop = false;
    int milliseconds = 0;  ///< of the deadline or the sleep; 0 is due already
    int stop = 0;
    bool variant = false;  ///< another way to do the same

    /// How many a notify asks for.
    std::size_t count() const;
};

struct Agent {
    bool is_loop = false;
    bool ends_early = false;  ///< a loop that does not run until its work is done
    bool promises_outlive_loop = false;
    std::vector<Step> steps;
};

/// What the bytes of an input say: a program of some agents, and the decisions of the explorer.
struct Program {
    Agent agent[agents];
    int stale_loads = 0;
    std::string schedule;

    static Program from_bytes(const std::uint8_t* bytes, std::size_t size);
    std::string to_string() const;
};

}  // namespace futon::fuzz
