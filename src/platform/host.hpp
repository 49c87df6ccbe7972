// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <exception>

#include <futon_platform/host.hpp>

#include "platform/doorbell.hpp"

namespace futon::platform {

/// What there is around the library's loops: a thread may have an event loop of its own, which is not the program's to write, as
/// a browser's page has. Such a host runs a loop turn by turn. Elsewhere there is none.
///
/// - `runs_thread()` is whether the calling thread belongs to its host, which must not be kept waiting: it may not block, and
///   no loop is run there except by the host. The answer is the same throughout a thread's life.
/// - `listen(doorbell, turn, context)` has the host call `turn(context)` on the calling thread, which made the doorbell, after
///   each ring and when its alarm is due, soon after and never within a call of the doorbell. May be called again after
///   `unlisten`. Called while no token is under way. Throws std::system_error, `function_not_supported` where there is no host.
/// - `unlisten(doorbell)` ends that: `turn` is not called any more.
/// - `report(exception)` tells the host of an exception that nothing takes, as it is told of those of its own.
/// - `keep_alive(doorbell, is_alive)` says whether the thread, and so the program, is to go on although it has nothing else to do.
///   Its calls for a doorbell, which is listened to, alternate; the first has `true`.
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
