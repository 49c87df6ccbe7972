// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>

#include <futon/core/choice.hpp>
#include <futon/core/select_group.hpp>
#include <futon/detail/this_thread.hpp>

namespace futon::core {

/// How a select chooses among operations that are ready at once.
enum class Preference : bool { none, first };

/// The cycle of a select, whatever its caller does meanwhile: try all; enqueue a waiter for each; when one is chosen, see
/// whether its operation is done, else reopen the group and enqueue what is not queued; in the end leave all queues.
template <Selectable... Ts>
class Selection {
    static_assert(sizeof...(Ts) > 0, "futon::select: there is nothing to choose among");

    static constexpr std::size_t defaults = (std::size_t{std::same_as<Ts, Otherwise>} + ... + 0);
    static_assert(defaults <= 1, "futon::select: otherwise() stands once among the choices");

public:
    using Result = std::variant<typename Choice<Ts>::Result...>;

    /// Whether it never waits.
    static constexpr bool has_default = defaults == 1;
    static_assert(!has_default ||
                      std::same_as<decltype((std::type_identity<Ts>(), ...)), std::type_identity<Otherwise>>,
                  "futon::select: otherwise() is the last of the choices");

    explicit Selection(Preference preference, Ts... choices)
        : choices_(std::move(choices)...), preference_(preference) {}

    /// Throws what the choices throw that cannot be used: std::logic_error, NoExecutor.
    void require_usable(const Agent* agent) {
        std::apply([&](auto&... choice) { (choice.require_usable(agent), ...); }, choices_);
    }

    /// Makes what the choices need to wait for the agent. Throws what that throws.
    void prepare(Agent& agent) {
        std::apply([&](auto&... choice) { (choice.prepare(agent), ...); }, choices_);
    }

    /// Whether something could be chosen without waiting: an operation that is ready, before a stop that was requested, before
    /// the earliest deadline, if it is due, before the default. Of several operations each is as likely to be chosen, unless
    /// the first in order is preferred.
    bool try_now() noexcept {
        chosen_ = SelectGroup::open;
        if (try_operations()) return true;
        if (!is_over()) {
            if constexpr (has_default) chosen_ = sizeof...(Ts) - 1;
            return has_default;
        }
        // Tried once more, for the answer is to be true of a time at which the limit has come. [over]
        const std::uint32_t limit = std::exchange(chosen_, SelectGroup::open);
        if (!try_operations()) chosen_ = limit;
        return true;
    }

    /// Enqueues every waiter that is not queued. Returns whether a delivery is to be waited for; if not, it has ended.
    bool start(SelectGroup& group) noexcept {
        for (std::uint32_t attempts = 1; !start_all(group) && !group.is_claimed(); ++attempts) group.back_off(attempts);
        if (!group.is_claimed_here()) return true;
        chosen_ = group.winner();
        leave();
        return false;
    }

    /// The group was delivered, or claimed by its deadline. Returns whether the select has ended; if not, the group is open
    /// again, and must be started.
    bool proceed(SelectGroup& group) noexcept {
        chosen_ = group.winner();
        bool is_done = chosen_ != SelectGroup::again;
        if (is_done && !group.is_claimed_here()) at(chosen_, [&](auto& choice) { is_done = choice.woken(); });
        // Another thread took what this was woken for. All operations are tried while the claim is still this agent's: else
        // wake-ups in vain could keep it for ever from seeing that another operation is ready. Of what then limits it, the
        // operations are tried once more. [claim] [over]
        if (!is_done && !try_now()) {
            group.reopen();
            return false;
        }
        leave();
        return true;
    }

    /// The group was delivered, and the caller is gone.
    void abandon(SelectGroup& group) noexcept {
        at(group.winner(), [](auto& choice) { choice.abandon(); });  // none is called `again`
        cancel();
    }

    /// The caller is gone, and nothing that was chosen is kept.
    void cancel() noexcept {
        chosen_ = SelectGroup::torn_down;
        leave();
    }

    /// After the waiters are queued: a deadline or a stop may end the select at once. [enqueue-safe]
    void watch(SelectGroup& group, Executor* executor) noexcept {
        for_each([&](auto& choice, std::uint32_t i) { choice.watch(group, i, executor); });
    }
    void unwatch() noexcept {
        for_each([](auto& choice, std::uint32_t) { choice.unwatch(); });
    }

    /// The earliest deadline, and whose it is.
    std::pair<Deadline, std::uint32_t> earliest() const noexcept {
        std::pair<Deadline, std::uint32_t> earliest(Deadline::never(), SelectGroup::open);
        for_each([&](const auto& choice, std::uint32_t i) {
            if constexpr (requires { choice.deadline(); }) {
                if (choice.deadline().time_point() < earliest.first.time_point()) earliest = {choice.deadline(), i};
            }
        });
        return earliest;
    }

    /// When an operation is to be tried again though nothing was chosen. Asked before each wait.
    Deadline retry_at(Caller caller) noexcept {
        Deadline earliest = Deadline::never();
        for_each([&](auto& choice, std::uint32_t) {
            const Deadline retry = choice.retry_at(caller);
            if (retry.time_point() < earliest.time_point()) earliest = retry;
        });
        return earliest;
    }

    /// Throws  std::system_error (not_enough_memory) if a table was full; (operation_canceled) if the agent ended first
    Result take_result() {
        if (chosen_ == SelectGroup::no_memory) throw_table_full("futon::select");
        if (chosen_ == SelectGroup::torn_down)
            throw std::system_error(std::make_error_code(std::errc::operation_canceled),
                                    "futon::select_async: the agent ended before anything was chosen");
        return result_of(std::index_sequence_for<Ts...>());
    }

private:
    template <class F>
    void for_each(F f) noexcept {
        std::apply(
            [&](auto&... choice) {
                std::uint32_t i = 0;
                (f(choice, i++), ...);
            },
            choices_);
    }
    template <class F>
    void for_each(F f) const noexcept {
        std::apply(
            [&](const auto&... choice) {
                std::uint32_t i = 0;
                (f(choice, i++), ...);
            },
            choices_);
    }
    template <class F>
    void at(std::uint32_t index, F f) noexcept {
        for_each([&](auto& choice, std::uint32_t i) {
            if (i == index) f(choice);
        });
    }

    static constexpr std::size_t operations = (std::size_t{!is_limit<Ts>} + ... + 0);

    /// The indices of the operations.
    static constexpr std::array<std::uint32_t, operations> in_order() noexcept {
        std::array<std::uint32_t, operations> indices{};
        [[maybe_unused]] std::uint32_t index = 0;
        [[maybe_unused]] std::size_t used = 0;
        ((is_limit<Ts> ? void() : void(indices[used++] = index), ++index), ...);
        return indices;
    }

    /// Returns false if the group was claimed, or was for a time: then waiters may have been dropped, and all are started again.
    bool start_all(SelectGroup& group) noexcept {
        bool goes_on = true;
        for_each([&](auto& choice, std::uint32_t i) { goes_on = goes_on && choice.start(group, i); });
        return goes_on;
    }

    /// Tries them in an order that is drawn anew each time, as far as it is needed: all orders are equally likely. [fair]
    bool try_operations() noexcept {
        std::array<std::uint32_t, operations> order = in_order();
        std::uint64_t drawn = operations > 1 && preference_ == Preference::none ? detail::draw() : 0;
        for (std::size_t i = 0; i < operations && chosen_ == SelectGroup::open; ++i) {
            drawn = (drawn & 0xffffffff) * (operations - i);
            std::swap(order[i], order[i + (drawn >> 32)]);
            at(order[i], [&](auto& choice) {
                if constexpr (requires { choice.try_now(); }) {
                    if (choice.try_now()) chosen_ = order[i];
                }
            });
        }
        return chosen_ != SelectGroup::open;
    }

    /// Whether a stop was requested, or a deadline has come; it is chosen then.
    bool is_over() noexcept {
        for_each([&](const auto& choice, std::uint32_t i) {
            if constexpr (requires { choice.is_requested(); }) {
                if (chosen_ == SelectGroup::open && choice.is_requested()) chosen_ = i;
            }
        });
        if (chosen_ != SelectGroup::open) return true;
        const auto [deadline, whose] = earliest();
        if (deadline.is_never() || !deadline.is_due()) return false;
        chosen_ = whose;
        return true;
    }

    void leave() noexcept {
        for_each([](auto& choice, std::uint32_t) { choice.leave(); });
    }

    template <std::size_t... indices>
    Result result_of(std::index_sequence<indices...>) {
        std::optional<Result> result;
        (void)((indices == chosen_ &&
                (result.emplace(std::in_place_index<indices>, std::get<indices>(choices_).result()), true)) ||
               ...);
        return std::move(*result);
    }

    std::tuple<Choice<Ts>...> choices_;
    std::uint32_t chosen_ = SelectGroup::open;
    Preference preference_;
};

}  // namespace futon::core
