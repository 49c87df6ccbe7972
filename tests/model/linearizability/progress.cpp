// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <algorithm>

namespace futon::test {

namespace {

bool is_item_moved(const Operation& operation, bool is_send) {
    const bool is_try = operation.call.kind == (is_send ? Kind::try_send : Kind::try_receive);
    return (is_try || (is_send ? operation.call.is_send() : operation.call.is_receive())) && operation.is_granted();
}

/// There is a set that none can have used, or undone, and be answered.
bool is_signalled(const std::vector<Operation>& operations, Subject::Type type) {
    return std::ranges::any_of(operations, [&](const Operation& set) {
        if (set.call.kind != Kind::set || set.is_pending()) return false;
        return std::ranges::none_of(operations, [&](const Operation& other) {
            const bool is_taken = type == Subject::Type::auto_reset_event &&
                                  ((other.call.is_wait_for_signal() && other.is_granted()) ||
                                   (other.call.kind == Kind::try_wait_signal && other.value != 0));
            return (is_taken || other.call.kind == Kind::reset) && other.responded > set.invoked;
        });
    });
}

/// Senders and receivers that wait both, or an item and a receiver, or room and a sender.
bool can_move_item(const std::vector<Operation>& operations, int capacity) {
    int senders = 0;
    int receivers = 0;
    int items = 0;
    int items_perhaps = 0;  // of senders whose loop has ended
    for (const Operation& operation : operations) {
        if (operation.call.kind == Kind::close && !operation.is_pending()) return true;
        senders += operation.call.is_send() && operation.is_pending();
        receivers += operation.call.is_receive() && operation.is_pending();
        items += is_item_moved(operation, true) - is_item_moved(operation, false);
        items_perhaps += operation.call.is_send() && operation.is_abandoned();
    }
    if (receivers > 0) return senders > 0 || items > 0;
    return items + items_perhaps < capacity;
}

}  // namespace

bool needs_help(const History& history, const Subject& subject) {
    const auto& operations = history.operations();
    const bool has_waiters = std::ranges::any_of(operations, [](const Operation& operation) {
        return operation.call.is_family_wait() && operation.is_pending();
    });
    if (!has_waiters) return false;
    switch (subject.type) {
        case Subject::Type::semaphore:
            return missing_permits(history, subject) > 0;
        case Subject::Type::latch:
            return left_of_latch(history, subject) > 0;
        case Subject::Type::event:
        case Subject::Type::auto_reset_event:
            return !is_signalled(operations, subject.type);
        case Subject::Type::channel:
            return !can_move_item(operations, subject.amount);
        default:
            return false;
    }
}

int left_of_latch(const History& history, const Subject& subject) {
    int left = subject.amount;
    for (const Operation& operation : history.operations())
        if (operation.call.kind == Kind::count_down) left -= operation.call.operand;
    return left;
}

int missing_permits(const History& history, const Subject& subject) {
    int permits = subject.amount;
    int biggest = 0;
    for (const Operation& operation : history.operations()) {
        const Call& call = operation.call;
        if (call.kind == Kind::release && !operation.is_pending()) permits += call.operand;
        if (call.kind == Kind::try_acquire && operation.value != 0) permits -= call.operand;
        if (!call.is_acquire()) continue;
        if (operation.is_granted()) permits -= call.operand;
        if (operation.is_pending()) biggest = std::max(biggest, call.operand);
    }
    return biggest - permits;
}

}  // namespace futon::test
