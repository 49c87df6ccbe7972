// SPDX-License-Identifier: MIT
#include <utility>
#include <variant>

#include <futon/atomics.hpp>
#include <futon/core/promise_of.hpp>

namespace futon::detail {

WaitAsyncResult wait_async(core::WaitCheck check, Deadline deadline, const std::stop_token& stop, Agent& agent) {
    return std::visit([](auto answer) { return WaitAsyncResult(std::move(answer)); },
                      core::result_or_promise(WordWait(check), deadline, stop, agent));
}

}  // namespace futon::detail
