// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <exception>

#include <futon_platform/host.hpp>

#include "platform/doorbell.hpp"

namespace futon::platform {

/// The host around the library's loops. A thread may have a native event loop that the program does not write, as in a
/// browser's page. Such a host runs our loop turn by turn. Elsewhere there is no host.
///
/// - `runs_thread()` says whether the calling thread belongs to its host, which must not be kept waiting: the thread
///   may not block, and only the host runs a loop there. The answer is the same throughout a thread's life.
/// - `listen(doorbell, turn, context)` has the host call `turn(context)` on the calling thread, which made the doorbell, after
///   each ring and when its alarm is due, soon after and never within a call of the doorbell. May be called again after
///   `unlisten`. Called while no token is under way. Throws std::system_error, `function_not_supported` if there is no
///   host.
/// - `unlisten(doorbell)` ends that: the host does not call `turn` again.
/// - `report(exception)` hands the host an exception that no code takes, to report like its own.
/// - `keep_alive(doorbell, is_alive)` says whether the thread, and so the program, goes on although it has nothing else
///   to do. The doorbell has a listener. Calls for one doorbell alternate, beginning with `true`.
// clang-format off
template <class H>
concept HostContract = requires(Doorbell& doorbell, void (*turn)(void*) noexcept, void* context,
                                std::exception_ptr exception) {
    { H::runs_thread() } noexcept -> std::same_as<bool>;
    H::listen(doorbell, turn, context);
    { H::unlisten(doorbell) } noexcept;
    { H::report(exception) } noexcept;
    { H::keep_alive(doorbell, true) } noexcept;
};
// clang-format on

static_assert(HostContract<Host>);

}  // namespace futon::platform
