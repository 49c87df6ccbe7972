// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "snapshot.hpp"

namespace futon::top {

/// An object, and what happened at it between the last two snapshots.
struct Row {
    const Object* object;
    std::optional<double> contended, acquired;  // a second; not known at the first snapshot
};

/// The latest snapshots of a program.
class History {
public:
    History() = default;
    History(const History&) = delete;
    History& operator=(const History&) = delete;

    void add(Snapshot snapshot);

    bool is_empty() const noexcept { return !latest_; }
    /// Requires  not empty
    const Snapshot& latest() const noexcept { return *latest_; }
    /// Nanoseconds since the first snapshot.
    std::int64_t watched() const noexcept { return latest_->time - begin_; }

    /// The objects that the filter lets through, sorted; those of the latest snapshot, valid until the next one.
    std::vector<Row> rows(Sort sort, const std::string& filter) const;

private:
    void compare();

    std::optional<Snapshot> latest_, before_;
    std::vector<Row> rows_;  // of all objects
    std::int64_t begin_ = 0;
};

}  // namespace futon::top
