// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/core/operation/arbiter.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>

namespace futon::detail {

/// Permits as the resource of a `core::Arbiter`.
struct PermitRules {
    using Word = std::uint64_t;
    using State = core::ResourceState;
    static bool can_serve(State permits, std::uint64_t count) noexcept { return permits >= count; }
    static State taken(State permits, std::uint64_t count) noexcept { return permits - static_cast<State>(count); }
    static State returned(State permits, std::uint64_t count) noexcept { return permits + static_cast<State>(count); }
    static bool may_serve(State permits) noexcept { return permits != 0; }
    FUTON_API static const core::ArbiterBase<Word>::Rules lasting;
};

/// The arbiter of permits. Taking and giving back are usually a single change of the word, while waiters are queued, too: then it is
/// made in the library, without a call for each rule.
class PermitArbiter : public core::Arbiter<PermitRules> {
public:
    using Arbiter::Arbiter;

    /// As those of `Arbiter`.
    bool try_take(std::uint64_t count) noexcept {
        auto seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        for (int tries = 0; is_idle(seen); ++tries) {
            if (seen < count) return false;
            if (tries == 1)
                seen = reload_after_race();
            else if (word_.compare_exchange_weak(seen, seen - count, std::memory_order_acquire,  // [lock-release]
                                                 std::memory_order_relaxed))                     // the loop retries
                return true;
        }
        return take_past_queue(count);
    }
    bool give_back_up_to(core::ResourceState most, std::uint64_t count) noexcept {
        auto seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        while (is_idle(seen) && seen <= most)
            if (word_.compare_exchange_weak(seen, seen + count, std::memory_order_release,  // [lock-release]
                                            std::memory_order_relaxed))                     // the loop retries
                return true;
        return give_back_past_queue(most, count);
    }

private:
    FUTON_API bool take_past_queue(std::uint64_t count) noexcept;
    FUTON_API bool give_back_past_queue(core::ResourceState most, std::uint64_t count) noexcept;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
