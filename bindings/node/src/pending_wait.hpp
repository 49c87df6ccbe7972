// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/core/wait_table.hpp>
#include <futon/core/waiter.hpp>
#include <futon/deadline.hpp>
#include <futon/sync/async_lock.hpp>
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
    napi_deferred deferred = nullptr;
    bool is_armed = false;
    bool is_cancelled = false;
};

/// A promise of JavaScript in line. Delivered, it goes to its environment, which has it settled on its own thread.
///
/// It has a slot: the number by which JavaScript knows it. The first slots are light: JavaScript keeps a function that
/// settles the promise, which is quick, but takes some 120 bytes of its heap. Whoever waits in a crowd has a promise that
/// C++ settles.
///
/// A wait for a lock is one too. Delivered without the lock, it tries to take it, and else joins the line again.
///
/// Threads  the environment's own, but for what a waiter does itself.
class PendingWait final : public core::Waiter {
public:
    static constexpr std::uint32_t light_slots = 256;
    static constexpr std::uint32_t max_slot = (std::uint32_t{1} << 28) - 1;

    PendingWait(Environment& environment, std::uint32_t slot) noexcept
        : slot_(slot & max_slot),
          is_in_use(false),
          is_work(false),
          has_promise(false),
          has_limits_(false),
          environment_(environment) {}
    ~PendingWait() { reset(); }

    std::uint32_t slot() const noexcept { return slot_; }
    bool is_light() const noexcept { return slot_ < light_slots; }
    const Environment& environment() const noexcept { return environment_; }

    /// Null for most.
    WaitLimits* limits() const noexcept { return has_limits_ ? limits_ : nullptr; }

    /// Throws std::bad_alloc.
    WaitLimits& add_limits() {
        limits_ = new WaitLimits(*this);
        has_limits_ = true;
        return *limits_;
    }

    /// Null unless the promise is settled by one.
    napi_deferred deferred() const noexcept { return has_limits_ ? limits_->deferred : deferred_; }
    void set_deferred(napi_deferred deferred) noexcept { (has_limits_ ? limits_->deferred : deferred_) = deferred; }

    /// For another use.
    void reset() noexcept {
        if (has_limits_) delete limits_;
        has_limits_ = false;
        has_promise = false;
        deferred_ = nullptr;
        is_granted = false;
    }

    bool is_for_lock() const noexcept { return has_limits_ && limits_->lock != nullptr; }
    bool wants_grant() const noexcept override { return is_for_lock() && limits_->patience.is_due(); }

private:
    friend struct WaitLimits;

    void deliver() noexcept override;

    // Four bytes that fit into the padding of the base.
    std::uint32_t slot_ : 28;

public:
    std::uint32_t is_in_use : 1;    // it has joined, and is not over
    std::uint32_t is_work : 1;      // it keeps the process alive
    std::uint32_t has_promise : 1;  // it has no function in JavaScript that settles it

private:
    std::uint32_t has_limits_ : 1;
    Environment& environment_;
    union {
        WaitLimits* limits_;
        napi_deferred deferred_ = nullptr;
    };
};

static_assert(sizeof(PendingWait) == 64 || sizeof(void*) != 8, "there may be very many");

}  // namespace futon::node
