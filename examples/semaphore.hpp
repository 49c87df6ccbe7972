// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include <futon/core/atomic.hpp>
#include <futon/core/operation/operation.hpp>

namespace example {

namespace core = futon::core;

/// A counting semaphore for all ways of waiting. A thread or task that finds a permit takes it, past those that are queued.
///
/// Requires  it outlives what acquires from it: calls, coroutines and promises.
class Semaphore {
public:
    explicit Semaphore(int permits) noexcept : permits_(permits) {}

    bool try_acquire() noexcept {
        int seen = permits_.load();
        while (seen > 0)
            if (permits_.compare_exchange_weak(seen, seen - 1)) return true;
        return false;
    }

    void release() noexcept {
        permits_.fetch_add(1);
        wake_next();
    }

    /// A permit that is released at the end of its scope; null where the deadline or the stop came first.
    struct Release {
        void operator()(Semaphore* semaphore) const noexcept { semaphore->release(); }
    };
    using Permit = std::unique_ptr<Semaphore, Release>;

    /// The operation that acquires a permit: for `core::block`, `core::await`, `core::promise_of` and `select`.
    class Acquire {
    public:
        using Result = Permit;
        static constexpr const char* name = "Semaphore::acquire";

        explicit Acquire(Semaphore& semaphore) noexcept : semaphore_(semaphore) {}
        const void* key() const noexcept { return semaphore_.get(); }
        bool try_now() noexcept { return semaphore_->try_acquire(); }
        core::WaitCheck check() noexcept { return {semaphore_.get(), 0, must_wait}; }
        bool woken(core::WakeToken) const noexcept { return false; }  // a permit may be there: try again
        void give_back(core::WakeToken token) const noexcept {
            if (token == core::WakeToken::handed_off) return semaphore_->release();  // it was done
            semaphore_->wake_next();
        }
        Permit result(core::Ending ending) noexcept {
            return Permit(core::to_wait_result(ending) == futon::WaitResult::ok ? semaphore_.get() : nullptr);
        }

    private:
        core::Target<Semaphore> semaphore_;
    };

    Acquire acquiring() noexcept { return Acquire(*this); }

private:
    static bool must_wait(void* semaphore, std::uint64_t) noexcept {
        return !static_cast<Semaphore*>(semaphore)->try_acquire();
    }
    void wake_next() noexcept { core::table_for(this).notify(this, 1); }

    core::Atomic<int> permits_;
};

}  // namespace example
