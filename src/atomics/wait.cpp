// SPDX-License-Identifier: MIT
#include <futon/atomics.hpp>
#include <futon/core/block.hpp>

namespace futon::detail {

WaitResult wait(core::WaitCheck check, Deadline deadline, const std::stop_token& stop) {
    return core::block(WordWait(check), deadline, stop);
}

}  // namespace futon::detail
