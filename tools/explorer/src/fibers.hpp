// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>

#include <boost/context/fiber.hpp>

#include <futon/explorer.hpp>

namespace futon::explorer {

/// Fibers on stacks that are kept from one schedule to the next: what a fiber keeps on its stack has the same address in
/// all of them.
class Fibers {
public:
    /// The caller of an exploration, which is no fiber.
    static constexpr int outside = max_fibers;

    /// Makes a fiber that first runs at a switch to it. `body` returns the fiber that goes on when this one has ended.
    void start(int fiber, std::function<int()> body);

    void switch_to(int next);

    /// Stops a fiber where it is, for ever: nothing on its stack is destroyed.
    void abandon(int fiber);

    int current() const { return current_; }

private:
    using Context = boost::context::fiber;

    void arrive(Context&& from);

    std::array<std::function<int()>, max_fibers> bodies_;
    std::array<Context, max_fibers + 1> contexts_;
    int current_ = outside;
    int previous_ = outside;  // whose context the next fiber to run keeps
};

}  // namespace futon::explorer
