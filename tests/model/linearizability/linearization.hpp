// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "history.hpp"
#include "specification.hpp"

namespace futon::test {

/// Searches for an order of the operations of a history, each at one time point between its invocation and its response, in
/// which the specification gives every result that was seen. What has two steps has two moments, one after the other.
///
/// The search is that of Wing and Gong, and remembers in which states it has failed.
class Linearization {
public:
    explicit Linearization(const History& history, const Subject& subject = {});

    /// Whether there is such an order.
    bool exists() { return is_complete_ && search(0, Specification(subject_)); }

private:
    enum class Step : std::uint8_t {
        whole,  ///< all there is to the operation
        begin,  ///< a wait is enqueued; an attempt finds the lock held
        maybe,  ///< something that may happen, or not, to a wait whose loop ends
        woken,  ///< a notify has taken it
        end     ///< the wait ends; the attempt gives up
    };

    struct Point {
        std::size_t operation;
        Step step;
        std::size_t earliest;
        std::size_t latest;
    };

    using Done = std::uint64_t;  ///< a bit for each point

    void add_points_of(std::size_t operation);
    void add_points_of_family_wait(std::size_t operation);
    std::size_t out_of_line_by(const Operation& operation) const;
    bool search(Done done, const Specification& state);
    bool is_begun(const Point& point, Done done) const;
    bool take(const Point& point, Specification& state) const;
    bool take_wait(const Point& point, Specification& state) const;
    bool take_lock_async(const Point& point, Specification& state) const;
    bool take_of_family(const Point& point, Specification& state) const;
    bool take_acquire(const Point& point, Specification& state) const;
    bool take_lock_in(const Point& point, Specification& state) const;
    bool take_upgrade(const Point& point, Specification& state) const;
    bool take_wait_in_order(const Point& point, Specification& state) const;
    bool may_be_kept(const Operation& refused) const;
    bool may_be_offered(const Operation& refused) const;
    bool may_fail_with(const Operation& operation, const Specification& state) const;
    bool is_over_at_first(const Operation& operation) const;

    const std::vector<Operation>& operations_;
    const Subject subject_;
    std::vector<Point> points_;  // by the latest time point
    std::size_t stop_requested_at_ = never;
    bool is_complete_ = true;
    std::set<std::pair<Done, std::string>> dead_ends_;
};

}  // namespace futon::test
