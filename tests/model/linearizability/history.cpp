// SPDX-License-Identifier: MIT
#include "history.hpp"

namespace futon::test {

namespace {

std::string to_string(ChannelResult result) {
    switch (result) {
        case ChannelResult::ok:
            return "ok";
        case ChannelResult::closed:
            return "closed";
        case ChannelResult::timed_out:
            return "timed_out";
        case ChannelResult::cancelled:
            return "cancelled";
        case ChannelResult::would_block:
            return "would_block";
    }
    return {};
}

}  // namespace

std::string Operation::result_to_string() const {
    if (is_abandoned()) return "the loop has ended";
    switch (call.kind) {
        case Kind::load:
        case Kind::exchange:
        case Kind::compare_exchange:
        case Kind::notify:
            return std::to_string(value);
        case Kind::request_stop:
        case Kind::try_lock:
        case Kind::try_acquire:
        case Kind::try_wait_signal:
        case Kind::try_lock_in:
        case Kind::try_upgrade:
            return value != 0 ? "true" : "false";
        case Kind::wait:
        case Kind::wait_async:
        case Kind::scoped_lock_async:
        case Kind::acquire:
        case Kind::acquire_async:
        case Kind::wait_signal:
        case Kind::wait_signal_async:
        case Kind::lock_in:
        case Kind::lock_in_async:
        case Kind::upgrade:
        case Kind::upgrade_async:
            return std::string(futon::to_string(result));
        case Kind::send:
        case Kind::send_async:
        case Kind::try_send:
            return test::to_string(channel);
        case Kind::receive:
        case Kind::receive_async:
        case Kind::try_receive:
            return channel == ChannelResult::ok ? std::to_string(value) : test::to_string(channel);
        default:
            return "done";
    }
}

std::size_t History::invoke(int agent, const Call& call) {
    operations_.push_back({.agent = agent, .call = call, .invoked = now_++});
    return operations_.size() - 1;
}

void History::respond(std::size_t operation, const Answer& answer) {
    Operation& ended = operations_[operation];
    ended.responded = now_++;
    ended.value = answer.value;
    ended.result = answer.result;
    ended.channel = answer.channel;
}

void History::begin_end(int agent) {
    for (Operation& operation : operations_)
        if (operation.agent == agent && operation.is_pending()) operation.abandoned = now_++;
}

void History::end(int agent) {
    for (Operation& operation : operations_)
        if (operation.agent == agent && operation.is_pending()) operation.responded = now_++;
}

void History::clear() {
    operations_.clear();
    now_ = 0;
}

std::string History::to_string() const {
    std::vector<std::string> lines(now_);
    for (const Operation& operation : operations_) {
        const std::string what = "  agent " + std::to_string(operation.agent) + ": " + operation.call.to_string();
        lines[operation.invoked] = what;
        if (operation.promised != never) lines[operation.promised] = what + " -> a promise";
        if (operation.abandoned != never) lines[operation.abandoned] = what + " -> the loop begins to end";
        if (operation.responded != never) lines[operation.responded] = what + " -> " + operation.result_to_string();
    }
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

std::string History::key() const {
    std::string bytes;
    for (const Operation& operation : operations_) {
        for (const std::size_t time_point :
             {operation.invoked, operation.promised, operation.responded, operation.abandoned})
            bytes += static_cast<char>(time_point);
        bytes += static_cast<char>(operation.agent);
        bytes += static_cast<char>(operation.value);
        bytes += static_cast<char>(operation.result);
        bytes += static_cast<char>(operation.channel);
    }
    return bytes;
}

}  // namespace futon::test
