// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include <futon/core/probe.hpp>
#include <futon/core/queue/waiter.hpp>

#include <uv.h>

#include "napi.hpp"

#ifdef FUTON_DIAGNOSTICS
#include <string>

#include "diagnostics/runtime.hpp"
#endif

// What the addon tells the diagnostics. In the plain addon all of this is empty.
namespace futon::node {

class Environment;

#ifdef FUTON_DIAGNOSTICS

/// An environment and its loop, as the diagnostics see them.
///
/// Threads  the environment's own
class Diagnosis final : diagnostics::detail::StillLoop {
public:
    explicit Diagnosis(Environment& environment);
    Diagnosis(const Diagnosis&) = delete;
    Diagnosis& operator=(const Diagnosis&) = delete;
    ~Diagnosis();

    /// The handles of the environment are open: other threads may ring its loop. They are about to be closed.
    void opened();
    void closing() noexcept;

    /// The thread blocks next, which may close a deadlock with promises: their loops look again.
    void about_to_block() noexcept;

    /// A buffer of this thread is over the memory that begins there; one is no more. What is left when the thread ends is over then.
    void memory_begins(const void* begin, std::size_t size);
    void memory_ends(const void* begin);

    /// Learns which handle has the timers of JavaScript: it is set between two calls. The engine has others, which run no program.
    void look_at_timers();

    /// Before the loop polls: what the last turn took, and whether its promises are in a deadlock.
    void look() noexcept;

private:
    bool is_still() const noexcept override;
    void tell_of_turn() noexcept;

    struct Use {
        std::size_t size = 0;
        std::size_t buffers = 0;
    };

    Environment& environment_;
    std::map<const void*, Use> memory_;
    std::map<const uv_handle_t*, std::uint64_t> timers_;  // when each is due
    const uv_handle_t* javascript_timers_ = nullptr;      // null: not known
    std::int64_t turn_since_ = 0;                         // in nanoseconds; 0: not known
    std::uint64_t idle_before_ = 0;                       // of the loop, then
};

/// While it lives, the calling thread attempts something for a promise.
class PromiseCall {
public:
    /// `again` is the promise's waiter, if it was queued before.
    PromiseCall(const char* operation, bool is_limited, const core::Waiter* again = nullptr) noexcept;
    PromiseCall(const PromiseCall&) = delete;
    PromiseCall& operator=(const PromiseCall&) = delete;
    ~PromiseCall() { diagnostics::detail::this_call() = before_; }

private:
    const diagnostics::detail::Call before_;
    core::probe::Attempt attempt_;
};

/// A waiter is used for another wait next: its last one is over.
void end_wait(core::Waiter& waiter) noexcept;

struct DiagnosisFunction {
    const char* name;
    napi_callback callback;
};

/// What lib/diagnostics.js calls; the last one has no name.
extern const DiagnosisFunction diagnosis_functions[];

/// Calls a function of the addon that may throw DeadlockFound, as the program may have chosen, and throws that in JavaScript.
napi_value catching(napi_callback callback, napi_env env, napi_callback_info info);

/// The same as a function.
template <napi_callback callback>
napi_value caught(napi_env env, napi_callback_info info) {
    return catching(callback, env, info);
}

#else

class Diagnosis {
public:
    explicit Diagnosis(Environment&) noexcept {}
    void opened() noexcept {}
    void closing() noexcept {}
    void about_to_block() noexcept {}
    void look() noexcept {}
};

struct PromiseCall {
    PromiseCall(const char*, bool, const core::Waiter* = nullptr) noexcept {}
};

inline void end_wait(core::Waiter&) noexcept {}

template <napi_callback callback>
napi_value caught(napi_env env, napi_callback_info info) {
    return callback(env, info);
}

#endif

}  // namespace futon::node
