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

WaitAsyncResult wait_async(core::WaitCheck check, Limits limits, Agent& agent) {
    auto answer = core::result_or_promise(WordWait(check), std::move(limits), agent);
    if (auto* promise = std::get_if<Promise<WaitResult>>(&answer)) return WaitAsyncResult(std::move(*promise));
    return WaitAsyncResult(std::get<WaitResult>(answer));
}

}  // namespace futon::detail
