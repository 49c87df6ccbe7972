// SPDX-License-Identifier: MIT
//
// The three forms of the answer of wait_async. Two are known at once: the word holds something else, or the deadline has
// come already. The third is a promise, because there is something to wait for.
//
// Prints:
//     async: false, value: not-equal
//     async: false, value: timed-out
//     async: true,  value: a promise of ok

#include <atomic>
#include <chrono>
#include <iostream>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::WaitResult;

int main() {
    futon::EventLoop loop;
    std::atomic<int> word{7};

    auto not_equal = futon::wait_async(word, 8);
    auto timed_out = futon::wait_async(word, 7, 0ms);
    auto promised = futon::wait_async(word, 7);

    if (not_equal.async() || timed_out.async() || !promised.async()) return 1;
    std::cout << "async: false, value: " << to_string(not_equal.value()) << '\n';
    std::cout << "async: false, value: " << to_string(timed_out.value()) << '\n';

    futon::notify(word);
    const WaitResult result = loop.run_until(promised.promise());
    std::cout << "async: true,  value: a promise of " << to_string(result) << '\n';

    const bool is_right = not_equal.value() == WaitResult::not_equal && timed_out.value() == WaitResult::timed_out &&
                          result == WaitResult::ok;
    return is_right ? 0 : 1;
}
