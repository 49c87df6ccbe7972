// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>

#include <futon/detail/conformance/trial.hpp>

// Where in its queue a waiter is enqueued.
namespace futon::detail::conformance {

inline void queue_at(Trial& t, Place place, std::initializer_list<std::uint64_t> requests) {
    for (const std::uint64_t request : requests) t.queue(t.add(request), t.word, place);
}

inline void place_head(Trial& t) {
    t.queue_new(t.word);
    t.queue_new(t.other);
    t.queue_new(t.word);
    queue_at(t, Place::head, {9, 0});
    t.queues.notify(&t.word, core::everyone);
    t.expect_delivered({4, 3, 0, 2});
}

inline void place_by_request(Trial& t) {
    queue_at(t, Place::tail, {50, 60});
    queue_at(t, Place::by_request, {20, 40, 10, 30, 30});
    t.queues.notify(&t.word, core::everyone);
    t.expect_delivered({4, 2, 6, 5, 3, 0, 1});
}

inline void place_by_priority(Trial& t) {
    queue_at(t, Place::by_priority, {20, 40, 10, 20, 40, 30, 10});
    t.queues.notify(&t.word, core::everyone);
    t.expect_delivered({2, 6, 0, 3, 5, 1, 4});
}

inline std::span<const Clause> place_clauses() {
    static constexpr Clause clauses[] = {
        {"place.head", "Place::head is before all others", place_head},
        {"place.by_request", "Place::by_request is before all others but those whose request is less",
         place_by_request},
        {"place.by_priority", "Place::by_priority is behind those whose request is not greater", place_by_priority},
    };
    return clauses;
}

}  // namespace futon::detail::conformance

#include <futon/detail/end.hpp>
