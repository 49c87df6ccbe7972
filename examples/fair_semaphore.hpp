// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include <futon/core/operation/arbiter.hpp>

namespace example {

namespace core = futon::core;

/// A counting semaphore: first come, first served, however many permits a waiter asks for. A small request does not overtake
/// a big one.
///
/// Four functions say what a permit is; who gets one is the arbiter's business: in which order threads and tasks are served,
/// that no thread waits for a loop that does not run, and that a busy loop is served all the same.
///
/// Requires  it outlives what acquires from it: calls, coroutines and promises.
class FairSemaphore {
    struct Rules {
        using Word = std::uint64_t;
        static bool can_serve(core::ResourceState permits, std::uint64_t count) noexcept { return permits >= count; }
        static core::ResourceState taken(core::ResourceState permits, std::uint64_t count) noexcept {
            return permits - static_cast<core::ResourceState>(count);
        }
        static core::ResourceState returned(core::ResourceState permits, std::uint64_t count) noexcept {
            return permits + static_cast<core::ResourceState>(count);
        }
        static bool may_serve(core::ResourceState permits) noexcept { return permits != 0; }
    };
    using Arbiter = core::Arbiter<Rules>;

public:
    class Acquire;

    /// Permits that are released at the end of their scope; null where the deadline or the stop came first.
    struct Release {
        std::uint32_t count = 0;
        void operator()(FairSemaphore* semaphore) const noexcept { semaphore->release(count); }
    };
    using Permits = std::unique_ptr<FairSemaphore, Release>;

    explicit FairSemaphore(std::uint32_t permits = 0, futon::Fairness fairness = futon::Fairness::strict) noexcept
        : permits_(permits, fairness) {}

    /// The operation that acquires `count` permits: for `core::block`, `core::await`, `core::promise_of` and `select`.
    Acquire acquiring(std::uint32_t count = 1) noexcept;

    bool try_acquire(std::uint32_t count = 1) noexcept { return permits_.try_take(count); }

    /// Any agent. Wakes as many waiters as the permits allow.
    void release(std::uint32_t count = 1) noexcept { permits_.give_back(count); }

    std::uint32_t available() const noexcept { return permits_.state(); }

private:
    Arbiter permits_;
};

class FairSemaphore::Acquire : public Arbiter::Request {
public:
    using Result = Permits;
    static constexpr const char* name = "FairSemaphore::acquire";

    Acquire(FairSemaphore& semaphore, std::uint32_t count) noexcept
        : Request(semaphore.permits_, count), semaphore_(&semaphore) {}

    Permits result(core::Ending ending) noexcept {
        end();
        const bool is_done = core::to_wait_result(ending) == futon::WaitResult::ok;
        return is_done ? Permits(semaphore_, Release{static_cast<std::uint32_t>(amount())}) : nullptr;
    }

private:
    FairSemaphore* semaphore_;
};

inline FairSemaphore::Acquire FairSemaphore::acquiring(std::uint32_t count) noexcept {
    return Acquire(*this, count);
}

}  // namespace example
