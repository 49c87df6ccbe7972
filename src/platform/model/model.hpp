// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

/// Explores the interleavings of a small program whose threads are fibers.
///
/// The library is compiled against this platform like against any other. Each of its atomic operations, locks, parks and
/// posts is a schedule point, where the explorer decides who runs next; time-outs, stale loads, leaps of the clock, failed
/// allocations and spurious wakes are its decisions too. One run of the program under one sequence of decisions is a
/// schedule.
///
/// An exhaustive exploration runs one schedule of those that differ only in the order of steps which do not depend on
/// each other, as far as it notices. Fibers of the same name are taken for interchangeable: give that to those alone
/// which do the same, and of which the program's checks do not care who is who.
namespace futon::model {

enum class Strategy : std::uint8_t {
    exhaustive,  ///< every schedule within the bounds, depth first
    random,      ///< at each point any of those who can run
    pct          ///< random priorities with `preemptions` changes: finds bugs of that depth with a known probability
};

inline constexpr int any_number = 1'000;

struct Options {
    Strategy strategy = Strategy::exhaustive;
    int preemptions = any_number;  ///< how often a schedule may take the processor from one who could go on
    int stale_loads = 0;           ///< how often a schedule may let a load miss newer stores, as C++'s orders allow
    int clock_leaps = 0;           ///< how often the clock may leap, by more than any patience, when it is read
    int allocation_failures = 0;   ///< how many allocations may fail, of those in a scope of AllocationsMayFail
    int spurious_wakes = 0;        ///< how often a futex may wake for no reason
    bool skips_seen = true;        ///< a state that was seen before is not looked at again
    bool counts_ends = false;      ///< counts the different states in which schedules end
    std::uint64_t schedules = 50'000'000;  ///< how many at most
    std::uint64_t seed = 1;
    std::string replay = {};  ///< the schedule to run, once, with a trace; as a failure prints it
};

struct Report {
    std::uint64_t schedules = 0;
    std::uint64_t points = 0;  ///< schedule points and other decisions, over all schedules
    std::uint64_t states = 0;  ///< different steps from different states, of an exhaustive exploration
    std::uint64_t ends = 0;    ///< different states at the end, if counted
    std::uint64_t ends_digest = 0;
    bool is_exhausted = false;  ///< nothing within the bounds is left
    std::string failure;        ///< empty if none
    std::string schedule;       ///< of the failure
    std::string trace;          ///< who did what in it
};

/// Runs `program` under many schedules. The program starts the fibers and, after `join`, checks what came of them.
Report explore(const Options& options, const std::function<void()>& program);

// For who reports a crash: how many schedules the present exploration has run, the present one included, and which it is.
std::uint64_t schedules_so_far() noexcept;
std::string present_schedule();

// For programs, within `explore`:

/// Starts a fiber; it first runs when the explorer decides so.
void spawn(std::string name, std::function<void()> body);

/// Lets all fibers that were started run to their ends. Fails if they cannot: a deadlock, and so a lost wake-up.
void join();

/// Ends the schedule as a failure if the claim is false.
void check(bool claim, const char* what);

/// One of 0 … count - 1, by the explorer's decision.
std::size_t choose(std::size_t count);

/// While one lives, what its fiber allocates may fail.
class AllocationsMayFail {
public:
    AllocationsMayFail();
    ~AllocationsMayFail();
    AllocationsMayFail(const AllocationsMayFail&) = delete;
    AllocationsMayFail& operator=(const AllocationsMayFail&) = delete;
};

/// A plain variable. Two accesses, one of them a store, that are not ordered by the memory model are a failure.
class Shared {
public:
    std::int64_t load() const;
    void store(std::int64_t value);

private:
    mutable std::int64_t value_ = 0;
    mutable std::uint32_t written_at_ = 0;
    mutable int writer_ = -1;
    mutable std::uint32_t read_at_[8]{};
};

}  // namespace futon::model
