// SPDX-License-Identifier: MIT
// How the calls of the family take effect.
#include <algorithm>

#include "linearization.hpp"

namespace futon::test {

/// A wait that could be ended by another has two steps, its beginning and its end; an acquisition that succeeds has one.
void Linearization::add_points_of_family_wait(std::size_t number) {
    const Operation& operation = operations_[number];
    const bool is_competing = operation.call.is_barging() || operation.call.is_upgrade();
    const bool is_acquired = is_competing && operation.is_granted();
    const bool is_at_once = operation.call.waits_in_order() && operation.promised == never &&
                            (operation.call.kind == Kind::wait_signal_async ||
                             operation.call.kind == Kind::send_async || operation.call.kind == Kind::receive_async);
    if (is_acquired || is_at_once) {
        points_.push_back({number, Step::whole, operation.invoked, operation.responded});
        return;
    }
    points_.push_back({number, Step::begin, operation.invoked, std::min(operation.promised, operation.responded)});
    if (operation.is_abandoned()) {
        points_.push_back({number, Step::maybe, operation.invoked, operation.responded});
        points_.push_back({number, Step::end, operation.abandoned, operation.responded});
        return;
    }
    if (is_competing || operation.result != WaitResult::ok) {
        points_.push_back({number, Step::end, operation.invoked, operation.responded});
        return;
    }
    const std::size_t limit = std::min(operation.responded, out_of_line_by(operation));
    if (limit < operation.responded) points_.push_back({number, Step::woken, operation.invoked, limit});
    points_.push_back({number, Step::end, operation.responded, operation.responded});
}

bool Linearization::take_of_family(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    const Call& call = operation.call;
    FamilySpecification& family = state.family();
    switch (call.kind) {
        case Kind::acquire:
        case Kind::acquire_async:
            return take_acquire(point, state);
        case Kind::count_down:
            family.signal.count_down(call.operand);
            return true;
        case Kind::lock_in:
        case Kind::lock_in_async:
            return take_lock_in(point, state);
        case Kind::try_lock_in:
            return operation.value != 0 ? family.shared_lock.lock(call.operand)
                                        : !family.shared_lock.is_open(call.operand) || may_be_kept(operation);
        case Kind::unlock_from:
            return family.shared_lock.unlock(call.operand);
        case Kind::upgrade:
        case Kind::upgrade_async:
            return take_upgrade(point, state);
        case Kind::try_upgrade:
            return operation.value != 0 ? family.shared_lock.upgrade() : family.shared_lock.has_readers();
        case Kind::downgrade:
            return family.shared_lock.downgrade(call.operand, call.desired);
        case Kind::try_acquire:
            return operation.value != 0 ? family.semaphore.take(call.operand)
                                        : !family.semaphore.has(call.operand) || may_be_kept(operation);
        case Kind::release:
            family.semaphore.release(call.operand);
            return true;
        case Kind::try_wait_signal:
            return family.signal.try_wait() == (operation.value != 0);
        case Kind::set:
            family.signal.set();
            return true;
        case Kind::reset:
            family.signal.reset();
            return true;
        case Kind::try_send:
            return family.channel.try_send(call.operand) == operation.channel;
        case Kind::try_receive: {
            const WaitsInOrder::End end = family.channel.try_receive();
            return end.result == operation.channel && end.item == operation.value;
        }
        case Kind::close:
            family.channel.close();
            return true;
        default:
            return take_wait_in_order(point, state);
    }
}

/// One that fails has found less than it asked for, or that it was kept for another. If its loop ends it may have got the permits,
/// and gives them back.
bool Linearization::take_acquire(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    const int count = operation.call.operand;
    SemaphoreSpecification& semaphore = state.family().semaphore;
    switch (point.step) {
        case Step::whole:
            return semaphore.take(count);
        case Step::begin:
            return !semaphore.has(count) || may_be_kept(operation);
        case Step::maybe:
            return semaphore.take_for(point.operation, count);
        default:
            if (!operation.is_abandoned()) return may_fail_with(operation, state);
            semaphore.give_back(point.operation, count);
            return true;
    }
}

bool Linearization::take_lock_in(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    const int mode = operation.call.operand;
    SharedLockSpecification& lock = state.family().shared_lock;
    switch (point.step) {
        case Step::whole:
            return lock.lock(mode);
        case Step::begin:
            return !lock.is_open(mode) || may_be_kept(operation);
        case Step::maybe:
            return lock.lock_for(point.operation, mode);
        default:
            if (!operation.is_abandoned()) return may_fail_with(operation, state);
            lock.give_back(point.operation, mode);
            return true;
    }
}

/// Readers are all that an upgrade waits for, and it is refused for nothing else. The loop of a task that ends unlocks too.
bool Linearization::take_upgrade(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    SharedLockSpecification& lock = state.family().shared_lock;
    switch (point.step) {
        case Step::whole:
        case Step::maybe:
            return lock.upgrade();
        case Step::begin:
            return lock.has_readers();
        default:
            return operation.is_abandoned() ? lock.give_back_upgrade() : may_fail_with(operation, state);
    }
}

/// Whether what is there may be kept for another that waits, or be offered to it: those who come get nothing then.
bool Linearization::may_be_kept(const Operation& refused) const {
    return std::ranges::any_of(operations_, [&](const Operation& other) {
        return &other != &refused && (other.call.is_barging() || other.call.is_upgrade()) &&
               other.invoked < refused.responded && other.responded > refused.invoked;
    });
}

bool Linearization::take_wait_in_order(const Point& point, Specification& state) const {
    const Operation& operation = operations_[point.operation];
    const std::size_t wait = point.operation;
    SignalSpecification& signal = state.family().signal;
    ChannelSpecification& channel = state.family().channel;
    const bool is_for_signal = operation.call.is_wait_for_signal();
    WaitsInOrder& waits = is_for_signal ? static_cast<WaitsInOrder&>(signal) : channel;

    const auto begin = [&] {
        if (is_for_signal) {
            signal.wait(wait);
        } else if (operation.call.is_send()) {
            channel.send(wait, operation.call.operand);
        } else {
            channel.receive(wait);
        }
    };
    const auto ends_as_seen = [&] {
        const auto end = waits.end_of(wait);
        return end && end->result == operation.channel &&
               (!operation.call.is_receive() || end->item == operation.value);
    };
    const auto gives_up = [&] { return may_fail_with(operation, state) && waits.leave(wait); };

    switch (point.step) {
        case Step::whole:
            begin();
            return operation.result == WaitResult::ok ? ends_as_seen() : gives_up();
        case Step::begin:
            // What was promised has to wait. It does so only if it may.
            begin();
            return operation.promised == never || (!waits.has_ended(wait) && !is_over_at_first(operation));
        case Step::woken:
            return waits.has_ended(wait);
        case Step::maybe:  // it is over already when its loop ends
            return ((operation.call.has_stop && state.is_stopped()) || operation.call.deadline == DeadlineKind::soon) &&
                   waits.leave(wait);
        default:
            if (operation.is_abandoned()) {
                is_for_signal ? signal.give_back(wait) : channel.give_back(wait);
                return true;
            }
            return operation.result == WaitResult::ok ? ends_as_seen() : gives_up();
    }
}

}  // namespace futon::test
