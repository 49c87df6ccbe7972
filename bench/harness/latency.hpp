// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "harness/session.hpp"

namespace bench {

/// Notes latencies of this round in microseconds, "NAME_p50_us" and so on. Their figure is the median of the rounds: in the p99
/// of all rounds together, one of them would decide in which the machine was busy with other things.
inline void note_latencies(Sample& sample, const std::string& name, const Histogram& latencies) {
    sample.values[name + "_p50_us"] = latencies.quantile(0.5) / 1e3;
    sample.values[name + "_p99_us"] = latencies.quantile(0.99) / 1e3;
    sample.values[name + "_p999_us"] = latencies.quantile(0.999) / 1e3;
}

}  // namespace bench
