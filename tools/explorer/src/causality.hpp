// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <futon/explorer/kernel.hpp>

namespace futon::explorer {

/// What led to what in a schedule, as a number.
///
/// Two steps of different fibers depend on each other if they touch the same place and one of them writes. Schedules that
/// differ only in the order of steps that do not depend on each other end in the same state; their fingerprints are
/// equal. A step's own number is made from the step before it in its fiber and from the steps that it depends on. Places
/// have no names in it and fibers have those that the program gave them, so that states which differ by an exchange of
/// fibers of one name are equal, too.
///
/// It relies on fibers to be functions of what they read: upon variables beside the library's words a program must not
/// decide, unless those words order them.
class Causality {
public:
    void reset();
    void begin(int fiber, std::uint64_t name, int parent);
    void step(int fiber, const void* place, Access access);
    /// A step that depends on all that the others did, and on which all depends that they do.
    void touch_all(int fiber, int fibers);
    void decide(int fiber, std::uint64_t decision);
    void forget(const void* place);

    /// The number of the fiber's past.
    std::uint64_t past(int fiber) const { return pasts_[static_cast<std::size_t>(fiber)]; }

    /// The number of all fibers' pasts, and so of the state.
    std::uint64_t fingerprint(int fibers) const;

private:
    struct Place {
        const void* address = nullptr;
        std::uint64_t schedule = 0;
        std::uint64_t written = 0;  // the number of the last write
        std::uint64_t read = 0;     // the sum of the numbers of the reads since
    };

    Place& place_at(const void* address);
    void grow();

    std::array<std::uint64_t, max_fibers> pasts_{};
    std::vector<Place> places_ = std::vector<Place>(1024);  // by open addressing
    std::size_t used_ = 0;
    std::uint64_t schedule_ = 0;
};

/// The states from which a fiber has run, and how many preemptions the schedule had left at most.
class SeenSteps {
public:
    /// Whether this step was not seen with as many preemptions left. It is then.
    bool insert(std::uint64_t step, int preemptions_left);

    std::size_t size() const { return used_; }

private:
    static constexpr std::uint64_t preemption_bits = 63;

    std::uint64_t* find(std::uint64_t step);

    std::vector<std::uint64_t> steps_ = std::vector<std::uint64_t>(1 << 12);
    std::size_t used_ = 0;
};

/// A number that is made from both, in this order.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);

}  // namespace futon::explorer
