// SPDX-License-Identifier: MIT
// The code of tasks that must wait for primitives built on operations: compiled here, and not in each program that
// awaits them.
#include <futon/core/driver/await.hpp>
#include <futon/sync/auto_reset_event.hpp>
#include <futon/sync/barrier.hpp>
#include <futon/sync/byte_channel.hpp>
#include <futon/sync/condition.hpp>
#include <futon/sync/event.hpp>
#include <futon/sync/latch.hpp>
#include <futon/sync/once.hpp>
#include <futon/sync/semaphore.hpp>
#include <futon/sync/shared_lock.hpp>

namespace futon {

template class core::Await<AutoResetEvent::Waiting>::Waiting;
template class core::Await<BarrierBase::Waiting>::Waiting;
template class core::Await<ByteChannel::ReceivingInto>::Waiting;
template class core::Await<ByteChannel::Receiving>::Waiting;
template class core::Await<ByteChannel::Sending>::Waiting;
template class core::Await<Condition::Waiting>::Waiting;
template class core::Await<Event::Waiting>::Waiting;
template class core::Await<Latch::Waiting>::Waiting;
template class core::Await<Once::Beginning>::Waiting;
template class core::Await<Semaphore::Acquiring>::Waiting;
template class core::Await<Semaphore::ScopedAcquiring>::Waiting;
template class core::Await<SharedLock::Locking>::Waiting;
template class core::Await<SharedLock::LockingShared>::Waiting;
template class core::Await<SharedLock::LockingUpgradeable>::Waiting;
template class core::Await<SharedLock::Upgrading>::Waiting;
template class core::Await<SharedLock::UpgradeableGuard::Upgrading>::Waiting;

}  // namespace futon
