// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

#include <time.h>

#include "harness/latency.hpp"
#include "harness/require.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

// A game: workers change a world, a loop draws it frame by frame.
namespace bench {

/// What the workers change, under a lock. Each change moves something from one cell to another, so the sum of all cells
/// tells whether a copy is whole.
class World {
public:
    using Cells = std::array<std::int64_t, 256>;

    void update(std::size_t number) {
        cells_[number % cells_.size()] += 1;
        simulation_();
        cells_[(number * 7 + 1) % cells_.size()] -= 1;
        ++updates_;
    }

    void copy_to(Cells& cells) const {
        cells = cells_;
        copy_();
    }

    std::uint64_t updates() const { return updates_; }

private:
    Work simulation_{std::chrono::microseconds(30)};
    Work copy_{std::chrono::microseconds(15)};
    Cells cells_{};
    std::uint64_t updates_ = 0;
};

/// What a worker does between two changes.
inline Work think() {
    return Work(std::chrono::microseconds(50));
}

/// The frames of a loop: one in each period, with pictures to compute in slices, and a copy of the world which the loop asks
/// for when the frame begins. A frame is done when it has both. One that is late takes the place of the next; one that has not
/// got a copy after four periods is drawn with an old one, which only loops that try may have to do.
class Frames {
public:
    static constexpr std::chrono::milliseconds period{4};
    static constexpr int slices = 8;

    explicit Frames(int count) : left_(count) {}

    /// Whether there is another frame, which begins when it is due.
    bool has_next() {
        if (left_ == 0) return false;
        --left_;
        const Clock::time_point now = Clock::now();
        while (due_ < now) due_ += period;
        return true;
    }
    Clock::time_point due() const { return due_; }

    void begin() { requested_ = Clock::now(); }
    void draw_slice() const { slice_(); }
    bool may_wait() const { return Clock::now() - due_ < 4 * period; }

    /// The owner of the world calls it, on any thread.
    void take(const World& world) {
        waits_.add(since(requested_));
        world.copy_to(cells_);
        has_copy_ = true;
    }

    void finish() {
        require(std::exchange(has_copy_, false), "a frame has a copy of the world");
        require(std::reduce(cells_.begin(), cells_.end()) == 0, "the copy is of a whole world");
        end();
    }
    void miss() {
        ++missed_;
        end();
    }

    void add_to(Sample& sample) const {
        const auto percent = [this](std::uint64_t part) { return 100 * static_cast<double>(part) / done(); };
        sample.values["late"] = percent(late_);
        sample.values["missed"] = percent(missed_);
        note_latencies(sample, "frame", lengths_);
        note_latencies(sample, "wait", waits_);
    }
    double done() const { return static_cast<double>(lengths_.count()); }

private:
    static std::uint64_t since(Clock::time_point begin) {
        return static_cast<std::uint64_t>(std::max(0.0, nanoseconds(Clock::now() - begin)));
    }

    void end() {
        const std::uint64_t length = since(due_);
        lengths_.add(length);
        if (length > static_cast<std::uint64_t>(nanoseconds(period))) ++late_;
    }

    Work slice_{std::chrono::microseconds(125)};
    int left_;
    Clock::time_point due_ = Clock::now() + period;
    Clock::time_point requested_;
    World::Cells cells_{};
    bool has_copy_ = false;
    std::uint64_t late_ = 0;
    std::uint64_t missed_ = 0;
    Histogram lengths_;
    Histogram waits_;
};

/// The processor time of this thread, in nanoseconds.
inline double cpu_of_this_thread() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Plays so many frames. A `Game(workers)` has a world, `run_loop(frames)`, which the calling thread runs, and `stop()`, which
/// ends the workers and gives the number of their changes; it starts them in its constructor.
template <class Game>
Sample play(int workers, int count) {
    Game game(workers);
    Frames frames(count);
    double cpu_of_loop = 0;
    std::uint64_t updates = 0;
    Sample sample = time_of(1, [&] {
        const double begin = cpu_of_this_thread();
        game.run_loop(frames);
        cpu_of_loop = cpu_of_this_thread() - begin;
        updates = game.stop();
    });
    require(game.world().updates() == updates, "no change of the world is lost");
    const double cpu_of_workers = sample.values["user_ns"] + sample.values["sys_ns"] - cpu_of_loop;
    const double each = static_cast<double>(std::max<std::uint64_t>(updates, 1));
    for (auto& [name, value] : sample.values) value /= each;
    sample.values["cpu_of_workers"] = std::max(0.0, cpu_of_workers) / each;
    sample.values["cpu_of_loop"] = cpu_of_loop / frames.done() / 1e3;
    frames.add_to(sample);
    return sample;
}

}  // namespace bench
