// SPDX-License-Identifier: MIT
#include "history.hpp"

namespace futon::test {

std::string Operation::result_to_string() const {
    switch (call.kind) {
        case Kind::load:
        case Kind::exchange:
        case Kind::compare_exchange:
        case Kind::notify:
            return std::to_string(value);
        case Kind::request_stop:
        case Kind::try_lock:
            return value != 0 ? "true" : "false";
        case Kind::wait:
        case Kind::wait_async:
        case Kind::scoped_lock_async:
            return std::string(futon::to_string(result));
        default:
            return "done";
    }
}

std::size_t History::invoke(int agent, const Call& call) {
    operations_.push_back({.agent = agent, .call = call, .invoked = now_++});
    return operations_.size() - 1;
}

void History::respond(std::size_t operation, std::int64_t value) {
    operations_[operation].responded = now_++;
    operations_[operation].value = value;
}

void History::respond(std::size_t operation, WaitResult result) {
    operations_[operation].responded = now_++;
    operations_[operation].result = result;
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
        if (operation.responded != never) lines[operation.responded] = what + " -> " + operation.result_to_string();
    }
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

std::string History::key() const {
    std::string bytes;
    for (const Operation& operation : operations_) {
        for (const std::size_t time_point : {operation.invoked, operation.promised, operation.responded})
            bytes += static_cast<char>(time_point);
        bytes += static_cast<char>(operation.agent);
        bytes += static_cast<char>(operation.value);
        bytes += static_cast<char>(operation.result);
    }
    return bytes;
}

}  // namespace futon::test
