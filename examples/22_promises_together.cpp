// SPDX-License-Identifier: MIT
//
// Promises combined, and time that passes without a thread that sleeps: JavaScript's Promise.all, race, resolve and reject, and
// a sleep that another thread can stop.
//
// Prints:
//     all:     7 and "seven"
//     all:     10 answers, their sum is 45
//     race:    the cache came first, with 1
//     failed:  the disk is full
//     settled: 42
//     sleep:   ok, no earlier than asked; then cancelled

#include <chrono>
#include <cstdio>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

namespace {

using namespace std::chrono_literals;
using futon::Promise;

/// A worker's answer: of a pool of threads, of a library with callbacks.
Promise<int> ask_a_worker(int question) {
    auto [promise, source] = futon::make_promise<int>();
    std::thread([question, source = std::move(source)]() mutable { source.fulfil(std::move(question)); }).detach();
    return std::move(promise);
}

Promise<std::string> read_slowly(std::string text) {
    co_await futon::sleep_for(1ms);
    co_return text;
}

Promise<bool> gather_two() {
    const auto [number, name] = co_await futon::all(ask_a_worker(7), read_slowly("seven"));
    std::printf("all:     %d and \"%s\"\n", number, name.c_str());
    co_return number == 7 && name == "seven";
}

Promise<bool> gather_many() {
    std::vector<Promise<int>> questions;
    for (int i = 0; i < 10; ++i) questions.push_back(ask_a_worker(i));
    const std::vector<int> answers = co_await futon::all(std::move(questions));
    const int sum = std::accumulate(answers.begin(), answers.end(), 0);
    std::printf("all:     %zu answers, their sum is %d\n", answers.size(), sum);
    co_return sum == 45;
}

Promise<bool> take_the_first() {
    const auto first = co_await futon::race(read_slowly("of the disk"), futon::fulfilled(1));
    std::printf("race:    the %s came first, with %d\n", first.index() == 1 ? "cache" : "disk", std::get<1>(first));
    co_return first.index() == 1;
}

Promise<bool> fail_with_one() {
    auto failure = std::make_exception_ptr(std::runtime_error("the disk is full"));
    try {
        co_await futon::all(ask_a_worker(1), futon::rejected<int>(failure));
    } catch (const std::runtime_error& error) {
        std::printf("failed:  %s\n", error.what());
        co_return true;
    }
    co_return false;
}

Promise<bool> sleep_and_be_stopped() {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const futon::WaitResult slept = co_await futon::sleep_for(2ms);
    const bool is_late_enough = Clock::now() - begin >= 2ms;

    std::stop_source stop;
    auto sleep = futon::sleep_until(Clock::now() + 24h, stop.get_token());
    const std::jthread stopper([&] { stop.request_stop(); });
    const futon::WaitResult stopped = co_await sleep;
    std::printf("sleep:   %s, %s; then %s\n", std::string(to_string(slept)).c_str(),
                is_late_enough ? "no earlier than asked" : "EARLY", std::string(to_string(stopped)).c_str());
    co_return is_late_enough&& stopped == futon::WaitResult::cancelled;
}

}  // namespace

int main() {
    futon::EventLoop loop;
    bool is_right = loop.run_until(gather_two());
    is_right &= loop.run_until(gather_many());
    is_right &= loop.run_until(take_the_first());
    is_right &= loop.run_until(fail_with_one());

    const int value = loop.run_until(futon::fulfilled(42));
    std::printf("settled: %d\n", value);
    is_right &= loop.run_until(sleep_and_be_stopped());
    return is_right && value == 42 ? 0 : 1;
}
