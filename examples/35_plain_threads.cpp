// SPDX-License-Identifier: MIT
//
// No event loop: a pool of plain threads. Jobs come through a channel, a latch says when all are done, and closing the channel
// ends the threads. What std::mutex and std::condition_variable do not have: the time limit and the stop of each wait.
//
// Prints:
//     4 threads have added up 1 to 100: 5050
//     a thread that waited for more work: stopped

#include <atomic>
#include <cstdio>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

namespace {

void work(futon::Channel<int>& jobs, std::atomic<int>& sum, futon::Latch& done) {
    while (const auto job = jobs.receive()) {  // nothing, once the channel is closed and empty
        sum += *job;
        done.count_down();
    }
}

int add_up(int count) {
    futon::Channel<int> jobs(8);
    futon::Latch done(static_cast<unsigned>(count));
    std::atomic<int> sum = 0;
    std::vector<std::jthread> pool;
    for (int i = 0; i < 4; ++i) pool.emplace_back([&] { work(jobs, sum, done); });

    for (int job = 1; job <= count; ++job) static_cast<void>(jobs.send(job));  // blocks while eight are queued
    done.wait();
    jobs.close();
    return sum;
}

futon::ChannelResult wait_for_more() {
    futon::Channel<int> jobs(1);
    auto result = futon::ChannelResult::ok;
    std::jthread thread([&](std::stop_token stop) { result = jobs.receive(stop).result(); });
    thread.request_stop();
    thread.join();
    return result;
}

}  // namespace

int main() {
    const int sum = add_up(100);
    std::printf("4 threads have added up 1 to 100: %d\n", sum);
    const bool is_stopped = wait_for_more() == futon::ChannelResult::cancelled;
    std::printf("a thread that waited for more work: %s\n", is_stopped ? "stopped" : "NOT STOPPED");
    return sum == 5050 && is_stopped ? 0 : 1;
}
