// SPDX-License-Identifier: MIT
//
// SharedLock: a table of prices that threads read beside each other, that an event loop updates, and that a reader corrects
// without a gap in which another could write.
//
// Prints:
//     4 threads read 4000 times, and saw no half-written table
//     the loop wrote 100 times
//     upgrade with a reader inside: timed out, and still upgradeable
//     upgrade: corrected, and read on beside others

#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::SharedLock;

namespace {

/// Two prices that belong together: their sum is always zero.
struct Prices {
    SharedLock lock;
    std::array<long, 2> prices{};

    bool is_whole() const { return prices[0] + prices[1] == 0; }
};

constexpr int reads = 1000;
constexpr int writes = 100;

/// A thread that may block: the standard's guards do.
int read_often(Prices& table) {
    int whole = 0;
    for (int i = 0; i < reads; ++i) {
        const std::shared_lock hold(table.lock);
        if (table.is_whole()) ++whole;
    }
    return whole;
}

/// An event loop, which must not block.
futon::Promise<int> update(Prices& table) {
    int written = 0;
    for (int i = 0; i < writes; ++i) {
        const auto hold = co_await table.lock.scoped_lock_async();
        ++table.prices[0];
        --table.prices[1];
        ++written;
    }
    co_return written;
}

/// Reads first, and writes what it has read if that is needed: no other writes in between.
bool correct(Prices& table) {
    auto hold = table.lock.scoped_lock_upgradeable();
    if (table.prices[0] == 0) return false;
    const long seen = table.prices[0];
    auto writer = hold.upgrade();
    if (table.prices[0] != seen) return false;
    table.prices = {};
    const auto reader = writer.downgrade();  // others read from here on, and none writes before this has read
    return table.lock.try_lock_shared() && (table.lock.unlock_shared(), table.prices[0] == 0);
}

}  // namespace

int main() {
    Prices table;

    std::array<int, 4> whole{};
    int written = 0;
    {
        std::vector<std::jthread> threads;
        for (int& count : whole) threads.emplace_back([&] { count = read_often(table); });
        futon::EventLoop loop(futon::CanBlock::yes);
        written = loop.run_until(update(table));
    }
    int all = 0;
    for (const int count : whole) all += count;
    std::printf("4 threads read %d times, and saw %s half-written table\n", all, all == 4 * reads ? "no" : "a");
    std::printf("the loop wrote %d times\n", written);

    bool is_kept = false;
    {
        const std::shared_lock reader(table.lock);
        auto hold = table.lock.scoped_lock_upgradeable();
        const auto writer = hold.upgrade(1ms);
        is_kept = !writer && writer.result() == futon::WaitResult::timed_out && hold.owns_lock();
        std::printf("upgrade with a reader inside: %s\n", is_kept ? "timed out, and still upgradeable" : "wrong");
    }
    const bool is_corrected = correct(table);
    std::printf("upgrade: %s\n", is_corrected ? "corrected, and read on beside others" : "wrong");

    return all == 4 * reads && written == writes && is_kept && is_corrected ? 0 : 1;
}
