// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace futon::top {

class Process;

/// What the program answers, as far as it is shown. Times are nanoseconds of its steady clock.
struct Durations {
    std::int64_t count = 0, p50 = 0, p99 = 0, max = 0;
};

struct Profile {
    std::int64_t acquisitions = 0, contended = 0, handoffs = 0, barged = 0, offers_expired = 0;
    Durations wait, hold;
};

struct Holder {
    std::string who, mode, where;
    std::int64_t amount = 1, since = 0;
};

struct Waiter {
    std::string who, operation, where;
    std::int64_t since = 0;
};

struct Object {
    std::string address, kind, name;
    std::vector<Holder> holders;
    std::vector<Waiter> waiters;
    Profile profile;

    /// What tells it from the others, from one snapshot to the next.
    std::string identity() const { return address + ' ' + kind + ' ' + name; }
    /// Its name, or what it is and where.
    std::string title() const;
};

/// What the callers at one line of the program met at the objects of one name, or else of one kind.
struct PlaceProfile {
    std::string object, where;
    Profile profile;
};

struct Thread {
    std::string id, name;
    std::int64_t number = 0;
};

struct Loop {
    std::string id, name, thread;
    std::int64_t delay = 0, longest_delay = 0;
};

struct Task {
    std::string id, loop;
};

struct Snapshot {
    std::string futon, program;
    std::int64_t process = 0, time = 0;
    std::vector<Thread> threads;
    std::vector<Loop> loops;
    std::vector<Task> tasks;
    std::vector<Object> objects;
    std::int64_t sampled_one_in = 0;
    std::vector<PlaceProfile> places;  // by the sum of their waits

    /// The id of a thread, a loop or a coroutine, with its name and its place.
    std::string describe(const std::string& who) const;
};

/// The snapshot that is in an answer.
///
/// Throws  Problem if it has another form, or is the program's error
Snapshot parse(const std::string& answer, const Process& process);

/// The answer with its fields on lines. Throws as `parse`.
std::string pretty(const std::string& answer, const Process& process);

}  // namespace futon::top
