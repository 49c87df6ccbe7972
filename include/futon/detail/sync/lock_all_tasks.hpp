// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <futon/core/driver/operation_task.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/driver/unawaited.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/lock_sequence.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/lock_all.hpp>
#include <futon/wait_result.hpp>

// How tasks lock several AsyncLocks.
namespace futon {

/// What `lock_all_async` returns: `co_await` gives a MultiGuard. A single attempt, which begins when it is awaited.
template <std::size_t count>
class FUTON_WARN_UNUSED [[nodiscard("nothing is locked before it is awaited: write co_await")]] MultiAcquisition {
public:
    MultiAcquisition(const std::array<AsyncLock*, count>& locks, Limits limits)
        : locks_(locks), limits_(std::move(limits).from_now()) {}
    MultiAcquisition(const MultiAcquisition&) = delete;
    MultiAcquisition& operator=(const MultiAcquisition&) = delete;
#ifdef FUTON_CHECKED
    ~MultiAcquisition() {
        if (!is_used_) detail::report_unawaited(name);
    }
#endif

    bool await_ready() {
        core::require_timers(Agent::current(), limits_.deadline(), name);
        if (std::exchange(is_used_, true)) core::throw_used_twice(name);
        if constexpr (core::probe::is_enabled) return false;  // tried once the coroutine is known
        return locks_.try_rest();
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        task_.set(coroutine.address());
        [[maybe_unused]] const core::probe::Attempt attempt(task_.frame(), name, limits_);
        if constexpr (core::probe::is_enabled) {
            if (locks_.try_rest()) return false;
        }
        const bool must_wait = waiting_.emplace(*this, detail::Continuation(coroutine)).begin();
        if (must_wait) core::probe::about_to_sleep();
        return must_wait;
    }

    MultiGuard<count> await_resume() {
        if (progress_ == core::Progress::no_memory) {
            locks_.release();
            core::throw_table_full(name);
        }
        return locks_.take(core::to_wait_result(core::to_ending(progress_)));
    }

private:
    static constexpr const char* name = "futon::lock_all_async";

    /// The waiter for the next lock, made when a lock was not free.
    class Waiting final : public core::OperationTask<Waiting, core::AgentWaiter> {
    public:
        Waiting(MultiAcquisition& attempt, detail::Continuation continuation)
            : core::OperationTask<Waiting, core::AgentWaiter>(Agent::current()),
              attempt_(attempt),
              continuation_(continuation) {}
        ~Waiting() override { this->take_back(); }

        /// Returns whether the coroutine must wait.
        bool begin() noexcept { return goes_on(begin_next()); }

        AsyncLock::Locking& operation() noexcept { return *locking_; }
        core::WaiterDescription describe() const noexcept override {
            return {core::WaiterDescription::Kind::task, name, &this->agent()};
        }

    private:
        core::Progress begin_next() noexcept {
            locking_.emplace(attempt_.locks_.next());
            return this->start(core::Until(attempt_.limits_));
        }

        /// Called with the progress of the next lock's cycle. If the lock was acquired, begins the cycle of the one
        /// after it.
        bool goes_on(core::Progress progress) noexcept {
            while (progress == core::Progress::at_once || progress == core::Progress::woken) {
                attempt_.locks_.add(locking_->result(core::to_ending(progress)));
                if (attempt_.locks_.is_complete()) break;
                progress = begin_next();
            }
            attempt_.progress_ = progress;
            return progress == core::Progress::queued;
        }

        void on_complete(WaitResult result) noexcept override {
            {
                [[maybe_unused]] const core::probe::Attempt attempt(attempt_.task_.frame(), name, attempt_.limits_);
                if (goes_on(this->proceed(result, core::Until(attempt_.limits_)))) return core::probe::sleeps_again();
            }
            continuation_.resume();
        }

        void on_teardown(bool was_woken) noexcept override {
            attempt_.progress_ = core::Progress::cancelled;
            this->give_up(was_woken);
            attempt_.locks_.release();
            continuation_.abandon();
        }

        MultiAcquisition& attempt_;
        detail::Continuation continuation_;
        std::optional<AsyncLock::Locking> locking_;  // changes only while this waiter is not queued
    };

    detail::LockSequence<count> locks_;
    const Limits limits_;
    core::Progress progress_ = core::Progress::at_once;
    bool is_used_ = false;
    [[no_unique_address]] core::probe::Task task_;
    std::optional<Waiting> waiting_;
};

template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all_async(Limits limits, Locks&... locks) -> MultiAcquisition<sizeof...(Locks)> {
    return {{&locks...}, std::move(limits)};
}
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all_async(Locks&... locks) -> MultiAcquisition<sizeof...(Locks)> {
    return {{&locks...}, {}};
}

}  // namespace futon

#include <futon/detail/end.hpp>
