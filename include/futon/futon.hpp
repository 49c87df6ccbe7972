// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/version.hpp>  // first: it checks the language standard

#include <futon/agent.hpp>
#include <futon/atomics.hpp>
#include <futon/change_and_notify.hpp>
#include <futon/core/loop/loop_executor.hpp>
#include <futon/core/queue/async_waiter.hpp>
#include <futon/deadline.hpp>
#include <futon/errors.hpp>
#include <futon/event_loop.hpp>
#include <futon/executor.hpp>
#include <futon/limits.hpp>
#include <futon/operations.hpp>
#include <futon/pause.hpp>
#include <futon/promise.hpp>
#include <futon/promise_combine.hpp>
#include <futon/promise_source.hpp>
#include <futon/scope.hpp>
#include <futon/select.hpp>
#include <futon/shared_array_buffer.hpp>
#include <futon/sleep.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/auto_reset_event.hpp>
#include <futon/sync/barrier.hpp>
#include <futon/sync/blocking_guard.hpp>
#include <futon/sync/byte_channel.hpp>
#include <futon/sync/channel.hpp>
#include <futon/sync/condition.hpp>
#include <futon/sync/event.hpp>
#include <futon/sync/guarded.hpp>
#include <futon/sync/latch.hpp>
#include <futon/sync/lazy.hpp>
#include <futon/sync/lock_all.hpp>
#include <futon/sync/once.hpp>
#include <futon/sync/semaphore.hpp>
#include <futon/sync/shared_lock.hpp>
#include <futon/typed_array.hpp>
#include <futon/wait_async_result.hpp>
#include <futon/wait_result.hpp>
#include <futon/word.hpp>

#include <futon/detail/end.hpp>
