// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

// Everything that authors of locks, adapters and loops need.
#include <futon/core/atomic.hpp>
#include <futon/core/driver/await.hpp>
#include <futon/core/driver/await_on.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/call_back.hpp>
#include <futon/core/driver/operation_task.hpp>
#include <futon/core/driver/promise_of.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/loop/executor_waiter.hpp>
#include <futon/core/loop/hosted_loop.hpp>
#include <futon/core/loop/loop_executor.hpp>
#include <futon/core/loop/timer_wheel.hpp>
#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/operation_waiter.hpp>
#include <futon/core/operation/pace.hpp>
#include <futon/core/operation/poll_pace.hpp>
#include <futon/core/probe.hpp>
#include <futon/core/queue/async_waiter.hpp>
#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/core/queue/private_table.hpp>
#include <futon/core/queue/wait_check.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/core/until.hpp>

#include <futon/detail/end.hpp>
