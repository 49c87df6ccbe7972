// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <futon/wait_result.hpp>

#include "program.hpp"

namespace futon::fuzz {

inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// How a wait ended, as far as its owner can tell.
enum class Outcome : std::uint8_t {
    pending,
    ok,         ///< a notify dequeued it
    given_up,   ///< it timed out or was cancelled
    abandoned,  ///< it was dropped, or its loop ended: it was dequeued, by its owner or by a notify
    not_enqueued
};

struct Wait {
    int agent = 0;
    int word = 0;
    bool is_ordered = false;  ///< its end is ordered among those of its loop
    Outcome outcome = Outcome::pending;
    std::size_t enqueued_at = never;    ///< the event
    std::size_t dequeued_from = never;  ///< the first event before which its owner may have dequeued it
    std::size_t ended_at = never;
};

struct Notify {
    int agent = 0;
    int word = 0;
    std::size_t count = 0;
    std::size_t result = 0;
};

/// What happened, in order. The events of enqueueing are exact; a notify takes effect between its two events.
struct History {
    enum class What : std::uint8_t { enqueues, ends, notifies, has_notified, other };

    /// Kept as what it is: it becomes text only if the input fails.
    struct Event {
        What what;
        std::size_t subject;  ///< the wait or the notify
        int agent;
        int word;
        std::chrono::steady_clock::time_point now;
        const char* verb;
        std::size_t object = never;
        std::optional<WaitResult> result = {};
    };

    std::vector<Event> events;
    std::vector<Wait> waits;
    std::vector<Notify> notifies;

    std::string to_string() const;
    void clear();
};

/// The reference: one FIFO queue. It searches an order of the notifies, each between its begin and its end, in which a
/// plain queue gives all the results that were seen.
class Reference {
public:
    Reference(const History& history, int word) : history_(history), word_(word) {}

    bool explains() { return explains({}); }

private:
    /// Numbers of waits, in order. No program has more waits than steps.
    class Queue {
    public:
        std::size_t size() const { return size_; }
        std::size_t operator[](std::size_t place) const { return waits_[place]; }
        auto begin() const { return waits_.begin(); }
        auto end() const { return waits_.begin() + size_; }
        void push_back(std::size_t wait) { waits_.at(size_++) = static_cast<std::uint8_t>(wait); }
        void erase(std::size_t place);
        auto operator<=>(const Queue&) const = default;

    private:
        std::array<std::uint8_t, most_steps> waits_{};  // zeros after the end
        std::uint8_t size_ = 0;
    };

    struct State {
        std::size_t next = 0;                                                           ///< event
        std::array<std::size_t, agents + 1> active{never, never, never, never, never};  ///< notify of each agent
        Queue queue;

        auto operator<=>(const State&) const = default;
    };

    bool explains(State state);
    bool explains_after_event(State state);
    bool explains_after_notify(State state, const Notify& notify, std::size_t place, Queue woken);
    bool is_in_order(std::size_t wait, const Queue& woken) const;

    const History& history_;
    int word_;
    std::set<State> dead_ends_;
};

}  // namespace futon::fuzz
