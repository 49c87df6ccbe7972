// SPDX-License-Identifier: MIT
#include <futon/core/operation/operation.hpp>

#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "base/error.hpp"
#include "platform/race_detector.hpp"
#include "platform/stop_order.hpp"

namespace futon::core {

std::optional<Ending> already_over(const Until& until) noexcept {
    const std::stop_token* const stop = until.stop();
    if (stop != nullptr && platform::is_stop_requested(*stop)) return Ending::cancelled;
    if (!until.deadline().is_never() && until.deadline().is_due()) return Ending::timed_out;
    return std::nullopt;
}

void note_done(const void* key) noexcept {
    platform::note_acquire(key);
}

void throw_used_twice(const char* operation) {
    char text[256];
    std::snprintf(text, sizeof text, "%s: an operation is used once, and this one was used before", operation);
    throw std::logic_error(text);
}

void throw_table_full(const char* operation) {
    detail::throw_error(std::errc::not_enough_memory, operation,
                        "the table of wait queues has no room for another waiter");
}

}  // namespace futon::core
