// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "harness/session.hpp"

namespace bench {

/// Times the parts of one round, one after the other; each is a metric, in nanoseconds per element.
class Parts {
public:
    explicit Parts(std::size_t size) : size_(static_cast<double>(size)) {}

    template <class F>
    void time(const char* part, F&& f) {
        const Clock::time_point begin = Clock::now();
        std::forward<F>(f)();
        sample_.values[part] = nanoseconds(Clock::now() - begin) / size_;
    }

    void note(const char* name, double value) { sample_.values[name] = value; }

    const Sample& sample() const { return sample_; }

private:
    double size_;
    Sample sample_;
};

}  // namespace bench
