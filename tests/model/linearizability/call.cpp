// SPDX-License-Identifier: MIT
#include "call.hpp"

#include <futon/atomics.hpp>

namespace futon::test {

namespace {

std::string limits_of(const Call& call) {
    std::string text;
    if (call.deadline == DeadlineKind::soon) text += ", deadline";
    if (call.deadline == DeadlineKind::passed) text += ", due";
    if (call.has_stop) text += ", stop";
    return text;
}

std::string name_of_mode(int mode) {
    static constexpr const char* names[] = {"unlocked", "shared", "upgradeable", "exclusive"};
    return names[mode];
}

}  // namespace

std::string Call::to_string() const {
    const std::string at = "word " + std::to_string(word);
    const std::string value = std::to_string(operand);
    switch (kind) {
        case Kind::load:
            return "load(" + at + ")";
        case Kind::store:
            return "store(" + at + ", " + value + ")";
        case Kind::exchange:
            return "exchange(" + at + ", " + value + ")";
        case Kind::compare_exchange:
            return "compare_exchange(" + at + ", " + value + ", " + std::to_string(desired) + ")";
        case Kind::notify:
            return "notify(" + at + ", " + (count == everyone ? "everyone" : std::to_string(count)) + ")";
        case Kind::wait:
            return "wait(" + at + ", " + value + limits_of(*this) + ")";
        case Kind::wait_async:
            return "wait_async(" + at + ", " + value + limits_of(*this) + ")";
        case Kind::request_stop:
            return "request_stop()";
        case Kind::lock:
            return "lock()";
        case Kind::scoped_lock_async:
            return "scoped_lock_async(the lock" + limits_of(*this) + ")";
        case Kind::try_lock:
            return "try_lock()";
        case Kind::unlock:
            return "unlock()";
        case Kind::acquire:
            return "acquire(" + value + limits_of(*this) + ")";
        case Kind::acquire_async:
            return "acquire_async(" + value + limits_of(*this) + ")";
        case Kind::try_acquire:
            return "try_acquire(" + value + ")";
        case Kind::release:
            return "release(" + value + ")";
        case Kind::wait_signal:
            return "wait(the event" + limits_of(*this) + ")";
        case Kind::wait_signal_async:
            return "wait_async(the event" + limits_of(*this) + ")";
        case Kind::try_wait_signal:
            return "try_wait(the event)";
        case Kind::set:
            return "set()";
        case Kind::reset:
            return "reset()";
        case Kind::send:
            return "send(" + value + limits_of(*this) + ")";
        case Kind::send_async:
            return "send_async(" + value + limits_of(*this) + ")";
        case Kind::try_send:
            return "try_send(" + value + ")";
        case Kind::receive:
            return "receive(the channel" + limits_of(*this) + ")";
        case Kind::receive_async:
            return "receive_async(the channel" + limits_of(*this) + ")";
        case Kind::try_receive:
            return "try_receive()";
        case Kind::close:
            return "close()";
        case Kind::count_down:
            return "count_down(" + value + ")";
        case Kind::lock_in:
            return "lock(" + name_of_mode(operand) + limits_of(*this) + ")";
        case Kind::lock_in_async:
            return "lock_async(" + name_of_mode(operand) + limits_of(*this) + (desired != 0 ? "), and changes" : ")");
        case Kind::try_lock_in:
            return "try_lock(" + name_of_mode(operand) + ")";
        case Kind::unlock_from:
            return "unlock(" + name_of_mode(operand) + ")";
        case Kind::upgrade:
            return "upgrade(" + name_of_mode(operand) + limits_of(*this) + ")";
        case Kind::upgrade_async:
            return "upgrade_async(" + name_of_mode(operand) + limits_of(*this) + ")";
        case Kind::try_upgrade:
            return "try_upgrade()";
        case Kind::downgrade:
            return "downgrade(" + name_of_mode(operand) + " to " + name_of_mode(desired) + ")";
    }
    return {};
}

}  // namespace futon::test
