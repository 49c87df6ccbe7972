// SPDX-License-Identifier: MIT
#include "cost.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace futon::test {

namespace {

constexpr int warm_rounds = 4;
constexpr int counted_rounds = 16;

/// A thread for each.
struct AllCores : std::array<Core, max_cores> {
    AllCores() : array{Core(0), Core(1), Core(2), Core(3), Core(4), Core(5), Core(6), Core(7)} {}
};

}  // namespace

Cost of_one_object(const Operation& operation, std::size_t cores) {
    Recorder::begin();
    AllCores there;
    const auto used = std::span<Core>(there).subspan(0, cores);
    const Rounds rounds = operation.make({3, 5}, used);
    Cost cost;
    for (int i = -warm_rounds; i < counted_rounds; ++i) {
        Recorder::count_anew();
        for (std::size_t first = 0; first < cores; first += operation.cores) {
            rounds.begin(used.subspan(first, operation.cores));
            rounds.end(used.subspan(first, operation.cores));
        }
        if (i < 0) continue;
        std::vector<Line> lines = Recorder::shared(0b01, 0b11111110);
        if (lines.size() > cost.lines.size()) cost.lines = std::move(lines);
        const std::size_t transfers = Recorder::transfers() * operation.cores / cores;
        cost.transfers = i == 0 ? transfers : std::min(cost.transfers, transfers);
    }
    rounds.close(used);
    return cost;
}

Cost of_two_objects(const Operation& operation, Place place, const Operation& other, Place other_place) {
    Recorder::begin();
    AllCores cores;
    const std::span<Core> all = cores;
    const auto first = all.subspan(0, operation.cores);
    const auto second = all.subspan(2, other.cores);
    const Rounds rounds = operation.make(place, first);
    const Rounds others = other.make(other_place, second);
    Cost cost;
    for (int i = -warm_rounds; i < counted_rounds; ++i) {
        if (i == 0) Recorder::count_anew();
        const std::size_t before = Recorder::transfers();
        rounds.begin(first);
        others.begin(second);
        rounds.end(first);
        others.end(second);
        const std::size_t transfers = (Recorder::transfers() - before) / 2;
        if (i >= 0) cost.transfers = i == 0 ? transfers : std::min(cost.transfers, transfers);
    }
    cost.lines = Recorder::shared(0b0011, 0b1100);
    rounds.close(first);
    others.close(second);
    return cost;
}

const Operation& operation(const std::string& name) {
    for (const Operation& one : operations())
        if (one.name == name) return one;
    throw std::out_of_range("no operation is called " + name);
}

}  // namespace futon::test
