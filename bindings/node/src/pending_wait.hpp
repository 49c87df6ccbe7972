// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include <futon/core/probe.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/deadline.hpp>
#include <futon/timer.hpp>

#include "bytes.hpp"
#include "diagnosis.hpp"
#include "napi.hpp"
#include "operations.hpp"
#include "selecting.hpp"

namespace futon::node {

class Environment;
class PendingWait;

/// What only some waits have: a deadline, a primitive to wait for, or several.
struct WaitLimits final : Timer {
    explicit WaitLimits(PendingWait& owner) noexcept : wait(owner) {}
    void fire() noexcept override;

    PendingWait& wait;
    Deadline deadline = Deadline::never();
    std::optional<Operation> operation{};
    std::unique_ptr<PendingSelect> select{};  // instead of an operation
    Bytes bytes{};                            // what it sends
    Message message{};                        // what it has received
    napi_deferred deferred = nullptr;
    bool is_armed = false;
    bool is_cancelled = false;
};

/// The waiter of a promise of JavaScript. Its delivery passes it to its environment, which settles the promise on its
/// own thread.
///
/// A slot is the number by which JavaScript knows it. The first slots are light: JavaScript keeps a function that
/// settles the promise, which is fast but takes some 120 bytes of its heap. The promises of all further (heavy) slots
/// are settled by C++.
///
/// It may wait for a primitive; then it keeps the operation. Delivered without what it waits for, it tries to take that, and is
/// enqueued again if that fails.
///
/// Threads  the environment's own, except for what the base class does.
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

    /// What the steps of `core` enqueue it by.
    core::EnqueueResult enqueue(core::WaitQueues& table, const core::WaitCheck& check, core::Place place) noexcept {
        return table.enqueue(*this, check, place);
    }

    core::Demand request() const noexcept override {
        if (!has_operation()) return {};
        return std::visit([](const auto& op) { return core::request_of(op); }, *limits_->operation);
    }
    core::WaiterDescription describe() const noexcept override;
    core::Pace* pace() const noexcept override;
    bool is_here() const noexcept override;

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

    /// Prepares the slot for its next wait.
    void reset() noexcept {
        end_wait(*this);
        if (has_limits_) delete limits_;
        has_limits_ = false;
        has_promise = false;
        deferred_ = nullptr;
    }

    bool has_operation() const noexcept { return has_limits_ && limits_->operation.has_value(); }

    /// Null for most. Then this waiter is in no queue: those of the select are.
    PendingSelect* select() const noexcept { return has_limits_ ? limits_->select.get() : nullptr; }

    /// Whether no time-out and no abort ends its wait any more: it waits to lock again, after a wait at a condition.
    bool has_outlasted() const noexcept {
        return has_operation() &&
               std::visit([](const auto& op) { return core::has_outlasted(op); }, *limits_->operation);
    }

private:
    friend struct WaitLimits;

    void deliver() noexcept override;
    void moved(std::uint64_t expected, bool is_last) noexcept override {
        if (has_operation()) std::visit([&](auto& op) { core::moved(op, expected, is_last); }, *limits_->operation);
    }

    std::uint32_t slot_ : 28;

public:
    std::uint32_t is_in_use : 1;    // it was enqueued, and is not over
    std::uint32_t is_work : 1;      // it keeps the process alive
    std::uint32_t has_promise : 1;  // C++ settles its promise, no function of JavaScript does

private:
    std::uint32_t has_limits_ : 1;
    Environment& environment_;
    union {
        WaitLimits* limits_;
        napi_deferred deferred_ = nullptr;
    };
};

static_assert(sizeof(PendingWait) == 72 || sizeof(void*) != 8 || core::probe::is_enabled,
              "a program may have very many");

}  // namespace futon::node
