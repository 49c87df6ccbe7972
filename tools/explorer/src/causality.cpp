// SPDX-License-Identifier: MIT
#include "causality.hpp"

#include <algorithm>

namespace futon::explorer {

namespace {

/// The finalizer of splitmix64: every bit goes everywhere.
std::uint64_t scatter(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9u;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebu;
    return x ^ (x >> 31);
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    return scatter(scatter(a + 0x9e37'79b9'7f4a'7c15u) * 3 + b);
}

void Causality::reset() {
    pasts_ = {};
    used_ = 0;
    ++schedule_;
}

void Causality::begin(int fiber, std::uint64_t name, int parent) {
    pasts_[static_cast<std::size_t>(fiber)] = mix(mix(name, past(parent)), 1);
}

void Causality::step(int fiber, const void* address, Access access) {
    std::uint64_t& past = pasts_[static_cast<std::size_t>(fiber)];
    if (access == Access::none) {
        past = mix(past, 2);
        return;
    }
    Place& place = place_at(address);
    if (access == Access::read) {
        past = mix(mix(past, place.written), 3);
        place.read += past;
    } else {
        past = mix(mix(past, place.written + place.read), 4);
        place.written = past;
        place.read = 0;
    }
}

void Causality::touch_all(int fiber, int fibers) {
    const std::uint64_t number = mix(mix(past(fiber), fingerprint(fibers)), 5);
    for (int other = 0; other < fibers; ++other) {
        std::uint64_t& past = pasts_[static_cast<std::size_t>(other)];
        past = other == fiber ? number : mix(past, number);
    }
}

void Causality::decide(int fiber, std::uint64_t decision) {
    std::uint64_t& past = pasts_[static_cast<std::size_t>(fiber)];
    past = mix(past, decision + 6);
}

void Causality::forget(const void* address) {
    Place& place = place_at(address);
    place.written = 0;
    place.read = 0;
}

std::uint64_t Causality::fingerprint(int fibers) const {
    std::uint64_t sum = 0;
    for (int fiber = 0; fiber < fibers; ++fiber) sum += mix(past(fiber), 0);
    return sum;
}

Causality::Place& Causality::place_at(const void* address) {
    const std::size_t mask = places_.size() - 1;
    for (std::size_t i = mix(reinterpret_cast<std::uintptr_t>(address), 0) & mask;; i = (i + 1) & mask) {
        Place& place = places_[i];
        if (place.schedule != schedule_) {
            if (2 * ++used_ > places_.size()) {
                grow();
                return place_at(address);
            }
            place = {.address = address, .schedule = schedule_};
            return place;
        }
        if (place.address == address) return place;
    }
}

void Causality::grow() {
    std::vector<Place> old(2 * places_.size());
    old.swap(places_);
    used_ = 0;
    for (const Place& place : old)
        if (place.schedule == schedule_) place_at(place.address) = place;
}

bool SeenSteps::insert(std::uint64_t step, int preemptions_left) {
    const auto budget = std::min(static_cast<std::uint64_t>(preemptions_left) + 1, preemption_bits);
    step &= ~preemption_bits;
    std::uint64_t* seen = find(step);
    if ((*seen & preemption_bits) >= budget) return false;
    if (*seen == 0 && 2 * ++used_ > steps_.size()) {
        std::vector<std::uint64_t> old(2 * steps_.size());
        old.swap(steps_);
        for (const std::uint64_t one : old)
            if (one != 0) *find(one & ~preemption_bits) = one;
        seen = find(step);
    }
    *seen = step | budget;
    return true;
}

/// Where the step is, or belongs. Nothing that was inserted is zero, for its budget is not.
std::uint64_t* SeenSteps::find(std::uint64_t step) {
    const std::size_t mask = steps_.size() - 1;
    std::size_t i = (step >> 20) & mask;
    while (steps_[i] != 0 && (steps_[i] & ~preemption_bits) != step) i = (i + 1) & mask;
    return &steps_[i];
}

}  // namespace futon::explorer
