// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

/// The tests' own probe, in the place of the empty one. Its functions are defined where a waiter is complete.
namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

inline constexpr bool is_enabled = true;

/// When the waiter was enqueued.
struct Stamp {
    std::chrono::steady_clock::time_point since{};
};

void enqueued(const void* address, Waiter& waiter) noexcept;
void woken(const void* address, Waiter& waiter) noexcept;
void dequeued(const void* address, Waiter& waiter) noexcept;
void requeued(const void* from, const void* to, Waiter& waiter) noexcept;
void acquired(const void* address) noexcept;
void releasing(const void* address) noexcept;
void handing_off(const void* address, const Waiter& waiter) noexcept;

}  // namespace probe

}  // namespace futon::core
