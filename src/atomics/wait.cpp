// SPDX-License-Identifier: MIT
#include <futon/atomics.hpp>
#include <futon/core/driver/block.hpp>

namespace futon::detail {

WaitResult wait(const core::WaitCheck& check, const Limits& limits) {
    return core::block(WordWait(check), limits);
}

}  // namespace futon::detail
