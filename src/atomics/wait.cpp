// SPDX-License-Identifier: MIT
#include <futon/atomics.hpp>
#include <futon/core/block.hpp>

#include "platform/race_detector.hpp"

namespace futon::detail {

WaitResult wait(core::WaitCheck check, Deadline deadline, const std::stop_token& stop) {
    const void* const word = check.address;
    const WaitResult result = core::block(WordWait(check), deadline, stop);
    platform::note_acquire(word);  // also for what was stored in the word before it was found to differ
    return result;
}

}  // namespace futon::detail
