// SPDX-License-Identifier: MIT
//
// A main thread that must not block shares a lock with threads that may.
//
// The main thread runs an event loop with a tick of one millisecond, and on each tick asks for the lock with
// `execute_locked`. Worker threads take the same lock with `std::scoped_lock` and keep it while they wait for something
// slow, so that it is hardly ever free. The main thread must not wait for it all the same: it never goes to sleep in a
// call. That is checked. How well the loop keeps its tick also depends on what else the machine does, so it is only
// shown, beside a thread that shares nothing and keeps the same tick by sleeping.
//
// Linked with futon::diagnostics, it writes with --trace what all of them waited for and held, as a page for a browser.

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "calls.hpp"
#include "ledger.hpp"
#include "report.hpp"
#include "ticks.hpp"

namespace {

struct Options {
    int workers = 4;
    double seconds = 3;
    int calls_per_tick = 2;
    int hold_microseconds = 150;
    std::string trace;
};

/// What all of them share.
struct Shared {
    futon::AsyncLock lock;
    std::atomic<bool> is_over{false};
    std::optional<Ledger> ledger;  // under the lock
};

/// Takes the lock again and again, and keeps it while something slow happens. Returns how often it did.
std::uint64_t work(Shared& shared, std::size_t party, std::chrono::microseconds hold) {
    std::uint64_t acquisitions = 0;
    while (!shared.is_over) {
        const auto asked = Clock::now();
        const std::scoped_lock locked(shared.lock);
        const auto acquired = Clock::now();
        std::this_thread::sleep_for(hold);
        shared.ledger->enter(party, asked, acquired, Clock::now());
        ++acquisitions;
    }
    return acquisitions;
}

/// The main thread's part: a tick, and on each tick some calls under the lock.
class Frontend {
public:
    Frontend(futon::EventLoop& loop, Shared& shared, Clock::time_point begin, Clock::time_point end, int calls_per_tick)
        : loop_(loop), shared_(shared), ticks_(begin), end_(end), calls_per_tick_(calls_per_tick) {
        schedule();
    }

    const Ticks& ticks() const { return ticks_; }
    const Calls& calls() const { return calls_; }
    std::uint64_t runs() const { return runs_; }
    bool are_all_served() const { return are_all_served_; }

private:
    void schedule() {
        loop_.post_at(ticks_.next(), [this] { tick(); });
    }

    void tick() {
        const auto now = Clock::now();
        if (is_over(now)) {
            shared_.is_over = true;
            return;
        }
        ticks_.count(now);
        for (int i = 0; i < calls_per_tick_; ++i) {
            calls_.count([this] { shared_.lock.execute_locked([this, asked = Clock::now()] { run_locked(asked); }); });
        }
        schedule();
    }

    void run_locked(Clock::time_point asked) {
        const auto acquired = Clock::now();
        shared_.ledger->enter(0, asked, acquired, Clock::now());
        are_all_served_ = shared_.ledger->has_served_all();
        ++runs_;
    }

    /// At the end, but not before each worker has had the lock: how soon it asks is the machine's doing. That a worker
    /// is never served would be the lock's.
    bool is_over(Clock::time_point now) const {
        return now >= end_ && (are_all_served_ || now >= end_ + std::chrono::minutes(1));
    }

    futon::EventLoop& loop_;
    Shared& shared_;
    Ticks ticks_;
    Clock::time_point end_;
    int calls_per_tick_;
    Calls calls_;
    std::uint64_t runs_ = 0;
    bool are_all_served_ = false;
};

void keep_ticks_asleep(Ticks& ticks, Clock::time_point end) {
    while (ticks.next() < end) {
        std::this_thread::sleep_until(ticks.next());
        ticks.count(Clock::now());
    }
}

/// Says what is off, if anything is. Returns whether all is well.
bool check(bool is_well, const std::string& claim) {
    std::printf("  %s %s\n", is_well ? "ok    " : "FAILED", claim.c_str());
    return is_well;
}

bool check_all(const Ledger& ledger, std::uint64_t expected_sum, const Frontend& frontend) {
    const Calls& calls = frontend.calls();
    const auto made = static_cast<std::uint64_t>(calls.made());
    std::puts("\nChecks");
    bool is_well = check(ledger.sum() == expected_sum,
                         "the final sum is " + std::to_string(expected_sum) + ", one for each time the lock was held");
    is_well &= check(frontend.runs() == made && ledger.accounts().front().acquisitions == made,
                     "each of the loop's " + std::to_string(made) + " calls has run once");
    is_well &=
        check(frontend.are_all_served(), "the loop and each worker have had the lock while the others asked for it");
    // A call may meet a mutex of futon's table of queues, which its owner keeps for some steps. If the system takes the
    // processor from that owner just then, the call sleeps: once in very many calls. With a lock that blocks, it would
    // sleep in every fourth call or more.
    if (Calls::are_sleeps_counted)
        is_well &= check(calls.with_sleep() <= calls.made() / 100 + 1,
                         "the main thread does not sleep in a call (it did in " + std::to_string(calls.with_sleep()) +
                             " of " + std::to_string(made) + ")");
    return is_well;
}

bool run(const Options& options) {
    constexpr std::size_t columns = 64;
    const auto begin = Clock::now();
    const auto length = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));

    std::vector<std::string> names{"main loop"};
    for (int i = 1; i <= options.workers; ++i) names.push_back("worker " + std::to_string(i));
    Shared shared;
    futon::name(shared.lock, "the shared lock");
    shared.ledger.emplace(names, begin, length, columns);

    futon::EventLoop loop;
    Frontend frontend(loop, shared, begin, begin + length, options.calls_per_tick);
    Ticks control(begin);
    std::atomic<std::uint64_t> acquisitions{0};
    {
        std::vector<std::jthread> threads;
        threads.emplace_back([&] { keep_ticks_asleep(control, begin + length); });
        for (std::size_t party = 1; party < names.size(); ++party)
            threads.emplace_back([&, party] {
                acquisitions += work(shared, party, std::chrono::microseconds(options.hold_microseconds));
            });
        loop.run();
    }

    print_report(*shared.ledger, frontend.ticks(), control, frontend.calls());
    return check_all(*shared.ledger, frontend.runs() + acquisitions, frontend);
}

/// Whether the timeline can be written, before anything runs; if not, says why.
bool is_ready_to_trace(const std::string& path) {
    if (!futon::diagnostics::is_on) {
        std::fputs(
            "--trace: this demo is linked with futon::futon, which records nothing; ./dev demo --trace builds the "
            "one that does\n",
            stderr);
        return false;
    }
    errno = 0;
    std::ofstream file(path, std::ios::app);
    if (file << '\n' << std::flush) return true;  // the page will be written over it
    std::fprintf(stderr, "--trace: cannot write %s: %s\n", path.c_str(), std::strerror(errno));
    return false;
}

/// Returns whether it was written.
bool write_timeline(const std::string& path) {
    try {
        futon::diagnostics::write_timeline(path);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "--trace: %s\n", error.what());
        return false;
    }
    std::printf("\nThe timeline is in %s: open it in a browser.\n", path.c_str());
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("A main thread that must not block shares a lock with threads that may.", "futon_demo");
    app.add_option("--workers", options.workers, "threads that block for the lock")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seconds", options.seconds, "how long to run")
        ->check(CLI::Range(0.05, 3600.0))
        ->capture_default_str();
    app.add_option("--calls", options.calls_per_tick, "execute_locked calls of the loop on each tick of 1 ms")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--hold", options.hold_microseconds, "microseconds that a worker keeps the lock")
        ->check(CLI::Range(0, 1000000))
        ->capture_default_str();
    app.add_option("--trace", options.trace, "write a timeline of the run, a page for a browser, into this file");
    CLI11_PARSE(app, argc, argv);

    if (!options.trace.empty()) {
        if (!is_ready_to_trace(options.trace)) return 2;
        futon::diagnostics::trace();
    }
    std::printf("%d workers, %g s; the main thread may not block and asks for the lock %d times a millisecond.\n",
                options.workers, options.seconds, options.calls_per_tick);
    bool is_well = run(options);
    if (!options.trace.empty()) is_well &= write_timeline(options.trace);
    return is_well ? 0 : 1;
}
