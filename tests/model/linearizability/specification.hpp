// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "call.hpp"
#include "family_specification.hpp"

namespace futon::test {

/// What the library promises, as a program of one thread: words with a value and a queue each, a stop source, a lock.
///
/// A wait is two steps of it. The first enqueues it, if the word has the value; the second settles the wait, once a notify
/// has taken it from the head, or dequeues it.
class Specification {
public:
    struct Waiter {
        std::size_t number;
        int loop = -1;  ///< the event loop that its promise settles on; none if it is a blocked thread
    };

    explicit Specification(const Subject& subject = {}) {
        if (!subject.is_of_words()) family_.emplace(subject);
    }

    int load(int word) const { return values_[index(word)]; }
    void store(int word, int value) { values_[index(word)] = value; }
    int exchange(int word, int value);
    int compare_exchange(int word, int expected, int desired);

    /// Returns how many were taken.
    std::size_t notify(int word, std::size_t count);

    void enqueue(int word, Waiter waiter) { lines_[index(word)].push_back(waiter); }

    /// Returns false unless the waiter is queued.
    bool dequeue(int word, std::size_t waiter);

    /// Whether a notify has taken the waiter, and it has not settled.
    bool is_woken(std::size_t waiter) const;

    /// Returns false unless a notify has taken the waiter; and all whom the same notify took before it, and whose promises
    /// settle on the same loop, have settled.
    bool settle(std::size_t waiter);

    /// Returns whether this was the first request.
    bool request_stop();
    bool is_stopped() const { return is_stopped_; }

    /// Returns false if the lock has an owner.
    bool try_lock(int agent);
    bool is_locked() const { return owner_ != no_owner; }

    /// Returns false unless `agent` has the lock.
    bool unlock(int agent);

    /// Requires  the program is about one of the family
    FamilySpecification& family() { return *family_; }
    const FamilySpecification& family() const { return *family_; }

    /// The same bytes for the same state, and only for it.
    std::string key() const;

private:
    static constexpr int no_owner = -1;

    struct Woken {
        Waiter waiter;
        int notify;
    };

    static std::size_t index(int word) { return static_cast<std::size_t>(word); }

    std::array<int, words> values_{};
    std::array<std::deque<Waiter>, words> lines_;
    std::vector<Woken> woken_;  // and not settled, in the order in which they were taken
    int notifies_ = 0;          // that took a waiter
    bool is_stopped_ = false;
    int owner_ = no_owner;
    std::optional<FamilySpecification> family_;
};

}  // namespace futon::test
