// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include <futon/async_lock.hpp>
#include <futon/core/wait_table.hpp>
#include <futon/core/waiter.hpp>
#include <futon/deadline.hpp>
#include <futon/timer.hpp>

#include "napi.hpp"

namespace futon::node {

class Environment;
class PendingWait;

/// What few waits have: a deadline, a lock that they are for.
struct WaitLimits final : Timer {
    explicit WaitLimits(PendingWait& owner) noexcept : wait(owner) {}
    void fire() noexcept override;

    PendingWait& wait;
    Deadline deadline = Deadline::never();
    AsyncLock* lock = nullptr;
    Deadline patience = Deadline::never();
    bool is_armed = false;
    bool is_cancelled = false;
};

/// A promise of JavaScript in line. Delivered, it goes to its environment, which has it settled on its own thread.
///
/// It has a slot: the number by which JavaScript knows it. The first slots are light: JavaScript keeps a function that
/// settles the promise, which is quick, but takes some 120 bytes of its heap. Whoever waits in a crowd has a deferred of
/// N-API, which takes half of that.
///
/// A wait for a lock is one too. Delivered without the lock, it tries to take it, and else joins the line again.
///
/// Threads  the environment's own, but for what a waiter does itself.
class PendingWait final : public core::Waiter {
public:
    static constexpr std::uint32_t light_slots = 256;
    static constexpr std::uint32_t max_slot = (std::uint32_t{1} << 29) - 1;  // three more bits go with it in a batch

    PendingWait(Environment& environment, std::uint32_t slot) noexcept
        : slot_(slot & max_slot), is_in_use(false), is_work(false), environment_(environment) {}

    std::uint32_t slot() const noexcept { return slot_; }
    bool is_light() const noexcept { return slot_ < light_slots; }
    bool is_for_lock() const noexcept { return limits != nullptr && limits->lock != nullptr; }
    const Environment& environment() const noexcept { return environment_; }

    bool wants_grant() const noexcept override { return is_for_lock() && limits->patience.is_due(); }

private:
    void deliver() noexcept override;

    // Four bytes that fit into the padding of the base.
    std::uint32_t slot_ : 30;

public:
    std::uint32_t is_in_use : 1;
    std::uint32_t is_work : 1;  // it keeps the process alive

private:
    friend struct WaitLimits;
    Environment& environment_;

public:
    std::unique_ptr<WaitLimits> limits;
    napi_deferred deferred = nullptr;
};

static_assert(sizeof(PendingWait) <= 72, "there may be very many");

}  // namespace futon::node
