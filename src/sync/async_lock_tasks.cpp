// SPDX-License-Identifier: MIT
// What tasks do where they must wait for the lock: compiled here, and not in each program that awaits it.
#include <futon/sync/async_lock_tasks.hpp>

namespace futon {

template class core::Await<AsyncLock::Locking>::Waiting;

}  // namespace futon
