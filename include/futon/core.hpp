// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

// Everything that authors of locks, adapters and loops need.
#include <futon/core/agent_waiter.hpp>
#include <futon/core/arbiter.hpp>
#include <futon/core/async_waiter.hpp>
#include <futon/core/atomic.hpp>
#include <futon/core/await.hpp>
#include <futon/core/await_on.hpp>
#include <futon/core/block.hpp>
#include <futon/core/blocked_waiter.hpp>
#include <futon/core/call_back.hpp>
#include <futon/core/executor_waiter.hpp>
#include <futon/core/hosted_loop.hpp>
#include <futon/core/loop_executor.hpp>
#include <futon/core/operation.hpp>
#include <futon/core/operation_task.hpp>
#include <futon/core/operation_waiter.hpp>
#include <futon/core/pace.hpp>
#include <futon/core/poll_pace.hpp>
#include <futon/core/private_table.hpp>
#include <futon/core/probe.hpp>
#include <futon/core/promise_of.hpp>
#include <futon/core/timer_wheel.hpp>
#include <futon/core/until.hpp>
#include <futon/core/wait_check.hpp>
#include <futon/core/wait_table.hpp>
#include <futon/core/waiter.hpp>

#include <futon/detail/end.hpp>
