// SPDX-License-Identifier: MIT
//
// A channel between threads and an event loop. Threads measure, and send what they have measured; a coroutine on a loop sums
// it up, and sends back what it finds; a thread prints that. The end of each side is a close: what was sent before is received,
// and then the loops over the channels end.
//
// Prints:
//     3 threads sent 300 values, the loop received 300
//     reports: 3, the last of a sum of 14850
//     the deadline came first: nothing was sent, the value is still here: 7

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>
#include <futon/select.hpp>

using namespace std::chrono_literals;

namespace {

constexpr int threads = 3;
constexpr int values_each = 100;

struct Report {
    std::size_t count = 0;
    long sum = 0;
};

/// Sums up what is measured, and reports after each hundred. When there are no more values, the reports end, too.
futon::Promise<std::size_t> sum_up(futon::Channel<int>& values, futon::Channel<std::unique_ptr<Report>>& reports) {
    Report sum;
    while (auto value = co_await values.receive_async()) {
        sum.sum += *value;
        if (++sum.count % values_each != 0) continue;
        if (!co_await reports.send_async(std::make_unique<Report>(sum))) break;  // no thread wants them any more
    }
    reports.close();
    co_return sum.count;
}

bool threads_and_a_loop() {
    futon::EventLoop loop;
    futon::Channel<int> values(16);
    futon::Channel<std::unique_ptr<Report>> reports(0);  // a rendezvous: no report waits where no thread reads it

    std::vector<Report> read;
    std::jthread reader([&] {
        for (const auto& report : reports.items()) read.push_back(*report);
    });
    std::jthread measuring([&] {
        {
            std::vector<std::jthread> meters;
            for (int i = 0; i < threads; ++i)
                meters.emplace_back([&] {
                    for (int value = 0; value < values_each; ++value)
                        (void)!values.send(value);  // waits while it is full
                });
        }
        values.close();
    });

    auto summing = sum_up(values, reports);
    const std::size_t received = loop.run_until(summing);
    reader.join();
    std::printf("%d threads sent %d values, the loop received %zu\n", threads, threads * values_each, received);
    std::printf("reports: %zu, the last of a sum of %ld\n", read.size(), read.back().sum);
    return received == threads * values_each && read.size() == threads && read.back().sum == 14850;
}

/// A select over a channel: what is not chosen stays with its sender.
bool a_select_chooses() {
    futon::Channel<std::unique_ptr<int>> full(0);  // no thread receives
    auto value = std::make_unique<int>(7);
    const auto chosen = futon::select(full.sending_from(value), futon::timeout(1ms));
    if (chosen.index() != 1 || value == nullptr) return false;
    std::printf("the deadline came first: nothing was sent, the value is still here: %d\n", *value);
    return true;
}

}  // namespace

int main() {
    return threads_and_a_loop() && a_select_chooses() ? 0 : 1;
}
