// SPDX-License-Identifier: MIT
#include "recorder.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include <futon/core/queue/waiter.hpp>

namespace futon::test {

namespace {

/// An event, once its address is set.
struct Entry {
    Event event{};
    std::atomic<const void*> address{nullptr};
};

// Of a fixed size, for the functions of a probe run under locks and must not allocate.
std::array<Entry, 1024> entries;
std::atomic<std::size_t> length{0};

void record(Event event, const void* address) noexcept {
    const std::size_t i = length++;
    if (i >= entries.size()) return;
    entries[i].event = event;
    entries[i].address = address;
}

}  // namespace

void forget_events() {
    for (Entry& entry : entries) entry.address = nullptr;
    length = 0;
}

std::vector<Event> events_at(const void* address) {
    std::vector<Event> events;
    for (const Entry& entry : entries)
        if (entry.address == address) events.push_back(entry.event);
    return events;
}

}  // namespace futon::test

namespace futon::core::probe {

using test::Event;
using test::record;

void enqueued(const void* address, Waiter& waiter) noexcept {
    WaiterAccess::stamp(waiter).since = std::chrono::steady_clock::now();
    record(Event::enqueued, address);
}
void woken(const void* address, Waiter&) noexcept {
    record(Event::woken, address);
}
void dequeued(const void* address, Waiter&) noexcept {
    record(Event::dequeued, address);
}
void requeued(const void* from, const void* to, Waiter&) noexcept {
    record(Event::requeued_from, from);
    record(Event::requeued_to, to);
}
void acquired(const void* address, Hold, std::uint64_t, Way) noexcept {
    record(Event::acquired, address);
}
void releasing(const void* address, Hold, std::uint64_t) noexcept {
    record(Event::releasing, address);
}
void handing_off(const void* address, const Waiter&) noexcept {
    record(Event::handing_off, address);
}

}  // namespace futon::core::probe
