// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <utility>

#include <futon/agent.hpp>
#include <futon/core/await.hpp>
#include <futon/core/block.hpp>
#include <futon/core/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/time_limit.hpp>
#include <futon/wait_result.hpp>

namespace futon::detail {

/// The ways to wait for a `Primitive` that has a `try_wait()`, and a `waiting()`: an operation that yields a WaitResult. The
/// primitive derives from this, names `wait` and `wait_async` among its own functions, and says there what is waited for. An
/// empty base: the primitive has the size of its word.
///
///     wait()              wait_async()               without a limit
///     wait(limit)         wait_async(limit)          until a deadline, or for a time from now
///     wait(limit, stop)   wait_async(limit, stop)    the same, and until a stop is requested
///     wait(stop)          wait_async(stop)           until a stop is requested
///
/// Returns  `ok`; with limits also `timed_out` or `cancelled`. What is there already counts before a limit that has come.
/// Threads  `wait`: agents that may block. `wait_async`: agents that have an executor.
/// Throws   `wait`: BlockingForbidden on an agent that may not, before anything is tried, also where nothing would have to wait.
///          `wait_async`, when awaited: NoExecutor on a thread without an executor, or with a deadline on one that keeps no
///          timers. Both: std::system_error (not_enough_memory) if a table of fixed size is full
/// Cancel   the deadline and the stop token; of `wait_async` also the destruction of the coroutine, and the end of its agent:
///          what it had been given by then is given back
/// Cost     allocates nothing. What is there already costs `wait` a question whether the thread may block, and a `try_wait`
template <class Primitive>
class WaysToWait {
public:
    WaitResult wait() { return is_over_at_once() ? WaitResult::ok : block(Deadline::never(), {}); }
    [[nodiscard]] WaitResult wait(TimeLimit limit, const std::stop_token& stop = {}) {
        return is_over_at_once() ? WaitResult::ok : block(limit, stop);
    }
    [[nodiscard]] WaitResult wait(const std::stop_token& stop) { return wait(Deadline::never(), stop); }

    /// Returns  core::Await<Primitive::Waiting>, which this cannot name while `Primitive` is being declared
    [[nodiscard]] auto wait_async(TimeLimit limit = Deadline::never(), std::stop_token stop = {}) {
        return core::await(self().waiting(), limit, std::move(stop));
    }
    [[nodiscard]] auto wait_async(std::stop_token stop) { return wait_async(Deadline::never(), std::move(stop)); }

private:
    friend Primitive;
    constexpr WaysToWait() noexcept = default;

    Primitive& self() noexcept { return static_cast<Primitive&>(*this); }

    /// Where it may have to wait. Not inline, for the library has it compiled.
    FUTON_API WaitResult block(TimeLimit limit, const std::stop_token& stop);

    /// Of a `wait`: what neither blocks nor throws needs no operation.
    bool is_over_at_once() noexcept { return this_thread_can_block() && self().try_wait(); }
};

template <class Primitive>
WaitResult WaysToWait<Primitive>::block(TimeLimit limit, const std::stop_token& stop) {
    return core::block(self().waiting(), limit, stop);
}

/// What operations have in common that wait until something is so. A wake-up says that it is so, and the waiter has got
/// nothing that could be given back.
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
