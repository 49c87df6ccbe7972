// SPDX-License-Identifier: MIT
#include "platform/address_wait.hpp"

#include "platform/clock.hpp"
#include "platform/windows/windows.hpp"

namespace futon::platform {

namespace {

static_assert(sizeof(AddressWait::Word) == 4, "the system compares four bytes");

/// Rounded up: a caller that is woken early would only have to sleep again. Days that are far away come one by one: the caller
/// reads the clock.
DWORD milliseconds_until(std::chrono::steady_clock::time_point deadline) noexcept {
    using namespace std::chrono;
    constexpr milliseconds day = hours(24);
    const steady_clock::time_point time = now();
    if (deadline <= time) return 0;
    if (deadline - time > day) return static_cast<DWORD>(day.count());
    return static_cast<DWORD>(ceil<milliseconds>(deadline - time).count());
}

}  // namespace

void AddressWait::wait(Word& word, std::uint32_t expected) noexcept {
    WaitOnAddress(&word, &expected, sizeof expected, INFINITE);
}

void AddressWait::wait_until(Word& word, std::uint32_t expected,
                             std::chrono::steady_clock::time_point deadline) noexcept {
    const DWORD left = milliseconds_until(deadline);
    if (left > 0) WaitOnAddress(&word, &expected, sizeof expected, left);
}

// The system uses the address as a key alone.
void AddressWait::wake_one(Word& word) noexcept {
    WakeByAddressSingle(&word);
}

}  // namespace futon::platform
