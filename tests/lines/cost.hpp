// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core.hpp"
#include "recorder.hpp"

/// What an operation costs on any number of cores: the cache lines that they pass to and fro for it. An operation that shares no
/// written line takes as long on each of n cores as on one; one that shares them takes a line's way between two cores for each
/// transfer, and n cores that use one object wait for each other there.
namespace futon::test {

/// Where in the wait queues an object's address leads.
struct Place {
    std::size_t shard;
    std::size_t bucket;
};

/// One object and what cores do with it, again and again. A round has two parts, between which what has begun waits.
struct Rounds {
    std::function<void(std::span<Core>)> begin;
    std::function<void(std::span<Core>)> end;
    std::function<void(std::span<Core>)> close;  // once, on the cores that began
};

struct Operation {
    const char* name;
    std::size_t cores;  // that a round takes: one, or one that waits and one that wakes it
    std::function<Rounds(Place, std::span<Core>)> make;
};

const std::vector<Operation>& operations();
const Operation& operation(const std::string& name);

struct Cost {
    std::vector<Line> lines;    // that cores share, and one of them writes; in the round that had the most
    std::size_t transfers = 0;  // of an operation, in the round that had the fewest
};

/// Cores use one object, by turns or with one another. The lines are those that the first shares with the others.
Cost of_one_object(const Operation& operation, std::size_t cores = 2);

/// Cores use an object, and others do something with another one at the same time. The lines are those that cores of both share.
Cost of_two_objects(const Operation& operation, Place place, const Operation& other, Place other_place);

/// Of objects whose addresses lead to different parts of the wait queues, as 63 of 64 do.
inline Cost of_unrelated_objects(const Operation& operation, const Operation& other) {
    return of_two_objects(operation, {3, 5}, other, {4, 5});
}

/// Of objects that share a part of the wait queues, and thus its lock.
inline Cost of_neighbours(const Operation& operation, const Operation& other) {
    return of_two_objects(operation, {3, 1}, other, {3, 2});
}

}  // namespace futon::test
