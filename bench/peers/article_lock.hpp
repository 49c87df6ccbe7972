// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/atomics.hpp>
#include <futon/promise.hpp>
#include <futon/word.hpp>

namespace bench {

/// The lock of three states that articles build of `Atomics.wait`, `waitAsync` and `notify`: free, held, held and waited for. It
/// wakes one waiter at each unlock, which competes with all others.
class ArticleLock {
public:
    void lock() {
        if (word().compare_exchange(free, held) == free) return;
        while (word().exchange(waited_for) != free) futon::wait(word(), waited_for);
    }

    futon::Promise<void> lock_async() {
        if (word().compare_exchange(free, held) == free) co_return;
        while (word().exchange(waited_for) != free) co_await futon::wait_async(word(), waited_for);
    }

    void unlock() {
        if (word().exchange(free) == waited_for) futon::notify(word(), 1);
    }

    /// Wakes all that wait: whom a loop that has ended did not pass its wake-up on.
    void rouse() { futon::notify(word()); }

private:
    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t waited_for = 2;

    futon::Word<std::uint32_t> word() { return cell_; }

    std::uint32_t cell_ = free;
};

}  // namespace bench
