// SPDX-License-Identifier: MIT
//
// A barrier: two threads and a coroutine let heat spread along a rod, step by step. None begins a step before all have
// finished the one before; in between, the completion function swaps the arrays. One of the threads drops out early.
//
// Prints:
//     100 steps, 3 participants in the first and 2 in the last
//     the heat that was put in is still there: 1000.0

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

namespace {

constexpr std::size_t cells = 60;
constexpr int steps = 100;
constexpr int steps_of_the_first = 50;

struct Rod {
    std::vector<double> now = std::vector<double>(cells);
    std::vector<double> next = std::vector<double>(cells);
    int step = 0;

    /// Computes the next step of the cells from `first` on, up to `last`.
    void spread(std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const double left = i > 0 ? now[i - 1] : now[i];
            const double right = i + 1 < cells ? now[i + 1] : now[i];
            next[i] = now[i] + 0.25 * (left - 2 * now[i] + right);
        }
    }

    bool is_shared_by_three() const { return step < steps_of_the_first; }
};

}  // namespace

int main() {
    Rod rod;
    rod.now[cells / 2] = 1'000;
    futon::Barrier barrier(3, [&]() noexcept {
        std::swap(rod.now, rod.next);
        ++rod.step;
    });

    // While three share the rod, each has a third of it; then two have a half each.
    std::jthread first([&] {
        while (true) {
            rod.spread(0, cells / 3);
            if (rod.step + 1 == steps_of_the_first) break;
            barrier.arrive_and_wait();
        }
        barrier.arrive_and_drop();
    });
    std::jthread second([&] {
        while (rod.step < steps) {
            rod.spread(rod.is_shared_by_three() ? cells / 3 : 0, rod.is_shared_by_three() ? 2 * cells / 3 : cells / 2);
            barrier.arrive_and_wait();
        }
    });
    futon::EventLoop loop;
    auto third = [&]() -> futon::Promise<void> {
        while (rod.step < steps) {
            rod.spread(rod.is_shared_by_three() ? 2 * cells / 3 : cells / 2, cells);
            co_await barrier.arrive_and_wait_async();
        }
    };
    loop.run_until(third());
    first.join();
    second.join();

    double heat = 0;
    for (const double cell : rod.now) heat += cell;
    std::printf("%d steps, 3 participants in the first and 2 in the last\n", rod.step);
    std::printf("the heat that was put in is still there: %.1f\n", heat);
    return rod.step == steps && std::abs(heat - 1'000) < 1e-6 ? 0 : 1;
}
