// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <coroutine>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/select_waiter.hpp>
#include <futon/core/driver/selection.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/driver/unawaited.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/maybe.hpp>
#include <futon/detail/warn_unused.hpp>

namespace futon::core {

/// What `select_async` returns: `co_await` gives what `select` returns.
template <Selectable... Ts>
class FUTON_WARN_UNUSED [[nodiscard("nothing is chosen before it is awaited: write co_await")]] AwaitSelect {
public:
    explicit AwaitSelect(Preference preference, Ts... choices) : selection_(preference, std::move(choices)...) {}
    AwaitSelect(const AwaitSelect&) = delete;
    AwaitSelect& operator=(const AwaitSelect&) = delete;
#ifdef FUTON_CHECKED
    ~AwaitSelect() {
        if (!is_used_) detail::report_unawaited("futon::select_async");
    }
#endif

    bool await_ready() {
        if constexpr (!Selection<Ts...>::has_default)
            require_timers(Agent::current(), selection_.cycle().earliest().first, "futon::select_async");
        selection_.require_usable();
        if (std::exchange(is_used_, true)) throw_used_twice("futon::select_async");
        if (!probe::is_ready_to_try()) return false;  // tried once the coroutine is known
        return selection_.try_now();
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        task_.set(coroutine.address());
        [[maybe_unused]] const probe::Attempt attempt = this->attempt();
        if constexpr (probe::is_enabled) {
            if (selection_.try_now()) return false;
        }
        const bool must_wait = waiter_.emplace(selection_.cycle(), detail::Continuation(coroutine)).start();
        if (must_wait) probe::about_to_sleep();
        return must_wait;
    }

    [[nodiscard("it says which was done")]] typename Selection<Ts...>::Result await_resume() {
        [[maybe_unused]] const probe::Attempt attempt = this->attempt();
        return selection_.take_result();
    }

private:
    probe::Attempt attempt() noexcept {
        return {task_.frame(), "futon::select_async", Selection<Ts...>::traits.is_watched};
    }

    Selection<Ts...> selection_;
    bool is_used_ = false;
    [[no_unique_address]] probe::Task task_;
    detail::Maybe<SelectWaiter> waiter_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
