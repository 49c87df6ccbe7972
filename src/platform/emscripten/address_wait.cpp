// SPDX-License-Identifier: MIT
#include "platform/address_wait.hpp"

#include <cmath>
#include <limits>

#include <emscripten/threading.h>

#include "platform/clock.hpp"

namespace futon::platform {

namespace {

static_assert(sizeof(AddressWait::Word) == 4, "the engine compares four bytes");

/// On the main thread Emscripten's function would not sleep either. It would run calls that other threads have sent to
/// the main thread, in the middle of the caller, which may hold a lock.
bool can_sleep() noexcept {
    return emscripten_is_main_runtime_thread() == 0;
}

}  // namespace

// By functions of Emscripten, not by the instructions: V8 11 may lose the contents of registers across an inlined wait.

void AddressWait::wait(Word& word, std::uint32_t expected) noexcept {
    if (can_sleep()) emscripten_futex_wait(&word, expected, INFINITY);
}

void AddressWait::wait_until(Word& word, std::uint32_t expected,
                             std::chrono::steady_clock::time_point deadline) noexcept {
    if (!can_sleep()) return;
    if (deadline == std::chrono::steady_clock::time_point::max()) return wait(word, expected);
    const std::chrono::duration<double, std::milli> left = deadline - now();
    if (left.count() > 0) emscripten_futex_wait(&word, expected, left.count());
}

void AddressWait::wake_one(Word& word) noexcept {
    emscripten_futex_wake(&word, 1);
}

void AddressWait::wake_all(Word& word) noexcept {
    emscripten_futex_wake(&word, std::numeric_limits<int>::max());
}

}  // namespace futon::platform
