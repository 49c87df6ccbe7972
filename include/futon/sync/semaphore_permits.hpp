// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <utility>

#include <futon/sync/semaphore.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// Owns acquired permits and puts them back at the end of its scope; or has none, and says why. Use it wherever the
/// function that acquires also releases, however it returns. To release elsewhere, `detach` the permits and `adopt`
/// them there.
///
///     if (auto permit = connections.scoped_acquire(1, 5ms)) use_connection();
///     auto batch = connections.scoped_acquire(4);
///     queue.push([n = batch.detach()] { auto permits = futon::Semaphore::Permits::adopt(connections, n); ... });
///
/// It cannot be copied. What it is moved from owns no permits.
///
/// Requires  the semaphore has room for them when they are put back, so the program must not release more than it
///           acquired. Otherwise the program ends, and names this rule.
class [[nodiscard]] Semaphore::Permits {
public:
    // clang-format off
    Permits(Semaphore&, std::uint64_t = 1) = delete;  // futon: write scoped_acquire() to acquire permits, or Permits::adopt(semaphore, n) where they were acquired
    // clang-format on

    /// Takes over permits that the caller has acquired, by `acquire` or from `detach`. Throws std::invalid_argument as
    /// `try_acquire`.
    static Permits adopt(Semaphore& semaphore, std::uint64_t count);

    /// No permits, for this reason.
    explicit Permits(WaitResult failure) noexcept : result_(failure) {}

    Permits(Permits&& other) noexcept : semaphore_(other.semaphore_), count_(other.detach()), result_(other.result_) {}
    Permits& operator=(Permits&& other) noexcept;
    ~Permits() { put_back(); }

    /// How many permits it owns; 0 if it failed or has put them back.
    std::uint32_t count() const noexcept { return count_; }
    explicit operator bool() const noexcept { return count_ != 0; }

    /// `ok` if the permits were acquired, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Puts the permits back before the end of the scope. Does nothing if there are none.
    void put_back() noexcept;

    /// Gives up ownership without releasing. Returns how many permits the caller must release.
    [[nodiscard]] std::uint32_t detach() noexcept { return std::exchange(count_, 0); }

    // `release` would be ambiguous: Semaphore::release puts permits back, std::unique_lock::release gives up ownership.
    // Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    void release() = delete;  // futon: write put_back() to release the permits, or detach() to have them without this object
    // clang-format on

private:
    friend class Semaphore;
    friend class ScopedAcquiring;

    struct Adopted {};
    Permits(Adopted, Semaphore& semaphore, std::uint32_t count) noexcept : semaphore_(&semaphore), count_(count) {}

    Semaphore* semaphore_ = nullptr;
    std::uint32_t count_ = 0;
    WaitResult result_ = WaitResult::ok;
};

}  // namespace futon

#include <futon/detail/sync/semaphore_operations.hpp>  // what yields them

#include <futon/detail/end.hpp>
