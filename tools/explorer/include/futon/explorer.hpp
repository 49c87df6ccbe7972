// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

/// Explores the interleavings of a small program whose threads are fibers.
///
/// The library is compiled against fibers like against any other platform. Each of its atomic operations, locks, parks and
/// posts is a schedule point, where the explorer decides which fiber runs next; time-outs, stale loads, leaps of the clock,
/// failed allocations and spurious wakes are its decisions too. One run of the program under one sequence of decisions is
/// a schedule.
///
/// An exhaustive exploration runs one schedule of those that differ only in the order of steps which do not depend on
/// each other, as far as it notices. Fibers of the same name are taken for interchangeable: give one name to those alone
/// which do the same, and which the program's checks do not tell apart.
///
/// Requires  a fiber is a function of what it read: the program decides only upon variables that the library's words
///           order, or that are declared by `point` or `touch`. One exploration runs at a time, on one thread.
namespace futon::explorer {

/// How many fibers a program may have, itself included.
inline constexpr int max_fibers = 8;

enum class Strategy : std::uint8_t {
    exhaustive,  ///< every schedule within the bounds, depth first
    random,      ///< at each point any of the fibers that can run
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
        0;  ///< how often a thread of the library's own may wake up by its clock although another fiber could go on
    int allocation_failures = 0;           ///< how many allocations may fail, of those in a scope of AllocationsMayFail
    int spurious_wakes = 0;                ///< how often a sleep on an address may end for no reason
    bool spins = false;                    ///< whether a thread polls once before it goes to sleep for a lock
    bool skips_seen = true;                ///< a step is not taken again from a state that it was taken from before
    bool counts_ends = false;              ///< counts the different states in which schedules end
    std::uint64_t schedules = 50'000'000;  ///< how many at most
    std::uint64_t seed = 1;
    std::string replay = {};  ///< the schedule to run, once, with a trace; as a failure reports it
};

/// What an exploration found.
struct Report {
    std::uint64_t schedules = 0;
    std::uint64_t points = 0;  ///< schedule points and other decisions, over all schedules
    std::uint64_t states = 0;  ///< different steps from different states, of an exhaustive exploration
    std::uint64_t ends = 0;    ///< different states at the end, if counted
    std::uint64_t ends_digest = 0;
    bool is_exhausted = false;  ///< nothing within the bounds is left
    std::string failure;        ///< empty if none
    std::string schedule;       ///< of the failure
    std::string trace;          ///< each step of it: which fiber did what, and on which word
};

/// Runs `program` under many schedules, and stops at the first that fails. The program starts the fibers and, after `join`,
/// checks what came of them.
///
/// Requires  what a failed schedule has left behind is not used again: its fibers are stopped in the middle of functions,
///           and no destructor runs. A program that reported a failure had better end.
Report explore(const Options& options, const std::function<void()>& program);

// For crash handlers: how many schedules the present exploration has run, the present one included, and which it is.
std::uint64_t schedules_so_far() noexcept;
std::string present_schedule();

// For programs, within `explore`:

/// Starts a fiber; it first runs when the explorer decides so.
void spawn(std::string name, std::function<void()> body);

/// Lets all fibers that were started run to their ends. Fails if they cannot: a deadlock, and so a lost wake-up.
///
/// Ordering  everything in the fibers happens before this returns.
void join();

/// Ends the schedule as a failure if the claim is false.
void check(bool claim, const char* what);

/// Ends the schedule as a failure.
[[noreturn]] void fail(const char* what) noexcept;

/// One of 0 … count - 1, by the explorer's decision.
std::size_t choose(std::size_t count);

/// Calls an object by a name: steps on it are told as `permits` in the place of `#2`, steps on what lies inside of it as
/// `semaphore+8`. In traces, in what a deadlock says of those that wait, and in data races.
///
///     Semaphore semaphore(0);
///     explorer::name(semaphore, "semaphore");
///
/// The name is that of the memory, and holds until the schedule ends: each schedule makes its objects and names them. Of names
/// that overlap the one given last is told, so the whole is named before its parts, and what comes to lie where a named object
/// was is named anew, or called "", which gives it a number again. What a view shows is named, not the view; the steps of a
/// `futon::wait` in its own memory (`park`) keep their numbers.
///
/// It is no step, so it changes no schedule. Outside of an exploration it does nothing.
///
/// Cost  the text is copied, also in schedules that hold; it is looked up only where a failure is told.
template <class T>
void name(const T& object, std::string text);
template <class T>
void name(const T&& object, std::string text) = delete;  // a temporary: `*pointer` is meant

/// The same of `size` bytes from `begin` on: of an array's elements, or a buffer's words.
void name(const void* begin, std::size_t size, std::string text);

/// How a step touches a place. Two steps depend on each other if they touch the same place and one of them writes.
enum class Access : std::uint8_t { none, read, write };

/// A schedule point: another fiber may run here, before a step that touches `place`. `what` appears in traces.
void point(const char* what, const void* place, Access access = Access::write) noexcept;

/// A step that writes `place`, before which no other fiber runs.
void touch(const void* place) noexcept;

/// What the library takes for the steady clock.
std::chrono::steady_clock::time_point virtual_now() noexcept;

/// Sleeps until `deadline`; where the schedule says nothing, all other fibers come first.
void sleep_until(const char* what, std::chrono::steady_clock::time_point deadline) noexcept;

/// From here on the calling fiber may not block as long as it has made no agent, as the main thread of a page may not.
void forbid_blocking() noexcept;

/// While one lives, what its fiber allocates may fail.
class AllocationsMayFail {
public:
    AllocationsMayFail();
    ~AllocationsMayFail();
    AllocationsMayFail(const AllocationsMayFail&) = delete;
    AllocationsMayFail& operator=(const AllocationsMayFail&) = delete;
};

/// A plain variable. Two accesses, one of them a store, that the memory model does not order are a failure, if the
/// exploration has `stale_loads`.
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
