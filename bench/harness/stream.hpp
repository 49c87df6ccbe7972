// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "harness/placement.hpp"
#include "harness/session.hpp"

// Streams of items through a channel, from one end to another.
namespace bench {

/// What is sent: when that was, or zero where it is not timed.
struct Item {
    std::int64_t sent = 0;
};

/// The items of one sender, one of sixteen timed: reading the clock lengthens a send.
class Items {
public:
    Item next() {
        if (count_++ % 16 != 0) return {};
        return {Clock::now().time_since_epoch().count()};
    }

private:
    std::uint64_t count_ = 0;
};

/// What one receiver measured, in cache lines that no other thread writes: from the beginning of a send until its item
/// was received.
struct alignas(64) Receipts {
    void add(Item item) {
        if (item.sent != 0)
            latencies.add(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count() - item.sent));
    }

    Histogram latencies;
};

/// One end of a stream: runs on a thread of its own until all its items have been sent or received.
using SendingEnd = std::function<void(int)>;
using ReceivingEnd = std::function<void(int, Receipts&)>;

/// Time and latencies of `items` that each of `pairs` senders sends, and each of as many receivers receives; each end is
/// bound to a processor, the senders to others than the receivers. `helper`, if there is one, runs on another thread.
inline Sample stream(int pairs, int items, const SendingEnd& send, const ReceivingEnd& receive,
                     const std::function<void()>& helper = {}) {
    std::vector<Receipts> receipts(static_cast<std::size_t>(pairs));
    std::latch ready(2 * pairs);
    std::latch start(1);
    std::vector<std::jthread> threads;
    if (helper) threads.emplace_back(helper);
    for (int i = 0; i < pairs; ++i) {
        threads.emplace_back([&] {
            const Pinned here(0);
            ready.count_down();
            start.wait();
            send(items);
        });
        threads.emplace_back([&, i] {
            const Pinned there(1);
            ready.count_down();
            start.wait();
            receive(items, receipts[static_cast<std::size_t>(i)]);
        });
    }
    ready.wait();
    Sample sample = time_of(static_cast<double>(items) * pairs, [&] {
        start.count_down();
        threads.clear();
    });
    for (const Receipts& some : receipts) sample.latencies["item"].add(some.latencies);
    return sample;
}

}  // namespace bench
