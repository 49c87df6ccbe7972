// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/explorer/kernel.hpp>

#include "platform/wake_time.hpp"

namespace futon::platform {

/// The contract of a parker, between fibers: a second token, or a touch after its end, is a failure.
class Parker {
public:
    Parker() noexcept = default;
    Parker(const Parker&) = delete;
    Parker& operator=(const Parker&) = delete;
    ~Parker() {
        // Volatile: else the compiler leaves out a store just before an object's end.
        static_cast<volatile State&>(state_) = State::gone;
    }

    void park() noexcept { park_until(std::chrono::steady_clock::time_point::max()); }

    bool park_until(std::chrono::steady_clock::time_point deadline) noexcept {
        if (explorer::held_locks() > 0) explorer::fail("[no-lock] a fiber parks under a lock");
        if (!explorer::await("park", this, has_token, deadline)) return false;
        state_ = State::empty;
        explorer::acquire(clock_);
        return true;
    }

    /// A fiber that could poll can as well be scheduled later.
    bool has_token() const noexcept { return false; }

    static WakeTime& wake_time() noexcept {
        static constinit WakeTime unknown;  // no time passes in a call
        return unknown;
    }

    void unpark() noexcept {
        explorer::point("unpark", this, explorer::Access::write);
        if (explorer::held_locks() > 0) explorer::fail("[no-lock] a fiber unparks another one under a lock");
        if (state_ == State::token) explorer::fail("[once] a second token is sent to a parker");
        if (state_ != State::empty) explorer::fail("[last-touch] a parker is touched after its end");
        explorer::publish(clock_);
        state_ = State::token;
    }

private:
    enum class State : unsigned { empty = 0x5ea71, token = 0x70ce, gone = 0xdead };

    static bool has_token(const void* self) noexcept {
        return static_cast<const Parker*>(self)->state_ == State::token;
    }

    State state_ = State::empty;
    explorer::Clock clock_{};
};

}  // namespace futon::platform
