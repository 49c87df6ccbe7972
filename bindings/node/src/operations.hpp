// SPDX-License-Identifier: MIT
#pragma once

#include <system_error>
#include <variant>

#include <futon/atomics.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/auto_reset_event.hpp>
#include <futon/sync/barrier.hpp>
#include <futon/sync/byte_channel.hpp>
#include <futon/sync/condition.hpp>
#include <futon/sync/event.hpp>
#include <futon/sync/latch.hpp>
#include <futon/sync/semaphore.hpp>
#include <futon/sync/shared_lock.hpp>
#include <futon/wait_result.hpp>

namespace futon::node {

/// "Make the upgradeable hold exclusive". One that is refused yields not_equal: JavaScript throws the error.
class Upgrading : public SharedLock::UpgradeRequest {
public:
    using Result = WaitResult;
    static constexpr const char* name = SharedLock::Upgrading::name;
    using UpgradeRequest::UpgradeRequest;

    WaitResult result(core::Ending ending) noexcept {
        try {
            require_permitted();
        } catch (const std::system_error&) {
            return WaitResult::not_equal;
        }
        return core::to_wait_result(ending);
    }
};

/// What a promise of JavaScript may wait for, besides the word of `waitAsync`.
using Operation =
    std::variant<WordWait, AsyncLock::Locking, Semaphore::Acquiring, Event::Waiting, AutoResetEvent::Waiting,
                 Latch::Waiting, SharedLock::Locking, SharedLock::LockingShared, SharedLock::LockingUpgradeable,
                 Upgrading, BarrierBase::Waiting, Condition::Waiting, ByteChannel::Sending, ByteChannel::Receiving>;

}  // namespace futon::node
