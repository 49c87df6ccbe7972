// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "diagnostics/registry.hpp"

namespace futon::diagnostics::detail {

/// A holder or a waiter as it was when the snapshot was taken.
struct SeenHolder {
    std::string id, text;
    const char* mode = "";
    std::uint64_t amount = 1;
    std::int64_t since = 0;
    Place place;
};
struct SeenWaiter {
    std::string id, text, operation;
    std::int64_t since = 0;
    bool is_woken_soon = false;
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
    std::int64_t time = 0;
    std::vector<SeenObject> objects;
    std::vector<SeenThread> threads;
    std::vector<std::pair<std::string, std::uint32_t>> tasks;  // a coroutine's id, and its loop's thread
};

/// Takes one: under the mutex for as long as it takes to copy.
Snapshot take_snapshot();

std::string json_of(const Snapshot& snapshot);

}  // namespace futon::diagnostics::detail
