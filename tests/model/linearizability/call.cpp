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
    }
    return {};
}

}  // namespace futon::test
