// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <utility>

#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/time_points.hpp>
#include <futon/sync/condition.hpp>
#include <futon/wait_result.hpp>

// The waits of a Condition under the names of std::condition_variable_any.
namespace futon {

template <LockOwner L, std::predicate Holds>
PredicateResult Condition::wait(L& lock, const std::stop_token& stop, Holds holds) {
    return wait(lock, std::move(holds), stop);
}

template <LockOwner L, class R, class P>
TimeoutStatus Condition::wait_for(L& lock, std::chrono::duration<R, P> time) {
    return TimeoutStatus(wait(lock, time) != WaitResult::ok);
}
template <LockOwner L, class R, class P, std::predicate Holds>
PredicateResult Condition::wait_for(L& lock, std::chrono::duration<R, P> time, Holds holds) {
    return wait(lock, std::move(holds), time);
}
template <LockOwner L, class R, class P, std::predicate Holds>
PredicateResult Condition::wait_for(L& lock, const std::stop_token& stop, std::chrono::duration<R, P> time,
                                    Holds holds) {
    return wait(lock, std::move(holds), {time, stop});
}

template <LockOwner L, class C, class D>
TimeoutStatus Condition::wait_until(L& lock, const std::chrono::time_point<C, D>& time) {
    const bool is_over = wait(lock, detail::deadline_at(time)) != WaitResult::ok;
    return TimeoutStatus(is_over && detail::left_until(time).count() <= 0);  // else the clock was set
}
template <LockOwner L, class C, class D, std::predicate Holds>
PredicateResult Condition::wait_until(L& lock, const std::chrono::time_point<C, D>& time, Holds holds) {
    return wait_until(lock, std::stop_token(), time, std::move(holds));
}
template <LockOwner L, class C, class D, std::predicate Holds>
PredicateResult Condition::wait_until(L& lock, const std::stop_token& stop, const std::chrono::time_point<C, D>& time,
                                      Holds holds) {
    while (true) {
        const PredicateResult answer = wait(lock, [&] { return holds(); }, {detail::deadline_at(time), stop});
        if (answer.result() != WaitResult::timed_out || detail::left_until(time).count() <= 0) return answer;
    }
}

}  // namespace futon

#include <futon/detail/end.hpp>
