// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <variant>

#include <futon/core/choice.hpp>
#include <futon/core/select_group.hpp>

namespace futon::core {

/// The cycle of a select, whatever its caller does meanwhile: try all; enqueue a waiter for each; when one is chosen, see
/// whether its operation is done, else reopen the group and enqueue what is not queued; in the end leave all queues.
template <Selectable... Ts>
class Selection {
    static_assert(sizeof...(Ts) > 0, "futon::select: there is nothing to choose among");

public:
    using Result = std::variant<typename Choice<Ts>::Result...>;

    explicit Selection(Ts... choices) : choices_(std::move(choices)...) {}

    /// Throws what the choices throw that cannot be used: std::logic_error, NoExecutor.
    void require_usable(const Agent* agent) {
        std::apply([&](auto&... choice) { (choice.require_usable(agent), ...); }, choices_);
    }

    /// Whether something could be chosen without waiting. Of those that are ready the first in order is, and operations
    /// before deadlines and stops.
    bool try_now() noexcept {
        chosen_ = SelectGroup::open;
        if (try_operations()) return true;
        if (!is_over()) return false;
        // Tried once more, for the answer is to be true of a time at which the limit has come. [over]
        const std::uint32_t limit = std::exchange(chosen_, SelectGroup::open);
        if (!try_operations()) chosen_ = limit;
        return true;
    }

    /// Enqueues every waiter that is not queued. Returns whether a delivery is to be waited for; if not, it has ended.
    bool start(SelectGroup& group) noexcept {
        bool goes_on = true;
        for_each([&](auto& choice, std::uint32_t i) { goes_on = goes_on && choice.start(group, i); });
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
            if (choice.deadline().time_point() < earliest.first.time_point()) earliest = {choice.deadline(), i};
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

    bool try_operations() noexcept {
        for_each([&](auto& choice, std::uint32_t i) {
            if (chosen_ == SelectGroup::open && choice.try_now()) chosen_ = i;
        });
        return chosen_ != SelectGroup::open;
    }

    /// Whether a deadline has come, or a stop was requested; it is chosen then.
    bool is_over() noexcept {
        bool over = false;
        for_each([&](const auto& choice, std::uint32_t i) {
            if (over || !choice.is_due()) return;
            over = true;
            chosen_ = i;
        });
        return over;
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
};

}  // namespace futon::core
