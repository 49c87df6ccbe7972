// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/core/wait_check.hpp>
#include <futon/deadline.hpp>
#include <futon/sync/async_lock.hpp>

#include "environment.hpp"
#include "napi.hpp"

namespace futon::node {

/// The environment that the called function belongs to.
Environment& environment_of(napi_env env, napi_callback_info info) noexcept;

/// The word that the mailbox names, and the value it should hold. lib/ has validated both.
core::WaitCheck check_in(const Mailbox& mailbox) noexcept;
void* address_in(const Mailbox& mailbox) noexcept;
AsyncLock& lock_in(const Mailbox& mailbox) noexcept;
Deadline deadline_in(const Mailbox& mailbox) noexcept;

}  // namespace futon::node
