// SPDX-License-Identifier: MIT
#pragma once

#include "napi.hpp"

// What lib/ calls. Arguments and results are in the mailbox, unless one is named here.
namespace futon::node {

/// Wakes `count` waiters at `address`; leaves how many in `count`.
napi_value notify(napi_env env, napi_callback_info info);

/// Blocks while the word holds `expected`. Leaves ok, not_equal, timed_out, or ended.
napi_value wait(napi_env env, napi_callback_info info);

/// Enqueues a waiter if the word holds `expected`. Leaves a slot, not_equal, or timed_out. JavaScript has made the
/// promise.
napi_value enqueue(napi_env env, napi_callback_info info);

/// The same, but returns a promise if the waiter was enqueued. `fulfil` settles that promise.
napi_value enqueue_with_promise(napi_env env, napi_callback_info info);

/// Settles the promise of `slot`, which the batch has named, with the first argument. The second argument is the
/// promise, if JavaScript keeps it.
napi_value fulfil(napi_env env, napi_callback_info info);

/// Leaves the next waits that are over in the batch.
napi_value take_settled(napi_env env, napi_callback_info info);

/// Dequeues the wait of `slot`. Leaves 1 in `outcome` if it was queued, else 0.
napi_value cancel(napi_env env, napi_callback_info info);

/// Says by `count`, 0 or 1, whether the wait of `slot` keeps the process alive.
napi_value set_work(napi_env env, napi_callback_info info);

/// The lock at `address`. try_lock and lock leave ok, or why not; unlock leaves ok or not_held: also
/// if `acquisition` is not zero, and the lock is not held by that one.
napi_value try_lock(napi_env env, napi_callback_info info);
napi_value lock(napi_env env, napi_callback_info info);
napi_value unlock(napi_env env, napi_callback_info info);

/// Begins to wait for the primitive of that `kind` at `address`, for `count` permits of a semaphore. Leaves ok, timed_out, or a slot.
napi_value begin_operation(napi_env env, napi_callback_info info);

/// Blocks for the primitive of that `kind`, but a lock. Leaves ok, timed_out, or ended.
napi_value block_in_operation(napi_env env, napi_callback_info info);

/// What never waits: the verb `narrow` of the primitive of that `kind`. Leaves ok, or not_equal if it could not be done; and a number in
/// `count`, if the verb has one.
napi_value act(napi_env env, napi_callback_info info);

/// Leaves in `count` the place of this environment's note that it holds the lock at `address`, -1 if there is none; and in
/// `acquisition` which one it is.
napi_value note_of(napi_env env, napi_callback_info info);

/// Leaves in `count` the thread that holds the lock at `address`; -1 if it is none of JavaScript.
napi_value holder_of(napi_env env, napi_callback_info info);

/// Adds the operation that the mailbox names, by `kind` and as `beginOperation`, to the next select. `slot` is 0 for the first.
napi_value add_choice(napi_env env, napi_callback_info info);

/// Selects among the added operations: leaves the slot of a pending wait, or how it has ended at once, and in `count` the index of the
/// operation that was chosen, -1 if none was.
napi_value begin_select(napi_env env, napi_callback_info info);

/// The same, blocking.
napi_value block_in_select(napi_env env, napi_callback_info info);

/// Leaves in `count` which operation of the pending select in `slot`, which is over, was chosen.
napi_value chosen_of(napi_env env, napi_callback_info info);

/// Keeps the bytes of the argument, a Uint8Array, for the next call that sends.
napi_value stage_bytes(napi_env env, napi_callback_info info);

/// Returns the message that the pending wait in `slot` has received, or if that is negative the last call, as an ArrayBuffer; leaves its kind
/// in `count`.
napi_value take_message(napi_env env, napi_callback_info info);

/// Leaves the address of the first element of the argument, a typed array.
napi_value address_of(napi_env env, napi_callback_info info);

/// Returns the waiters at `address`, or all waiters if that is 0: an object whose `numbers` is a Float64Array with four
/// numbers for each, which are address, kind, thread, and the property of the object that names the operation. -1 stands
/// for a thread that is not of JavaScript, and for an operation that has no name.
napi_value waiters(napi_env env, napi_callback_info info);

/// Spins for `count` pauses.
napi_value pause(napi_env env, napi_callback_info info);

/// Takes the functions `settle` and `nothing`; see Environment.
napi_value set_callbacks(napi_env env, napi_callback_info info);

}  // namespace futon::node
