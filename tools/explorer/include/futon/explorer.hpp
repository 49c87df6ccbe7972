// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

/// Explores the interleavings of a small program whose threads are fibers. Use it to check a primitive in every
/// schedule within bounds.
///
///     const auto report = futon::explorer::explore({.preemptions = 2}, [] {
///         futon::AsyncLock lock;
///         int count = 0;
///         for (int i = 0; i < 2; ++i)
///             futon::explorer::spawn("adder", [&] { const std::scoped_lock hold(lock); ++count; });
///         futon::explorer::join();
///         futon::explorer::check(count == 2, "both have counted");
///     });
///
/// To the library, fibers are just another platform. Each of its atomic operations, locks, parks and posts is a
/// schedule point, at which the explorer decides which fiber runs next. It also decides about timeouts, stale loads,
/// leaps of the clock, failed allocations and spurious wake-ups. A schedule is one run of the program under one
/// sequence of decisions.
///
/// If schedules differ only in the order of steps that do not depend on each other, an exhaustive exploration runs one
/// of them, as far as it can tell. It treats fibers of the same name as interchangeable: give one name only to fibers
/// that do the same, and that the program's checks do not distinguish.
///
/// Requires  a fiber depends only on what it has read: the program makes decisions only from variables that the
///           library's words order, or that `point` or `touch` declares. One exploration runs at a time, on one thread.
namespace futon::explorer {

/// How many fibers a program may have, including its own.
inline constexpr int max_fibers = 8;

enum class Strategy : std::uint8_t {
    exhaustive,  ///< every schedule within the bounds, depth first
    random,      ///< at each point any fiber that can run
    pct          ///< random priorities with `preemptions` changes: finds bugs of that depth with a known probability
};

inline constexpr int any_number = 1'000;

/// The bounds of an exploration.
struct Options {
    Strategy strategy = Strategy::exhaustive;
    int preemptions = any_number;  ///< how often a schedule may take the processor from a fiber that could go on
    int stale_loads = 0;           ///< how often a schedule may let a load miss newer stores, as C++'s orders allow
    int clock_leaps = 0;  ///< how often the clock may leap by a second when it is read, past `handoff_threshold`
    int early_ticks =
        0;  ///< how often a thread of the library's own may wake up by its clock although another fiber could run
    int allocation_failures = 0;           ///< how many allocations may fail, of those in a scope of AllocationsMayFail
    int spurious_wakes = 0;                ///< how often a sleep on an address may end for no reason
    bool spins = false;                    ///< whether a thread polls once before it goes to sleep for a lock
    bool skips_seen = true;                ///< whether to skip a step in a state in which it was taken before
    bool counts_ends = false;              ///< whether to count the different final states
    std::uint64_t schedules = 50'000'000;  ///< how many at most
    std::uint64_t seed = 1;
    std::string replay = {};  ///< the schedule to run, once, with a trace; as a failure reports it
};

/// The result of an exploration.
struct Report {
    std::uint64_t schedules = 0;
    std::uint64_t points = 0;  ///< schedule points and other decisions, over all schedules
    std::uint64_t states = 0;  ///< different steps from different states, of an exhaustive exploration
    std::uint64_t ends = 0;    ///< different states at the end, if counted
    std::uint64_t ends_digest = 0;
    bool is_exhausted = false;  ///< whether every schedule within the bounds has run
    std::string failure;        ///< empty if none
    std::string schedule;       ///< of the failure
    std::string trace;          ///< each step of it: which fiber did what, and on which word
};

/// Runs `program` under many schedules, and stops at the first that fails. The program starts the fibers and, after
/// `join`, checks the outcome.
///
/// Requires  nothing that a failed schedule has left behind is used again: its fibers stop in the middle of functions,
///           and no destructor runs. After a reported failure a program should end.
Report explore(const Options& options, const std::function<void()>& program);

// For crash handlers: how many schedules the current exploration has run, including the current one, and which one that
// is.
std::uint64_t schedules_so_far() noexcept;
std::string present_schedule();

// For programs, within `explore`:

/// Starts a fiber. It first runs when the explorer decides so.
void spawn(std::string name, std::function<void()> body);

/// Runs all started fibers to their ends. Fails if that is impossible: a deadlock, or a lost wake-up.
///
/// Ordering  everything in the fibers happens before this returns.
void join();

/// Ends the schedule as a failure if the claim is false.
void check(bool claim, const char* what);

/// Ends the schedule as a failure.
[[noreturn]] void fail(const char* what) noexcept;

/// Returns one of 0 … count - 1, as the explorer decides.
std::size_t choose(std::size_t count);

/// Names an object in traces, in reports of deadlocks, and in data races: a step on it shows `permits` instead of `#2`,
/// a step on a part of it shows `semaphore+8`.
///
///     Semaphore semaphore(0);
///     explorer::name(semaphore, "semaphore");
///
/// The name belongs to the memory, and lasts until the schedule ends; each schedule makes its objects and names them.
/// If names overlap, the last one given counts, so name the whole before its parts. If another object comes to lie in
/// named memory, name it anew, or call it "", which restores the number. Name the object that a view shows, not the
/// view. Steps of a `futon::wait` in its own memory (`park`) keep their numbers.
///
/// Naming is not a step, so it does not change the schedule. Outside an exploration it does nothing.
///
/// Cost  the text is copied, even in schedules that succeed; it is looked up only to report a failure.
template <class T>
void name(const T& object, std::string text);
template <class T>
void name(const T&& object, std::string text) = delete;  // a temporary: `*pointer` is meant

/// The same for `size` bytes from `begin` on: an array's elements, or a buffer's words.
void name(const void* begin, std::size_t size, std::string text);

/// How a step accesses a place. Two steps depend on each other if they access the same place and one of them writes.
enum class Access : std::uint8_t { none, read, write };

/// A schedule point: another fiber may run here, before a step that accesses `place`. `what` appears in traces.
void point(const char* what, const void* place, Access access = Access::write) noexcept;

/// A step that writes `place`, without a schedule point before it.
void touch(const void* place) noexcept;

/// The time of the library's steady clock.
std::chrono::steady_clock::time_point virtual_now() noexcept;

/// Sleeps until `deadline`. Unless the schedule says otherwise, all other fibers run first.
void sleep_until(const char* what, std::chrono::steady_clock::time_point deadline) noexcept;

/// From here on the calling fiber must not block until it has made an agent, like the main thread of a page.
void forbid_blocking() noexcept;

/// While one lives, allocations of its fiber may fail.
class AllocationsMayFail {
public:
    AllocationsMayFail();
    ~AllocationsMayFail();
    AllocationsMayFail(const AllocationsMayFail&) = delete;
    AllocationsMayFail& operator=(const AllocationsMayFail&) = delete;
};

/// A plain variable that detects data races: if the memory model does not order two accesses, one of them a store, the
/// schedule fails. Needs an exploration with `stale_loads`.
class Shared {
public:
    std::int64_t load() const;
    void store(std::int64_t value);

private:
    mutable std::int64_t value_ = 0;
    mutable std::uint32_t written_at_ = 0;
    mutable int writer_ = -1;
    mutable std::uint32_t read_at_[max_fibers]{};
};

template <class T>
void name(const T& object, std::string text) {
    name(static_cast<const void*>(std::addressof(object)), sizeof(T), std::move(text));
}

}  // namespace futon::explorer
