// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>

// A `co_await` of what is no awaitable itself. They are deleted; compilers quote the row with the name, and so what it says.
namespace futon {

class AsyncLock;
class AutoResetEvent;
class BarrierBase;
class Condition;
class Event;
class Latch;
class Once;
class Semaphore;
class SharedLock;
template <class T>
class Channel;
template <class T>
class Guarded;
template <class T>
class Lazy;

// clang-format off
template <std::same_as<AsyncLock> T>
void operator co_await(const T&) = delete;  // futon: write auto guard = co_await lock.scoped_lock_async()
template <std::same_as<SharedLock> T>
void operator co_await(const T&) = delete;  // futon: write auto guard = co_await lock.scoped_lock_async(), or scoped_lock_shared_async()
template <class T>
void operator co_await(const Guarded<T>&) = delete;  // futon: write auto access = co_await guarded.lock_async()
template <std::same_as<Semaphore> T>
void operator co_await(const T&) = delete;  // futon: write auto permits = co_await semaphore.scoped_acquire_async()
template <class T>
void operator co_await(const Channel<T>&) = delete;  // futon: write auto item = co_await channel.receive_async()
template <std::same_as<Event> T>
void operator co_await(const T&) = delete;  // futon: write co_await event.wait_async()
template <std::same_as<AutoResetEvent> T>
void operator co_await(const T&) = delete;  // futon: write co_await event.wait_async()
template <std::same_as<Latch> T>
void operator co_await(const T&) = delete;  // futon: write co_await latch.wait_async()
void operator co_await(const BarrierBase&) = delete;  // futon: write co_await barrier.arrive_and_wait_async()
template <std::same_as<Condition> T>
void operator co_await(const T&) = delete;  // futon: write co_await condition.wait_async(guard, predicate)
template <std::same_as<Once> T>
void operator co_await(const T&) = delete;  // futon: write co_await once.call_async(f)
template <class T>
void operator co_await(const Lazy<T>&) = delete;  // futon: write co_await lazy.get_async(f)
// clang-format on

}  // namespace futon

#include <futon/detail/end.hpp>
