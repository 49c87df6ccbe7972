// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <utility>
#include <variant>

#include <futon/atomics.hpp>
#include <futon/core/driver/promise_of.hpp>

namespace futon::detail {

void throw_no_value() {
    throw std::logic_error(
        "futon::WaitAsyncResult::value: the answer is still to come, as a promise; ask async() first");
}

void throw_no_promise() {
    throw std::logic_error(
        "futon::WaitAsyncResult::promise: the answer is known at once, by value(); ask async() first");
}

WaitAsyncResult wait_async(WordWait&& op, const Limits& limits, Agent& agent) {
    return WaitAsyncResult(core::result_or_promise(std::move(op), limits, agent));
}

}  // namespace futon::detail
