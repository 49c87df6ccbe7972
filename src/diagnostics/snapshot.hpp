// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "diagnostics/registry.hpp"

namespace futon::diagnostics::detail {

/// A holder or a waiter as it was when its primitive was copied.
struct SeenHolder {
    Actor actor;
    std::string ended;  // who it was, if it has ended
    std::string id, text;
    const char* mode = "";
    std::uint64_t amount = 1;
    std::int64_t since = 0;
    Place place;
};
struct SeenWaiter {
    Actor actor;
    bool is_task = false;
    std::string id, text;
    const char* operation = "";
    std::int64_t since = 0;
    Place place;
};

/// A coroutine whose end settles a promise.
struct SeenSettler {
    std::string id, text;
    Place place;
};

struct SeenObject {
    const void* address = nullptr;
    std::string kind, name;
    std::vector<SeenHolder> holders;
    std::vector<SeenWaiter> waiters;
    std::vector<SeenSettler> settlers;
    Profile profile;
    bool has_profile = false;
    bool is_promise = false;
};

struct SeenThread {
    std::uint32_t id = 0;
    std::int64_t number = 0;
    bool has_ended = false, has_loop = false;
    std::int64_t job_since = 0, longest_job = 0;
    std::uint64_t jobs = 0;
};

/// All that is held, waited for or was used, by address; and the threads.
struct Snapshot {
    std::int64_t time = 0;         // when it was complete
    std::size_t most_at_once = 0;  // of the records that were copied while the mutex was held once
    std::vector<SeenObject> objects;
    std::vector<SeenThread> threads;
    std::vector<std::pair<std::string, std::uint32_t>> tasks;  // a coroutine's id, and its loop's thread
};

/// How many records are copied while the mutex is held once: objects with their holders and waiters, and threads. The last object may
/// have more, and so may the others of its bucket.
inline constexpr std::size_t snapshot_part = 64;

/// Takes one, in parts, so that no caller waits for longer than a part takes. What is seen of each object, holders and waiters, is of
/// one time; what is seen of two is not.
Snapshot take_snapshot();

std::string json_of(const Snapshot& snapshot);

}  // namespace futon::diagnostics::detail
