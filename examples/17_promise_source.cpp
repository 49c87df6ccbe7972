// SPDX-License-Identifier: MIT
//
// A promise that is settled by hand, from any thread: make_promise gives it together with its source. A source that is
// dropped before it has settled rejects its promise, so that no listener waits for ever.
//
// Prints:
//     fulfilled by a worker: 42
//     rejected by a worker:  the disk is full
//     dropped:               BrokenPromise
//     settled twice:         std::logic_error

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

namespace {

futon::Promise<int> compute_elsewhere(std::jthread& worker) {
    auto [promise, source] = futon::make_promise<int>();
    worker = std::jthread([source = std::move(source)]() mutable { source.fulfil(6 * 7); });
    return std::move(promise);
}

futon::Promise<std::string> failure_of_a_worker() {
    auto [promise, source] = futon::make_promise<void>();
    const std::jthread worker([source = std::move(source)]() mutable {
        source.reject(std::make_exception_ptr(std::runtime_error("the disk is full")));
    });
    try {
        co_await promise;
    } catch (const std::runtime_error& error) {
        co_return error.what();
    }
    co_return "";
}

futon::Promise<bool> is_broken_if_dropped() {
    auto [promise, source] = futon::make_promise<int>();
    { const auto dropped = std::move(source); }
    try {
        co_await promise;
    } catch (const futon::BrokenPromise&) {
        co_return true;
    }
    co_return false;
}

bool is_settled_once() {
    auto [promise, source] = futon::make_promise<int>();
    source.fulfil(1);
    try {
        source.fulfil(2);
    } catch (const std::logic_error&) {
        return promise.is_settled();
    }
    return false;
}

}  // namespace

int main() {
    futon::EventLoop loop;
    std::jthread worker;
    const int value = loop.run_until(compute_elsewhere(worker));
    std::printf("fulfilled by a worker: %d\n", value);
    const std::string failure = loop.run_until(failure_of_a_worker());
    std::printf("rejected by a worker:  %s\n", failure.c_str());
    const bool is_broken = loop.run_until(is_broken_if_dropped());
    std::printf("dropped:               %s\n", is_broken ? "BrokenPromise" : "NOTHING");
    const bool is_once = is_settled_once();
    std::printf("settled twice:         %s\n", is_once ? "std::logic_error" : "NOTHING");
    return value == 42 && failure == "the disk is full" && is_broken && is_once ? 0 : 1;
}
