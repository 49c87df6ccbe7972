// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <functional>

#include <boost/context/fiber.hpp>

#include "kernel.hpp"

namespace futon::model {

/// Fibers on stacks that are kept from one schedule to the next: what a fiber keeps on its stack has the same address in
/// all of them.
class Fibers {
public:
    /// Who called from no fiber.
    static constexpr int outside = max_fibers;

    /// Makes a fiber that first runs when somebody switches to it. `body` returns who goes on when it has ended.
    void start(int fiber, std::function<int()> body);

    void switch_to(int next);

    int current() const { return current_; }

private:
    using Context = boost::context::fiber;

    void arrive(Context&& from);

    std::array<std::function<int()>, max_fibers> bodies_;
    std::array<Context, max_fibers + 1> contexts_;
    int current_ = outside;
    int previous_ = outside;  // whose context the next one to run keeps
};

}  // namespace futon::model
