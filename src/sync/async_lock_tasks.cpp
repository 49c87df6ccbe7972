// SPDX-License-Identifier: MIT
// The code of tasks that must wait for the lock: compiled here, and not in each program that awaits it.
#include <futon/detail/sync/async_lock_tasks.hpp>

namespace futon {

template class core::Await<AsyncLock::Locking>::Waiting;

}  // namespace futon
