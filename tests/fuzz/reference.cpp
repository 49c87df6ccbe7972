// SPDX-License-Identifier: MIT
#include "reference.hpp"

#include <algorithm>

namespace futon::fuzz {

std::string History::to_string() const {
    std::string text;
    for (const Event& event : events) {
        text += event.agent == closer ? "    closer: " : "    agent " + std::to_string(event.agent) + ": ";
        text += event.verb;
        if (event.object != never) text += ' ' + std::to_string(event.object);
        if (event.result) text += ": " + std::string(futon::to_string(*event.result));
        text += '\n';
    }
    return text;
}

void History::clear() {
    events.clear();
    waits.clear();
    notifies.clear();
}

void Reference::Queue::erase(std::size_t place) {
    std::copy(waits_.begin() + place + 1, waits_.begin() + size_, waits_.begin() + place);
    waits_[--size_] = 0;
}

/// Whether the rest of the history can be explained from here: by its next event, or by a notify that takes effect now.
bool Reference::explains(State state) {
    const auto is_mine = [this](const History::Event& event) { return event.word == word_; };
    const auto from = history_.events.begin() + static_cast<std::ptrdiff_t>(state.next);
    state.next = static_cast<std::size_t>(std::find_if(from, history_.events.end(), is_mine) - history_.events.begin());
    if (state.next == history_.events.size()) return true;

    if (dead_ends_.contains(state)) return false;
    if (explains_after_event(state)) return true;
    for (std::size_t& active : state.active) {
        if (active == never) continue;
        State after = state;
        after.active[static_cast<std::size_t>(&active - state.active.data())] = never;
        if (explains_after_notify(after, history_.notifies[active], 0, {})) return true;
    }
    dead_ends_.insert(state);
    return false;
}

bool Reference::explains_after_event(State state) {
    const History::Event& event = history_.events[state.next++];
    switch (event.what) {
        case History::What::enqueues:
            if (history_.waits[event.subject].outcome != Outcome::not_enqueued) state.queue.push_back(event.subject);
            break;
        case History::What::ends: {
            const auto place = std::ranges::find(state.queue, event.subject);
            if (place == state.queue.end()) break;
            if (history_.waits[event.subject].outcome == Outcome::ok) return false;
            state.queue.erase(static_cast<std::size_t>(place - state.queue.begin()));
            break;
        }
        case History::What::notifies: {
            state.active[static_cast<std::size_t>(history_.notifies[event.subject].agent)] = event.subject;
            break;
        }
        case History::What::has_notified:
            if (state.active[static_cast<std::size_t>(history_.notifies[event.subject].agent)] == event.subject)
                return false;
            break;
        case History::What::other:
            break;
    }
    return explains(state);
}

/// The notify wakes the waits from `place` on, until it has as many as its count, or the queue ends.
bool Reference::explains_after_notify(State state, const Notify& notify, std::size_t place, Queue woken) {
    while (place < state.queue.size() && woken.size() < notify.count) {
        const std::size_t first = state.queue[place];
        const Wait& wait = history_.waits[first];
        const bool may_be_dequeued = wait.dequeued_from <= state.next;
        if (wait.outcome == Outcome::given_up) {
            if (!may_be_dequeued) return false;
            state.queue.erase(place);
            continue;
        }
        if (wait.outcome == Outcome::abandoned && may_be_dequeued) {
            State without = state;
            without.queue.erase(place);
            if (explains_after_notify(without, notify, place, woken)) return true;
        }
        if (!is_in_order(first, woken)) return false;
        woken.push_back(first);
        state.queue.erase(place);
    }
    return woken.size() == notify.result && explains(state);
}

/// The waits of one loop that one notify wakes end in the order of the queue.
bool Reference::is_in_order(std::size_t wait, const Queue& woken) const {
    const auto is_seen = [](const Wait& one) { return one.is_ordered && one.outcome == Outcome::ok; };
    const Wait& last = history_.waits[wait];
    return !is_seen(last) || std::ranges::none_of(woken, [&](std::size_t other) {
        const Wait& before = history_.waits[other];
        return is_seen(before) && before.agent == last.agent && before.ended_at > last.ended_at;
    });
}

}  // namespace futon::fuzz
