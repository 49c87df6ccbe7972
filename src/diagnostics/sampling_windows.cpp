// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <random>
#include <stdexcept>

#include <futon/diagnostics.hpp>

#include "diagnostics/quiet_thread.hpp"
#include "diagnostics/sampling.hpp"

namespace futon::diagnostics {

namespace detail {

namespace {

using std::chrono::nanoseconds;

constexpr std::uint32_t share = 16;               // windows are so much of the time
constexpr std::uint32_t least_with_windows = 64;  // with more samples there is one window for ever

constexpr nanoseconds mean_length = std::chrono::milliseconds(2);
constexpr nanoseconds mean_distance = mean_length * (share - 1);

/// Between the thresholds of one change of the mode and the next: more than a thread passes over.
constexpr std::int64_t step = std::int64_t{1} << 33;

/// What is seen. Under the registry's mutex.
struct Mode {
    std::uint32_t one_in = 0;  // that are seen; 0: everything is
    bool has_windows = false;
    std::int64_t base = 0;  // the threshold in a window
    bool is_open = true;

    // Of the windows, in nanoseconds: when the present one began, or the time between two, and when it is to end; how long all were
    // open, and closed. They begin with what is expected of one of each.
    std::int64_t since = 0, until = 0;
    double open = 0, closed = 0;
};
Mode mode;

std::atomic<std::uint32_t> rate{0};    // how many a thread passes over in a window, on average
std::atomic<std::uint32_t> weight{0};  // how many one of the samples stands for

void set_open(bool is_open, std::int64_t limit) noexcept {
    if (is_open != mode.is_open) is_open ? wanted.fetch_add(1) : wanted.fetch_sub(1);
    mode.is_open = is_open;
    threshold = limit;
}

void note_time(std::int64_t time) noexcept {
    (mode.is_open ? mode.open : mode.closed) += static_cast<double>(time - mode.since);
    mode.since = time;
}

}  // namespace

std::uint32_t passed_over_on_average() noexcept {
    return rate.load();
}

std::uint32_t weight_of_samples() noexcept {
    return weight.load();
}

std::uint32_t sampled_one_in() noexcept {
    const std::scoped_lock hold(Registry::get().mutex);
    return mode.one_in;
}

void open_window(std::int64_t time, std::int64_t length) noexcept {
    if (!mode.has_windows || mode.is_open) return;
    note_time(time);
    mode.until = time + length;
    // The system may end both windows and the times between them late.
    const double scaled = rate.load() * (mode.open + mode.closed) / mode.open;
    weight = static_cast<std::uint32_t>(std::min(std::round(scaled), 4e9));
    set_open(true, mode.base);
}

void close_window(std::int64_t time) noexcept {
    if (!mode.has_windows || !mode.is_open) return;
    note_time(time);
    set_open(false, nothing);
}

void close_overdue_window(std::int64_t time) noexcept {
    if (time > mode.until) close_window(time);
}

void set_mode(std::uint32_t one_in, bool has_windows, std::int64_t time) {
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    registry.forget_callers();
    forget_all_sampled();
    const std::int64_t base = mode.base + step;
    mode = {one_in,
            has_windows,
            base,
            mode.is_open,
            time,
            0,
            static_cast<double>(mean_length.count()),
            static_cast<double>(mean_distance.count())};
    rate = has_windows ? std::max(one_in / share, 1U) : one_in;
    weight = one_in;
    if (one_in == 0)
        set_open(true, everything);
    else
        set_open(!has_windows, has_windows ? nothing : base);
}

namespace {

/// Opens the windows and closes them again, on a thread of its own. Both times are drawn, so that no period of the program meets them.
class Opener {
public:
    static Opener& get() {
        static Opener& opener = *new Opener;
        return opener;
    }

    void set(bool has_windows) {
        const std::scoped_lock hold(mutex_);
        if (has_windows && process_ != ::getpid()) {  // a child process has none of the threads
            quiet_thread([this] { run(); }).detach();
            process_ = ::getpid();
        }
        has_windows_ = has_windows;
        changed_.notify_one();
    }

private:
    void run() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return has_windows_; });
            if (is_changed_within(lock, draw(mean_distance))) continue;
            const nanoseconds length = draw(mean_length);
            {
                const std::scoped_lock hold(Registry::get().mutex);
                open_window(now(), length.count());
            }
            static_cast<void>(is_changed_within(lock, length));
            const std::scoped_lock hold(Registry::get().mutex);
            close_window(now());
        }
    }

    bool is_changed_within(std::unique_lock<std::mutex>& lock, nanoseconds time) {
        return changed_.wait_for(lock, time, [this] { return !has_windows_; });
    }

    nanoseconds draw(nanoseconds mean) {
        std::exponential_distribution<double> factors;
        return nanoseconds(
            static_cast<std::int64_t>(static_cast<double>(mean.count()) * std::min(factors(random_), 8.0)));
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::minstd_rand random_;
    bool has_windows_ = false;
    pid_t process_ = 0;
};

}  // namespace

}  // namespace detail

void observe(Observe what, std::uint32_t one_in) {
    using namespace detail;
    if (one_in == 0) throw std::invalid_argument("futon::diagnostics::observe: one in 0");
    const bool is_sampling = what == Observe::samples;
    const bool has_windows = is_sampling && one_in >= least_with_windows;
    Opener::get().set(has_windows);
    set_mode(is_sampling ? one_in : 0, has_windows, now());
}

}  // namespace futon::diagnostics
