// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/export.hpp>
#include <futon/limits.hpp>
#include <futon/wait_result.hpp>

namespace futon::detail {

/// Gives a primitive its ways to wait. `Primitive` has a `try_wait()`, and a `waiting()` that returns an operation with
/// a WaitResult. It derives from this, names `wait` and `wait_async` among its own functions, and documents there what
/// they wait for. The base is empty, so the primitive keeps the size of its word.
///
///     wait()         wait_async()          without limits
///     wait(limits)   wait_async(limits)    until a deadline, for a time, until a stop is requested: see `Limits`
///
/// Returns  `ok`; with limits also `timed_out` or `cancelled`. What has already happened wins over limits that are over.
/// Threads  `wait`: agents that may block. `wait_async`: agents that have an executor.
/// Throws   `wait`: BlockingForbidden if the agent may not block, even if there is nothing to wait for. `wait_async`,
///          when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps no
///          timers. Both: std::system_error (not_enough_memory) if a table of fixed size is full
/// Cancel   the deadline and the stop token. `wait_async` also: destroying the coroutine, or the end of its agent; what
///          it had received is given back
/// Cost     allocates nothing. If there is nothing to wait for, `wait` asks whether the thread may block, and calls
///          `try_wait`
template <class Primitive>
class WaysToWait {
public:
    WaitResult wait() { return is_over_at_once() ? WaitResult::ok : block({}); }
    [[nodiscard]] WaitResult wait(const Limits& limits) { return is_over_at_once() ? WaitResult::ok : block(limits); }

    /// Returns  core::Await<Primitive::Waiting>; the name is not available here, because `Primitive` is incomplete
    [[nodiscard]] auto wait_async(Limits limits = {}) { return core::await(self().waiting(), std::move(limits)); }

private:
    friend Primitive;
    constexpr WaysToWait() noexcept = default;

    Primitive& self() noexcept { return static_cast<Primitive&>(*this); }

    /// The path that may have to wait. Not inline: the library compiles it.
    FUTON_API WaitResult block(const Limits& limits);

    /// Whether `wait` is over without an operation: the thread may block, and there is nothing to wait for.
    bool is_over_at_once() noexcept { return this_thread_can_block() && self().try_wait(); }
};

template <class Primitive>
WaitResult WaysToWait<Primitive>::block(const Limits& limits) {
    return core::block(self().waiting(), limits);
}

/// The common part of operations that wait until a condition is true. A wake-up says only that it is true, so the
/// waiter has received nothing that it could give back.
class WaitingForState {
public:
    using Result = WaitResult;
    static constexpr bool wake_is_final = true;
    static constexpr bool woken(core::WakeToken) noexcept { return true; }
    static constexpr void give_back(core::WakeToken) noexcept {}
    static constexpr WaitResult result(core::Ending ending) noexcept { return core::to_wait_result(ending); }
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
