// SPDX-License-Identifier: MIT
#include "held_locks.hpp"

#include <array>
#include <cstdint>

#include <futon/core/atomic.hpp>

#include "this_thread.hpp"

namespace futon::javascript {

namespace {

static_assert(sizeof(void*) == 4, "a note is an address and a number, in one word of eight bytes");

/// A place for a note. Who replaces `note` by `reserved` owns the place until it writes the next one.
struct Place {
    static constexpr std::uint64_t free = 0;
    static constexpr std::uint64_t reserved = 1;

    core::Atomic<std::uint64_t> note{free};
    core::Atomic<int> thread{0};
};

/// Places are never freed: there are as many as locks were held at a time.
struct Part {
    std::array<Place, 15> places;
    core::Atomic<Part*> next{nullptr};
};

constinit Part first;
constinit core::Atomic<std::uint32_t> last_number{0};

std::uint64_t make_note(const void* lock, int number) noexcept {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(lock)) << 32 |
           static_cast<std::uint32_t>(number);
}

bool is_of(std::uint64_t note, const void* lock) noexcept {
    return note >> 32 == reinterpret_cast<std::uintptr_t>(lock);
}

int number_in(std::uint64_t note) noexcept {
    return static_cast<int>(static_cast<std::uint32_t>(note));
}

/// Visits the places until one is wanted. Returns it; null if none was.
template <class F>
Place* find(F&& is_wanted) noexcept {
    for (Part* part = &first; part != nullptr; part = part->next.load())
        for (Place& place : part->places)
            if (is_wanted(place)) return &place;
    return nullptr;
}

/// Makes the place the caller's if it holds a note that is wanted.
template <class F>
bool reserve(Place& place, F&& is_wanted) noexcept {
    std::uint64_t seen = place.note.load();
    while (is_wanted(seen))
        if (place.note.compare_exchange_weak(seen, Place::reserved)) return true;
    return false;
}

template <class F>
Place* find_and_reserve(F&& is_wanted) noexcept {
    return find([&](Place& place) { return reserve(place, is_wanted); });
}

void add_part() {
    auto* added = new Part;
    core::Atomic<Part*>* end = &first.next;
    for (Part* next = nullptr; !end->compare_exchange_strong(next, added); next = nullptr) end = &next->next;
}

int next_number() noexcept {
    while (true) {
        const auto number = static_cast<int>(++last_number & 0x7fffffff);
        if (number != 0) return number;
    }
}

}  // namespace

int note_acquired(const AsyncLock& lock) {
    Place* place = find_and_reserve([&](std::uint64_t note) { return is_of(note, &lock); });  // left there by a mistake
    while (place == nullptr) {
        place = find_and_reserve([](std::uint64_t note) { return note == Place::free; });
        if (place == nullptr) add_part();
    }
    const int number = next_number();
    place->thread.store(static_cast<int>(number_of_this_thread()));
    place->note.store(make_note(&lock, number));
    return number;
}

bool forget_acquired(const AsyncLock& lock, int acquisition) noexcept {
    Place* const place = find_and_reserve(
        [&](std::uint64_t note) { return is_of(note, &lock) && (acquisition == 0 || number_in(note) == acquisition); });
    if (place == nullptr) return false;
    place->note.store(Place::free);
    return true;
}

bool is_acquired(const AsyncLock& lock, int acquisition) noexcept {
    return find([&](const Place& place) { return place.note.load() == make_note(&lock, acquisition); }) != nullptr;
}

Acquisition acquisition_of(const void* lock) noexcept {
    Acquisition found;
    find([&](const Place& place) {
        const std::uint64_t note = place.note.load();
        if (!is_of(note, lock)) return false;
        found = {number_in(note), place.thread.load()};
        if (place.note.load() == note) return true;
        found = {};
        return false;
    });
    return found;
}

}  // namespace futon::javascript
