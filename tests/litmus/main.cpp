// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <futon/futon.hpp>

#include "rounds.hpp"

namespace {

using futon::litmus::batch;

/// What the two threads of a trial saw: neither of the changes, or one of them, or both.
struct Counts {
    std::uint64_t neither = 0;  ///< forbidden where there are fences
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t both = 0;

    void add(bool first_saw, bool second_saw) {
        ++(first_saw ? (second_saw ? both : first) : (second_saw ? second : neither));
    }
};

/// Runs `trials` trials, and prints how many ran per second.
template <class First, class Second, class Rest>
void run(const char* name, std::uint64_t trials, First first, Second second, Rest rest) {
    const std::uint64_t rounds = (trials + batch - 1) / batch;
    const auto begin = std::chrono::steady_clock::now();
    futon::litmus::run_rounds(rounds, first, second, rest);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    const double count = static_cast<double>(rounds * batch);
    std::printf("%s: %.0f trials, %.2f million trials/s\n", name, count, count / elapsed.count() / 1e6);
}

/// The bare pattern: each thread stores to its own cell and loads the other's. Without fences both may load the old
/// value.
Counts store_buffer(std::uint64_t trials) {
    struct Cell {
        alignas(64) std::atomic<int> x{0};
        alignas(64) std::atomic<int> y{0};
        alignas(64) int first = 0;
        alignas(64) int second = 0;
    };
    static std::array<Cell, batch> cells;
    Counts counts;
    run(
        "store buffer, no fences", trials,
        [](std::size_t i) {
            cells[i].x.store(1, std::memory_order_relaxed);
            cells[i].first = cells[i].y.load(std::memory_order_relaxed);
        },
        [](std::size_t i) {
            cells[i].y.store(1, std::memory_order_relaxed);
            cells[i].second = cells[i].x.load(std::memory_order_relaxed);
        },
        [&counts] {
            for (Cell& cell : cells) {
                counts.add(cell.first != 0, cell.second != 0);
                cell.x.store(0, std::memory_order_relaxed);
                cell.y.store(0, std::memory_order_relaxed);
            }
        });
    return counts;
}

/// Records that it was woken.
class FlagWaiter final : public futon::core::Waiter {
public:
    bool was_woken = false;

private:
    void deliver() noexcept override { was_woken = true; }
};

/// The same pattern inside of the library: one thread enqueues a waiter if the word is unchanged, the other changes the
/// word and notifies. A waiter that is enqueued and not woken would be a lost wake-up.
Counts notify_fence(std::uint64_t trials) {
    struct Cell {
        // Changed by the weakest store there is, so that all order comes from the library.
        alignas(64) std::atomic<int> word{0};
        alignas(64) FlagWaiter waiter;
        bool is_enqueued = false;
        alignas(64) std::size_t woken = 0;
    };
    static std::array<Cell, batch> cells;
    Counts counts;
    auto& table = futon::core::process_table();
    run(
        "enqueue and notify", trials,
        [&table](std::size_t i) {
            cells[i].is_enqueued = table.enqueue(cells[i].waiter, futon::Word<int>(cells[i].word).equals(0)) ==
                                   futon::core::EnqueueResult::queued;
        },
        [](std::size_t i) {
            cells[i].word.store(1, std::memory_order_relaxed);
            cells[i].woken = futon::notify(cells[i].word);
        },
        [&counts, &table] {
            for (Cell& cell : cells) {
                const bool is_queued = table.dequeue(cell.waiter, futon::WaitResult::cancelled);
                if (cell.waiter.was_woken != (cell.woken == 1) || cell.is_enqueued != (is_queued || cell.woken == 1)) {
                    std::fprintf(stderr, "a waiter is neither woken nor queued, or both\n");
                    std::abort();
                }
                counts.add(!cell.is_enqueued, cell.woken == 1);
                cell.waiter.was_woken = false;
                cell.word.store(0, std::memory_order_relaxed);
            }
        });
    return counts;
}

void print(const char* name, std::uint64_t count) {
    std::printf("    %-40s %llu\n", name, static_cast<unsigned long long>(count));
}

}  // namespace

/// futon_litmus [--trials N]
int main(int count, char** arguments) {
    std::uint64_t trials = 2'000'000;
    if (count == 3 && std::string_view(arguments[1]) == "--trials") {
        trials = std::strtoull(arguments[2], nullptr, 10);
    } else if (count != 1) {
        std::fprintf(stderr, "futon_litmus [--trials N]\n");
        return 2;
    }

    // The bare pattern only shows that this machine reorders, for which a few trials are enough.
    const Counts bare = store_buffer(std::min<std::uint64_t>(trials, 10'000'000));
    print("neither saw the other's store", bare.neither);
    print("one did", bare.first + bare.second);
    print("both did", bare.both);

    const Counts fenced = notify_fence(trials);
    print("enqueued and not woken (forbidden)", fenced.neither);
    print("enqueued and woken", fenced.second);
    print("not enqueued, for it saw the change", fenced.first);
    print("not enqueued, and woken (forbidden)", fenced.both);
    return fenced.neither == 0 && fenced.both == 0 ? 0 : 1;
}
