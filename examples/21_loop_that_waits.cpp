// SPDX-License-Identifier: MIT
//
// Shutting down, second order: a loop that waits for its workers. Each worker holds a guard of `keep_running`, and drops it
// at its end: `run` returns when the last has. Nothing is joined before, so the loop never blocks; and nothing that a
// worker posted is lost, for it comes before the end of its guard.
//
// A worker that fails tells the loop: the exception is thrown by `run`, which is called again for what is left.
//
// Prints:
//     squares of 1 to 4: 1 4 9 16
//     a worker failed:   no paper
//     the loop waited for all of them

#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

namespace {

constexpr std::size_t count = 4;

/// Runs `f` on a thread, which keeps the loop running until it has ended.
template <class F>
std::jthread start_worker(futon::EventLoop& loop, F f) {
    return std::jthread([&loop, f = std::move(f), guard = loop.keep_running()]() mutable {
        std::exception_ptr failure;
        try {
            f();
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure) loop.post([error = std::move(failure)] { std::rethrow_exception(error); });
        guard.reset();  // after what was posted; the last that this thread does with the loop
    });
}

}  // namespace

int main() {
    std::array<int, count> squares{};
    std::size_t arrived = 0;
    std::string failure;

    futon::EventLoop loop;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        threads.push_back(start_worker(loop, [&, i] {
            const int number = static_cast<int>(i) + 1;
            loop.post([&, i, square = number * number] {
                squares[i] = square;
                ++arrived;
            });
        }));
    }
    threads.push_back(start_worker(loop, [] { throw std::runtime_error("no paper"); }));

    for (bool has_ended = false; !has_ended;) {
        try {
            loop.run();
            has_ended = true;
        } catch (const std::runtime_error& error) {
            failure = error.what();
        }
    }

    std::printf("squares of 1 to 4:");
    for (const int square : squares) std::printf(" %d", square);
    std::printf("\na worker failed:   %s\n", failure.c_str());
    const bool is_right = arrived == count && squares == std::array{1, 4, 9, 16} && failure == "no paper";
    std::printf("the loop %s\n", is_right ? "waited for all of them" : "DID NOT WAIT");
    return is_right ? 0 : 1;
}
