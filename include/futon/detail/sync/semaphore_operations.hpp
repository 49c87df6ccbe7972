// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <utility>

#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/permit_rules.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/semaphore.hpp>
#include <futon/sync/semaphore_permits.hpp>
#include <futon/wait_result.hpp>

// The operations of a Semaphore, and how threads acquire Permits and put them back.
namespace futon {

/// "Acquire permits" as an operation. Yields a WaitResult; the caller must release the permits.
class FUTON_API FUTON_WARN_UNUSED Semaphore::Acquiring : public core::Arbiter<detail::PermitRules>::Request {
public:
    using Result = WaitResult;
    static constexpr const char* name = "futon::Semaphore::acquire";

    Result result(core::Ending ending) noexcept {
        end();
        if (core::to_wait_result(ending) == WaitResult::ok)
            core::probe::acquired(key(), core::probe::Hold::permits, amount());
        return core::to_wait_result(ending);
    }

private:
    friend class Semaphore;

    Acquiring(Semaphore& semaphore, std::uint64_t count) noexcept : Request(semaphore.permits_, count) {}
};

/// "Acquire permits" as an operation that yields Permits.
class FUTON_API FUTON_WARN_UNUSED Semaphore::ScopedAcquiring : public core::Arbiter<detail::PermitRules>::Request {
public:
    using Result = Permits;
    static constexpr const char* name = "futon::Semaphore::scoped_acquire";

    Result result(core::Ending ending) noexcept {
        end();
        if (core::to_wait_result(ending) != WaitResult::ok) return Permits(core::to_wait_result(ending));
        core::probe::acquired(key(), core::probe::Hold::permits, amount());
        return {Permits::Adopted{}, semaphore_, static_cast<std::uint32_t>(amount())};
    }

private:
    friend class Semaphore;

    ScopedAcquiring(Semaphore& semaphore, std::uint64_t count) noexcept
        : Request(semaphore.permits_, count), semaphore_(semaphore) {}

    Semaphore& semaphore_;
};

inline Semaphore::Acquiring Semaphore::acquiring(std::uint64_t count) {
    require_possible(count, Acquiring::name);
    return {*this, count};
}
inline Semaphore::ScopedAcquiring Semaphore::scoped_acquiring(std::uint64_t count) {
    require_possible(count, ScopedAcquiring::name);
    return {*this, count};
}

inline Semaphore::Permits Semaphore::scoped_acquire(std::uint64_t count, const Limits& limits) {
    require_can_block(ScopedAcquiring::name);
    require_possible(count, ScopedAcquiring::name);
    const WaitResult result = acquire(count, limits);
    if (result != WaitResult::ok) return Permits(result);
    return {Permits::Adopted{}, *this, static_cast<std::uint32_t>(count)};
}
inline Semaphore::Permits Semaphore::scoped_acquire(const Limits& limits) {
    return scoped_acquire(1, limits);
}

inline Semaphore::Permits Semaphore::Permits::adopt(Semaphore& semaphore, std::uint64_t count) {
    semaphore.require_possible(count, "futon::Semaphore::Permits::adopt");
    return {Adopted{}, semaphore, static_cast<std::uint32_t>(count)};
}

inline Semaphore::Permits& Semaphore::Permits::operator=(Permits&& other) noexcept {
    Permits taken(std::move(other));
    std::swap(semaphore_, taken.semaphore_);
    std::swap(count_, taken.count_);
    std::swap(result_, taken.result_);
    return *this;
}

inline void Semaphore::Permits::put_back() noexcept {
    if (const std::uint32_t count = std::exchange(count_, 0))
        detail::expects(semaphore_->try_release(count),
                        "permits are put back where the semaphore has room for them: no other has released too many");
}

}  // namespace futon

#include <futon/detail/sync/semaphore_tasks.hpp>  // how coroutines acquire

#include <futon/detail/end.hpp>
