// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <system_error>

#include <futon/futon.hpp>

#include "support/waiting.hpp"

namespace futon::test {

/// The code of the std::system_error that `function` throws; none if it returns.
template <class Function>
std::error_code error_of(Function function) {
    try {
        function();
    } catch (const std::system_error& error) {
        return error.code();
    }
    return {};
}

/// What an unlock, an upgrade or a downgrade of a lock throws that is not held.
inline const std::error_code not_held = std::make_error_code(std::errc::operation_not_permitted);

/// Which modes can be had by a caller: 's' shared, 'u' upgradeable, 'x' exclusive.
inline std::string open_modes(SharedLock& lock) {
    std::string open;
    if (lock.try_lock_shared()) {
        lock.unlock_shared();
        open += 's';
    }
    if (lock.try_lock_upgradeable()) {
        lock.unlock_upgradeable();
        open += 'u';
    }
    if (lock.try_lock()) {
        lock.unlock();
        open += 'x';
    }
    return open;
}

/// Returns once an upgrade waits for those that hold the lock shared: it lets no other share it.
inline void until_upgrade_waits(SharedLock& lock) {
    until([&] {
        if (!lock.try_lock_shared()) return true;
        lock.unlock_shared();
        return false;
    });
}

}  // namespace futon::test
