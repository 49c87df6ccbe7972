// SPDX-License-Identifier: MIT
#include "platform/linux/futex.hpp"

#include <array>
#include <cstring>

#include "kernel.hpp"
#include "model.hpp"

// The kernel's side of a futex: comparing and falling asleep are one step, a wake takes any sleeper, and a sleeper may
// wake for no reason. The word is only looked at by who waits.

namespace futon::platform {

namespace {

struct Sleeper {
    const void* word = nullptr;
    bool is_awake = false;
};

std::array<Sleeper, model::max_fibers> sleepers;

Sleeper& sleeper_of(int fiber) {
    return sleepers[static_cast<std::size_t>(fiber)];
}

bool is_awake(const void* sleeper) noexcept {
    return static_cast<const Sleeper*>(sleeper)->is_awake;
}

bool holds(const FutexWord& word, std::uint32_t expected) {
    std::uint32_t value = 0;
    static_assert(sizeof word == sizeof value);
    std::memcpy(&value, &word, sizeof value);
    return value == expected;
}

}  // namespace

void futex_wait(FutexWord& word, std::uint32_t expected) noexcept {
    futex_wait_until(word, expected, std::chrono::steady_clock::time_point::max());
}

void futex_wait_until(FutexWord& word, std::uint32_t expected, std::chrono::steady_clock::time_point moment) noexcept {
    model::point("futex wait", &word);
    if (!holds(word, expected)) return;
    // What could happen at any time is a time-out that is due already.
    if (model::wakes_spuriously()) moment = model::virtual_now();
    Sleeper& self = sleeper_of(model::this_fiber());
    self = {.word = &word};
    model::await("futex sleep", &self, is_awake, moment);
    self = {};
}

void futex_wake_one(FutexWord& word) noexcept {
    model::point("futex wake", &word);
    std::array<Sleeper*, model::max_fibers> asleep{};
    std::size_t count = 0;
    for (Sleeper& sleeper : sleepers)
        if (sleeper.word == &word && !sleeper.is_awake) asleep[count++] = &sleeper;
    if (count == 0) return;
    Sleeper& woken = *asleep[model::choose(count)];
    model::touch(&woken);
    woken.is_awake = true;
}

}  // namespace futon::platform
