// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

#include "harness/placement.hpp"
#include "harness/session.hpp"

// Threads that do the same with objects of their own: on processors that share nothing, each takes as long as if it were alone.
namespace bench {

/// The objects of one thread, each in a cache line of its own.
template <class T, std::size_t count>
class OwnObjects {
public:
    T& operator[](int i) { return lines_[static_cast<std::size_t>(i) % lines_.size()].object; }

private:
    struct alignas(64) Line {
        T object{};
    };
    std::array<Line, count> lines_;
};

/// What each of some threads takes for an operation, on average, while all of them run; the first processors have one each.
///
/// `make` makes on each thread what that thread has, and what it returns does the operation with this number.
template <class Make>
Sample on_own_objects(const std::vector<std::size_t>& processors, int operations, Make make) {
    std::latch ready(static_cast<std::ptrdiff_t>(processors.size()));
    std::vector<double> took(processors.size());
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < processors.size(); ++i)
        threads.emplace_back([&, i] {
            const Pinned here(processors[i]);
            auto own = make();
            for (int done = 0; done < operations / 4; ++done) own(done);  // warms up
            ready.arrive_and_wait();
            const Clock::time_point begin = Clock::now();
            for (int done = 0; done < operations; ++done) own(done);
            took[i] = nanoseconds(Clock::now() - begin) / operations;
        });
    threads.clear();
    Sample sample;
    for (const double ns : took) sample.values["ns"] += ns / static_cast<double>(took.size());
    return sample;
}

/// One thread alone, on each of two processors in turn; or two threads, one on each.
template <class Make>
Sample by_one_or_two(int threads, int operations, Make make) {
    if (threads == 2) return on_own_objects({0, 1}, operations, make);
    Sample sample;
    for (const std::size_t processor : {0, 1})
        sample.values["ns"] += on_own_objects({processor}, operations, make).values["ns"] / 2;
    return sample;
}

}  // namespace bench
