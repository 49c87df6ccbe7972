// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace futon::fuzz {

inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// What came of a wait, as far as its owner can tell.
enum class Outcome : std::uint8_t {
    pending,
    ok,         ///< a notify took it out
    left,       ///< it timed out or was cancelled
    forgotten,  ///< it was dropped, or its loop ended: it left, or a notify took it out that nobody saw
    not_joined
};

struct Wait {
    int agent = 0;
    int word = 0;
    bool is_ordered = false;  ///< its end comes in its turn among those of its loop
    Outcome outcome = Outcome::pending;
    std::size_t joined_at = never;    ///< the event
    std::size_t leaves_from = never;  ///< the first event before which it may have left the line
    std::size_t ended_at = never;
};

struct Notify {
    int agent = 0;
    int word = 0;
    std::size_t count = 0;
    std::size_t result = 0;
};

/// What happened, in its order. The moments of joining are exact; a notify takes effect between its two events.
struct History {
    enum class What : std::uint8_t { joins, ends, notifies, has_notified, other };

    struct Event {
        What what;
        std::size_t who;  ///< the wait or the notify
        int word;
        std::chrono::steady_clock::time_point now;
        std::string text = {};
    };

    std::vector<Event> events;
    std::vector<Wait> waits;
    std::vector<Notify> notifies;

    std::string to_string() const;
};

/// The reference: one FIFO line. It looks for an order of the notifies, each between its begin and its end, in which a
/// plain queue gives all the results that were seen.
class Reference {
public:
    Reference(const History& history, int word) : history_(history), word_(word) {}

    bool explains() { return explains({}); }

private:
    struct State {
        std::size_t next = 0;                                                           ///< event
        std::array<std::size_t, agents + 1> active{never, never, never, never, never};  ///< notify of each agent
        std::deque<std::size_t> line;

        std::pair<std::size_t, std::vector<std::size_t>> key() const;
    };

    bool explains(State state);
    bool explains_after_event(State state);
    bool explains_after_taking(State state, const Notify& notify, std::size_t place, std::vector<std::size_t> taken);
    bool is_in_turn(std::size_t wait, const std::vector<std::size_t>& taken) const;

    const History& history_;
    int word_;
    std::set<std::pair<std::size_t, std::vector<std::size_t>>> dead_ends_;
};

}  // namespace futon::fuzz
