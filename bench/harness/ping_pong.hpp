// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <thread>

#include "harness/placement.hpp"
#include "harness/session.hpp"

namespace bench {

enum class Placement { one_core, two_cores };

/// Two threads wake each other through one word, and block in between. Time and latency of a round trip.
template <class Word>
Sample ping_pong(int round_trips, Placement placement) {
    Word word;
    Histogram latencies;
    const Pinned here(0);
    Sample sample = time_of(round_trips, [&] {
        std::jthread other([&] {
            const Pinned there(placement == Placement::one_core ? 0 : 1);
            for (int i = 0; i < round_trips; ++i) {
                word.wait_while(0);
                word.set(0);
                word.notify_one();
            }
        });
        for (int i = 0; i < round_trips; ++i) {
            const Clock::time_point begin = Clock::now();
            word.set(1);
            word.notify_one();
            word.wait_while(1);
            latencies.add(static_cast<std::uint64_t>(nanoseconds(Clock::now() - begin)));
        }
    });
    sample.latencies["round trip"] = latencies;
    return sample;
}

}  // namespace bench
