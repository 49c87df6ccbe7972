// SPDX-License-Identifier: MIT
//
// Once and Lazy: what is made on first use, by the first that needs it, while the others wait: a thread blocks, a coroutine is
// suspended. Where the first fails, the next one tries.
//
// Prints:
//     first attempt:  the network is down
//     second attempt: fetched by an event loop, used by a thread and two coroutines
//     the log was opened once, by one of 4 threads
//     tries again: refused
//     tries again: refused
//     two wait for a connection: the third attempt makes it

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

futon::Lazy<std::string> config;  // a global: constant-initialized
int attempts = 0;                 // one at a time

/// Takes some time, and fails the first time.
futon::Promise<std::string> fetch() {
    co_await futon::sleep_for(1ms);
    if (++attempts == 1) throw std::runtime_error("the network is down");
    co_return "fetched by an event loop";
}

futon::Promise<std::size_t> use() {
    const std::string* fetched = co_await config.get_async(fetch);
    co_return fetched->size();
}

bool a_config_is_fetched_once() {
    futon::EventLoop loop;
    std::string failure;
    try {
        loop.run_until(use());
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    std::printf("first attempt:  %s\n", failure.c_str());

    auto first = use();   // fetches
    auto second = use();  // waits for that
    std::size_t size = 0;
    std::jthread thread([&] { size = config.get([] { return std::string("not needed"); }).size(); });
    const bool are_same = loop.run_until(first) == loop.run_until(second);
    thread.join();
    std::printf("second attempt: %s, used by a thread and two coroutines\n", config.try_get()->c_str());
    return are_same && size == config.try_get()->size() && attempts == 2 && failure == "the network is down";
}

bool a_log_is_opened_once() {
    futon::Once log;
    int opened = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back([&] { log.call([&] { ++opened; }); });
    }
    std::printf("the log was opened %s, by one of 4 threads\n", opened == 1 ? "once" : "NOT ONCE");
    return opened == 1 && log.is_done();
}

int attempts_to_connect = 0;  // one at a time

/// Takes some time, and fails twice.
futon::Promise<void> connect() {
    co_await futon::sleep_for(1ms);
    if (++attempts_to_connect < 3) throw std::runtime_error("refused");
}

/// Whether there is a connection. Of several callers one tries at a time.
futon::Promise<bool> connect_once(futon::Once& connected) {
    futon::Once::Attempt attempt = co_await connected.begin_async(1s);
    if (attempt.is_mine()) {
        co_await connect();  // if this throws, the attempt ends without `complete`, and the next caller tries
        attempt.complete();
    }
    co_return attempt.is_done();
}

/// The same, but a caller whose own attempt has failed tries again.
futon::Promise<bool> connect_at_last(futon::Once& connected) {
    for (int failures = 0; failures < 5; ++failures) {
        try {
            const auto attempt = connect_once(connected);
            co_return co_await attempt;
        } catch (const std::runtime_error& error) {
            std::printf("tries again: %s\n", error.what());
        }
        co_await futon::sleep_for(1ms);
    }
    co_return false;
}

bool a_connection_is_made_at_last() {
    futon::EventLoop loop;
    futon::Once connected;
    const auto first = connect_at_last(connected);
    const auto second = connect_at_last(connected);
    const bool are_both = loop.run_until(first) && loop.run_until(second);
    std::printf("two wait for a connection: the %s attempt makes it\n", attempts_to_connect == 3 ? "third" : "WRONG");
    return are_both && attempts_to_connect == 3;
}

}  // namespace

int main() {
    const bool is_right = a_config_is_fetched_once() && a_log_is_opened_once() && a_connection_is_made_at_last();
    return is_right ? 0 : 1;
}
