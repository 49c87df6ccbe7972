// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstddef>

/// What a program and its plugins ask of a copy of the library: without a type of the library, for a program that has none.
struct Copy {
    /// Whether the wait ended by a notify.
    bool (*wait)(std::atomic<int>& word);
    std::size_t (*notify)(std::atomic<int>& word);
    /// How many wait at an address.
    std::size_t (*count)(const void* address);

    /// Of a lock that is made of four bytes, zero.
    void (*lock)(void* lock);
    void (*unlock)(void* lock);

    /// Makes an event loop on this thread, calls `begin`, runs the loop until nothing is pending, and calls `end`.
    void (*run_loop)(void (*begin)(void*), void (*end)(void*), void* context);
    /// The current agent of this thread; null if it has made none.
    const void* (*agent)();
    /// Whether this thread may not block.
    bool (*blocking_is_refused)(std::atomic<int>& word);
    /// A coroutine of this thread's loop, which counts in `wake_ups` that it was woken. `end_coroutine` takes what this returns.
    void* (*wait_in_coroutine)(std::atomic<int>& word, int& wake_ups);
    void (*end_coroutine)(void*);

    /// A function of the library, by which one that is shared is known, and the rules of a lock, which the keeper may ask after the
    /// last call.
    const void* (*library)();
    const void* (*rules)();
};

/// Each object that has a copy gives it under this name.
extern "C" [[gnu::visibility("default")]] const Copy* futon_test_copy();
