// SPDX-License-Identifier: MIT
#include "linearization.hpp"

#include <algorithm>
#include <limits>

namespace futon::test {

namespace {

bool is_wait(const Operation& operation) {
    return operation.call.kind == Kind::wait || operation.call.kind == Kind::wait_async;
}

/// Whether it takes effect in two steps.
bool has_two_steps(const Operation& operation) {
    if (operation.call.kind == Kind::scoped_lock_async) return operation.result != WaitResult::ok;
    if (!is_wait(operation) || operation.result == WaitResult::not_equal) return false;
    return operation.call.kind == Kind::wait || operation.promised != never;
}

}  // namespace

Linearization::Linearization(const History& history, const Subject& subject)
    : operations_(history.operations()), subject_(subject) {
    for (const Operation& operation : operations_)
        if (operation.call.kind == Kind::request_stop && operation.value != 0)
            stop_requested_at_ = std::min(stop_requested_at_, operation.responded);
    for (std::size_t i = 0; i < operations_.size(); ++i) add_points_of(i);
    if (points_.size() > std::numeric_limits<Done>::digits) is_complete_ = false;
    std::ranges::sort(points_, {}, &Point::latest);
}

void Linearization::add_points_of(std::size_t number) {
    const Operation& operation = operations_[number];
    if (operation.responded == never) is_complete_ = false;
    if (operation.call.is_family_wait()) return add_points_of_family_wait(number);
    if (!has_two_steps(operation)) {
        points_.push_back({number, Step::whole, operation.invoked, operation.responded});
        return;
    }
    points_.push_back({number, Step::begin, operation.invoked, std::min(operation.promised, operation.responded)});
    const std::size_t limit = std::min(operation.responded, out_of_line_by(operation));
    if (operation.result != WaitResult::ok) {
        points_.push_back({number, Step::end, operation.invoked, limit});
        return;
    }
    if (limit < operation.responded) points_.push_back({number, Step::woken, operation.invoked, limit});
    // That a notify has taken the waiter stays true, so the last time point will do; and promises settle in an order.
    points_.push_back({number, Step::end, operation.responded, operation.responded});
}

/// Once both the promise and the stop have returned, no waiter of theirs is queued any more.
std::size_t Linearization::out_of_line_by(const Operation& operation) const {
    if (operation.call.kind != Kind::wait_async || !operation.call.has_stop || stop_requested_at_ == never)
        return never;
    return std::max(operation.promised, stop_requested_at_);
}

/// Whether the rest can be ordered, when those of `done` have led to `state`.
bool Linearization::search(Done done, const Specification& state) {
    const auto is_done = [&](const Point& point) { return (done >> (&point - points_.data()) & 1) != 0; };
    const auto first = std::ranges::find_if_not(points_, is_done);
    if (first == points_.end()) return true;
    if (dead_ends_.contains({done, state.key()})) return false;

    // An operation that began after the end of another stays after it.
    for (auto point = first; point != points_.end(); ++point) {
        if (is_done(*point) || point->earliest > first->latest || !is_begun(*point, done)) continue;
        const Done next = done | Done{1} << (point - points_.begin());
        if (point->step == Step::maybe && search(next, state)) return true;
        Specification after = state;
        if (take(*point, after) && search(next, after)) return true;
    }
    dead_ends_.insert({done, state.key()});
    return false;
}

bool Linearization::is_begun(const Point& end, Done done) const {
    const bool is_whole = end.step == Step::whole || end.step == Step::begin;
    if (is_whole || (end.step == Step::woken && !operations_[end.operation].call.is_of_family())) return true;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const bool comes_before =
            points_[i].step == Step::begin || (end.step == Step::end && points_[i].step == Step::maybe);
        if (points_[i].operation == end.operation && comes_before && (done >> i & 1) == 0) return false;
    }
    return true;
}

/// Lets the point take effect. Returns false if what was seen cannot come of it.
bool Linearization::take(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    const Call& call = operation.call;
    switch (call.kind) {
        case Kind::load:
            return state.load(call.word) == operation.value;
        case Kind::store:
            state.store(call.word, call.operand);
            return true;
        case Kind::exchange:
            return state.exchange(call.word, call.operand) == operation.value;
        case Kind::compare_exchange:
            return state.compare_exchange(call.word, call.operand, call.desired) == operation.value;
        case Kind::notify:
            return static_cast<std::int64_t>(state.notify(call.word, call.count)) == operation.value;
        case Kind::wait:
        case Kind::wait_async:
            return take_wait(point, state);
        case Kind::request_stop:
            return state.request_stop() == (operation.value != 0);
        case Kind::lock:
            return state.try_lock(operation.agent);
        case Kind::scoped_lock_async:
            return take_lock_async(point, state);
        case Kind::try_lock:
            return operation.value != 0 ? state.try_lock(operation.agent)
                                        : state.is_locked() || may_be_offered(operation);
        case Kind::unlock:
            return state.unlock(operation.agent);
        default:
            return take_of_family(point, state);
    }
}

bool Linearization::take_wait(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    const Call& call = operation.call;
    const bool is_equal = state.load(call.word) == call.operand;
    if (point.step == Step::woken) return state.is_woken(point.operation);
    if (point.step == Step::end) {
        if (operation.result == WaitResult::ok) return state.settle(point.operation);
        return may_fail_with(operation, state) && state.dequeue(call.word, point.operation);
    }
    if (operation.result == WaitResult::not_equal) return !is_equal && operation.promised == never;
    if (!is_equal) return false;
    if (point.step == Step::whole) return operation.result != WaitResult::ok && may_fail_with(operation, state);

    // A wait whose deadline has come already returns at once, without being enqueued. For a blocked thread the two cannot be
    // told apart.
    const bool is_blocked = operation.promised == never;
    if (is_over_at_first(operation) && !(is_blocked && operation.result != WaitResult::ok)) return false;
    state.enqueue(call.word, {point.operation, is_blocked ? -1 : operation.agent});
    return true;
}

bool Linearization::take_lock_async(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    if (point.step == Step::whole) return state.try_lock(operation.agent);
    if (point.step == Step::end) return may_fail_with(operation, state);
    return state.is_locked() || may_be_offered(operation);
}

/// Whether a lock without an owner may have been offered to the task of another attempt meanwhile.
bool Linearization::may_be_offered(const Operation& refused) const {
    return std::ranges::any_of(operations_, [&](const Operation& other) {
        return &other != &refused && other.call.kind == Kind::scoped_lock_async && other.promised != never &&
               other.invoked < refused.responded && other.responded > refused.invoked;
    });
}

bool Linearization::may_fail_with(const Operation& operation, const Specification& state) const {
    if (operation.result == WaitResult::cancelled) return operation.call.has_stop && state.is_stopped();
    return operation.result == WaitResult::timed_out && operation.call.deadline != DeadlineKind::never;
}

/// Whether the deadline or the stop had come before the call.
bool Linearization::is_over_at_first(const Operation& operation) const {
    return operation.call.deadline == DeadlineKind::passed ||
           (operation.call.has_stop && stop_requested_at_ < operation.invoked);
}

}  // namespace futon::test
