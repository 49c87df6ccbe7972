// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/await_on.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/call_back.hpp>
#include <futon/core/driver/promise_of.hpp>

// The ways to wait for any operation: `lock.locking()`, `semaphore.acquiring(2)`, `channel.receiving()`, `waiting(word,
// 0)`. `select` is another. Most primitives have short names for the first two.
//
//     auto permits = futon::block(semaphore.scoped_acquiring(2), 10ms);      // a thread that may block
//     auto item = co_await futon::await(channel.receiving(), {10ms, stop});  // a coroutine
//     auto guard = co_await futon::await_on(strand, lock.locking());         // a coroutine of a thread pool
//     futon::promise_of(event.waiting()).then(...);                          // an event loop
//     futon::call_back(lock.locking(), [](futon::AsyncLock::Guard) { ... }); // the same, without a promise
namespace futon {

using core::await;
using core::await_on;
using core::block;
using core::promise_of;

}  // namespace futon

#include <futon/detail/end.hpp>
