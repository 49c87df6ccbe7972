// SPDX-License-Identifier: MIT
#pragma once

#include <ostream>
#include <vector>

namespace futon::test {

/// What a probe is told.
enum class Event { enqueued, woken, dequeued, requeued_from, requeued_to, acquired, releasing, handing_off };

inline std::ostream& operator<<(std::ostream& out, Event event) {
    constexpr const char* names[] = {"enqueued",    "woken",    "dequeued",  "requeued_from",
                                     "requeued_to", "acquired", "releasing", "handing_off"};
    return out << names[static_cast<int>(event)];
}

/// Forgets all events.
void forget_events();

/// The events at an address since then, in their order.
std::vector<Event> events_at(const void* address);

}  // namespace futon::test
