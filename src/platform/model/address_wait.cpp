// SPDX-License-Identifier: MIT
#include "platform/address_wait.hpp"

#include <array>
#include <cstring>

#include <futon/explorer.hpp>
#include <futon/explorer/kernel.hpp>

namespace futon::platform {

namespace {

struct Sleeper {
    const void* word = nullptr;
    bool is_awake = false;
};

std::array<Sleeper, explorer::max_fibers> sleepers;

Sleeper& sleeper_of(int fiber) {
    return sleepers[static_cast<std::size_t>(fiber)];
}

bool is_awake(const void* sleeper) noexcept {
    return static_cast<const Sleeper*>(sleeper)->is_awake;
}

bool holds(const AddressWait::Word& word, std::uint32_t expected) {
    std::uint32_t value = 0;
    static_assert(sizeof word == sizeof value);
    std::memcpy(&value, &word, sizeof value);
    return value == expected;
}

}  // namespace

void AddressWait::wait(Word& word, std::uint32_t expected) noexcept {
    wait_until(word, expected, std::chrono::steady_clock::time_point::max());
}

void AddressWait::wait_until(Word& word, std::uint32_t expected,
                             std::chrono::steady_clock::time_point deadline) noexcept {
    explorer::point("wait on address", &word);
    if (!holds(word, expected)) return;
    // A spurious wake may come at any time: it is a time-out that is already due.
    if (explorer::wakes_spuriously()) deadline = explorer::virtual_now();
    Sleeper& self = sleeper_of(explorer::this_fiber());
    self = {.word = &word};
    explorer::await("sleep on address", &self, is_awake, deadline);
    self = {};
}

void AddressWait::wake_one(Word& word) noexcept {
    explorer::point("wake by address", &word);
    std::array<Sleeper*, explorer::max_fibers> asleep{};
    std::size_t count = 0;
    for (Sleeper& sleeper : sleepers)
        if (sleeper.word == &word && !sleeper.is_awake) asleep[count++] = &sleeper;
    if (count == 0) return;
    Sleeper& woken = *asleep[explorer::choose(count)];
    explorer::touch(&woken);
    woken.is_awake = true;
}

}  // namespace futon::platform
