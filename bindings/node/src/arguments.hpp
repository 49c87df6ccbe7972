// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/atomics.hpp>
#include <futon/deadline.hpp>
#include <futon/sync/async_lock.hpp>

#include "environment.hpp"
#include "napi.hpp"

namespace futon::node {

/// The environment that the called function belongs to.
Environment& environment_of(napi_env env, napi_callback_info info) noexcept;

/// The wait for the word that the mailbox names, while that holds the value there. lib/ has validated both.
WordWait wait_in(const Mailbox& mailbox) noexcept;
void* address_in(const Mailbox& mailbox) noexcept;
AsyncLock& lock_in(const Mailbox& mailbox) noexcept;

/// The lock that a condition is used with: its address is the second.
AsyncLock& second_lock_in(const Mailbox& mailbox) noexcept;
Deadline deadline_in(const Mailbox& mailbox) noexcept;

}  // namespace futon::node
