// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace futon::test {

/// Who holds the lock, as the program sees it.
class Holders {
public:
    void reads() {
        explorer::check(!is_written_, "no reader beside a writer");
        ++readers_;
    }
    void has_read() { --readers_; }
    void writes() {
        explorer::check(!is_written_ && readers_ == 0, "no writer beside others");
        is_written_ = true;
    }
    void has_written() { is_written_ = false; }

    /// Another thread may run here.
    void pause() { (void)pause_.load(); }

private:
    futon::core::Atomic<int> pause_{0};
    int readers_ = 0;
    bool is_written_ = false;
};

inline void read(SharedLock& lock, Holders& holders) {
    lock.lock_shared();
    holders.reads();
    holders.pause();
    holders.has_read();
    lock.unlock_shared();
}

inline void write(SharedLock& lock, Holders& holders) {
    lock.lock();
    holders.writes();
    holders.pause();
    holders.has_written();
    lock.unlock();
}

inline void check_idle(SharedLock& lock) {
    const auto* upgrades = reinterpret_cast<const std::byte*>(&lock) + 4;
    explorer::check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
    explorer::check(futon::core::process_table().count(upgrades) == 0, "no upgrade is queued");
    explorer::check(lock.try_lock(), "[has-waiters] it is free in the end");
    lock.unlock();
}

}  // namespace futon::test
