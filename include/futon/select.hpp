// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/await_select.hpp>
#include <futon/core/driver/selection.hpp>
#include <futon/core/driver/settling.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/driver/select_misuse.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/limits.hpp>

namespace futon {

/// A choice of `select` besides operations: gives up at a deadline, or after a time.
///
///     auto chosen = co_await futon::select_async(channel.receiving(), futon::timeout(5ms));
///
template <detail::TimeOfLimits Time>
Timeout timeout(Time time) noexcept {
    return {time};
}
// clang-format off
template <std::same_as<Limits> Both>
Timeout timeout(const Both&) = delete;  // futon: these are two choices: write timeout(limits.deadline()), stop_requested(limits.stop())
// clang-format on
/// The same for a stop: `stop_requested(scope.stop_token())`.
inline StopRequested stop_requested(std::stop_token token) noexcept {
    return {std::move(token)};
}

/// The last choice of a `select` that does not wait: it is chosen at once if nothing else is ready. Such a select never
/// blocks, so any thread may call it.
///
///     auto chosen = futon::select(lock.locking(), word_changing, futon::otherwise());
///     if (std::holds_alternative<futon::Otherwise>(chosen)) ...       // nothing was ready
constexpr Otherwise otherwise() noexcept {
    return {};
}

/// The first argument of a `select` that chooses the first ready operation in the order of the arguments, not a random
/// one.
struct InOrder {
    explicit InOrder() = default;
};
inline constexpr InOrder in_order{};

/// A choice that takes part only if `is_on`. Otherwise it is never chosen, and costs nothing.
///
///     futon::select(in.receiving(), futon::choice_if(!pending.empty(), out.sending_from(next)),
///                   futon::choice_if(is_urgent, futon::timeout(5ms)));
///
/// For an operation or a promise (`settled`) it returns a `std::optional`. The operation itself is made in any case; to
/// avoid that, make the `std::optional` by hand.
template <class T>
    requires core::is_optional_choice<std::optional<T>> std::optional<T> choice_if(bool is_on, T choice) {
        return is_on ? std::optional<T>(std::move(choice)) : std::nullopt;
    }
inline Timeout choice_if(bool is_on, Timeout choice) noexcept {
    return is_on ? std::move(choice) : Timeout{Deadline::never()};
}
inline StopRequested choice_if(bool is_on, StopRequested choice) noexcept {
    return is_on ? std::move(choice) : StopRequested{};
}

namespace core {

template <Selectable... Ts>
auto select(Preference preference, Ts... choices) -> typename Selection<Ts...>::Result {
    constexpr bool has_default = Selection<Ts...>::has_default;
    static_assert(has_default || !(is_settling<Ts> || ...),
                  "futon::select: a promise settles on its agent's executor, which does not run while this thread is "
                  "blocked; use select_async, or otherwise() as the last choice");
    if constexpr (!has_default) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::select");
    }
    Selection<Ts...> selection(preference, std::move(choices)...);
    selection.require_usable();
    if (!selection.try_now()) selection.cycle().block();
    return selection.take_result();
}

}  // namespace core

namespace found_by_name {

/// Waits until one of several operations can be done, and does only that one. The others leave their queues and lose
/// nothing.
///
///     auto chosen = futon::select(futon::waiting(word, 0), lock.locking(), futon::timeout(50ms));
///     if (auto* guard = std::get_if<1>(&chosen)) ...       // the lock is this thread's
///
/// If a notify, an unlock or a release meets the waiter of a select that is already decided, it wakes the next waiter
/// instead, and counts that one. If nothing is ready and `otherwise()` is the last choice, that is chosen at once.
///
/// A choice may be a `std::optional` of an operation or a promise: see `choice_if`. The number of choices is fixed at
/// compile time. For operations in a container, use a promise of each (`promise_of`) and `race`, or a child of a
/// `Scope` for each.
///
/// Returns   a variant with the result of the chosen operation, at its index
/// Fairness  each operation that is ready when tried is equally likely to be chosen; `select(in_order, …)` chooses the
///           first of them. A ready operation wins over a stop, a stop over a deadline, and an earlier deadline over a
///           later one. If nothing is ready, the first waiter that a waker chooses decides
/// Threads   agents that may block; with `otherwise()` any. An operation is used once, and belongs to no agent: it
///           waits on behalf of the caller. One primitive may occur in two choices: only one of the two is done
/// Throws    BlockingForbidden if the agent may not block, before it tries; std::logic_error if an operation was used
///           before; std::system_error (not_enough_memory) if a table is full. Nothing is done then
/// Cost      for each operation a short lock to enqueue and one to leave; allocates nothing
template <detail::Choosable... Ts>
[[nodiscard("it says which was done")]] auto select(Ts&&... choices) ->
    typename core::Selection<std::remove_cvref_t<Ts>...>::Result {
    return core::select<std::remove_cvref_t<Ts>...>(core::Preference::none, std::forward<Ts>(choices)...);
}
template <detail::Choosable... Ts>
[[nodiscard("it says which was done")]] auto select(InOrder, Ts&&... choices) ->
    typename core::Selection<std::remove_cvref_t<Ts>...>::Result {
    return core::select<std::remove_cvref_t<Ts>...>(core::Preference::first, std::forward<Ts>(choices)...);
}

/// `select` for coroutines: `co_await` gives what `select` returns, on the agent that awaits. It also chooses among
/// promises: `settled(promise)`.
///
/// Cancel  destroying the coroutine, or the end of its agent: an operation that was done by then is given back
/// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps no
///         timers, unless `otherwise()` is the last choice; else as `select`. In a coroutine of another library:
///         std::system_error (operation_canceled) if its agent ends first. If it chooses among promises:
///         std::bad_alloc, and nothing is done then
/// Cost    as `select`; waiting for a promise allocates
template <detail::Choosable... Ts>
core::AwaitSelect<std::remove_cvref_t<Ts>...> select_async(Ts&&... choices) {
    return core::AwaitSelect<std::remove_cvref_t<Ts>...>(core::Preference::none, std::forward<Ts>(choices)...);
}
template <detail::Choosable... Ts>
core::AwaitSelect<std::remove_cvref_t<Ts>...> select_async(InOrder, Ts&&... choices) {
    return core::AwaitSelect<std::remove_cvref_t<Ts>...>(core::Preference::first, std::forward<Ts>(choices)...);
}

}  // namespace found_by_name

}  // namespace futon

#include <futon/detail/end.hpp>
