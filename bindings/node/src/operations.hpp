// SPDX-License-Identifier: MIT
#pragma once

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

namespace futon::node {

/// What a promise of JavaScript may wait for, besides the word of `waitAsync`.
using Operation = std::variant<WordWait, AsyncLock::Locking, Semaphore::Acquiring, Event::Waiting,
                               AutoResetEvent::Waiting, Latch::Waiting, SharedLock::Locking, SharedLock::LockingShared,
                               BarrierBase::Waiting, Condition::Waiting, ByteChannel::Sending, ByteChannel::Receiving>;

}  // namespace futon::node
