// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/core/probe.hpp>
#include <futon/detail/loop/promise_access.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/promise.hpp>

namespace futon::detail {

/// Tells a probe that a coroutine settles its share of a promise that is made of several.
template <class T>
void tell_of_part([[maybe_unused]] const Promise<void>& part, [[maybe_unused]] const Promise<T>& whole) {
    if constexpr (core::probe::is_enabled)
        core::probe::promise_joins(static_cast<const PromiseStateBase*>(&PromiseAccess::state_of(part)),
                                   static_cast<const PromiseStateBase*>(&PromiseAccess::state_of(whole)));
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
