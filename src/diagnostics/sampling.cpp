// SPDX-License-Identifier: MIT
#include "diagnostics/sampling.hpp"

#include <algorithm>
#include <cmath>

#include <futon/diagnostics.hpp>

#include "diagnostics/profile.hpp"
#include "diagnostics/trace.hpp"

namespace futon::diagnostics::detail {

constinit std::atomic<std::int64_t> threshold{everything};
constinit thread_local Sampler sampler;
alignas(64) constinit std::atomic<std::uint32_t> wanted{1};  // everything is, at first

namespace {

/// Which primitives are held by a sampled acquisition, by their address: releases read it while any is, and only samples write it.
constexpr std::size_t marks_bits = 12;
constinit std::array<std::atomic<const void*>, std::size_t{1} << marks_bits> marks{};
constinit const char mark_of_several = 0;

std::size_t mark_index(const void* address) noexcept {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(address) >> 2) * 0x9e3779b97f4a7c15U >>
                                    (64 - marks_bits));
}

std::atomic<std::uint64_t> seeds{0};

/// A hold that was sampled.
struct SampledHold {
    const void* address = nullptr;
    Holder holder;
    const char* kind = "";
    std::uint32_t weight = 0;
};

/// Under the mutex. So few that it is searched through; a hold for which there is no room is not timed.
struct SampledHolds {
    std::array<SampledHold, 256> all;
    std::size_t count = 0;
    std::array<std::uint16_t, std::size_t{1} << marks_bits> of_mark{};
};

SampledHolds& holds() noexcept {
    static SampledHolds& holds = *new SampledHolds;
    return holds;
}

void set_mark(std::size_t index, const void* mark) noexcept {
    marks[index].store(mark, std::memory_order_relaxed);  // the release comes after the acquisition
}

void erase(std::size_t number) noexcept {
    SampledHolds& known = holds();
    const std::size_t index = mark_index(known.all[number].address);
    if (--known.of_mark[index] == 0) set_mark(index, nullptr);
    known.all[number] = known.all[--known.count];
    wanted.fetch_sub(1, std::memory_order_relaxed);  // as for the marks
}

void enter(const SampledHold& hold) noexcept {
    SampledHolds& known = holds();
    if (known.count == known.all.size()) return;
    const std::size_t index = mark_index(hold.address);
    const void* const mark = marks[index].load(std::memory_order_relaxed);  // changes under the mutex
    set_mark(index, ++known.of_mark[index] == 1 || mark == hold.address ? hold.address : &mark_of_several);
    known.all[known.count++] = hold;
    wanted.fetch_add(1, std::memory_order_relaxed);  // as above
}

/// From 1 on, with the mean `one_in`: each acquisition has the same chance.
std::uint32_t interval(Sampler& own) noexcept {
    if (own.one_in <= 1) return 1;
    // xorshift64*
    own.random ^= own.random >> 12;
    own.random ^= own.random << 25;
    own.random ^= own.random >> 27;
    const double share = (static_cast<double>((own.random * 0x2545f4914f6cdd1dU) >> 11) + 1) / 9007199254740993.0;
    const double drawn = std::log(share) / std::log1p(-1.0 / own.one_in);
    return 1 + static_cast<std::uint32_t>(std::min(drawn, 4e9));
}

}  // namespace

std::uint32_t draw() noexcept {
    Sampler& own = sampler;
    const std::int64_t seen = threshold.load();
    if (seen == everything || seen == nothing) return 0;
    if (own.base != seen) {
        if (own.random == 0) own.random = (seeds.fetch_add(1) + 1) * 0x9e3779b97f4a7c15U;
        own.base = seen;
        own.one_in = passed_over_on_average();
        own.countdown = seen + interval(own);
    }
    if (--own.countdown > seen) return 0;
    own.countdown = seen + interval(own);
    return weight_of_samples();
}

void sample_acquired(const void* address, Hold hold, std::uint64_t amount, const core::probe::Attempt* attempt,
                     std::uint32_t weight) {
    SampledHold sample;
    sample.address = address;
    sample.kind = kind_of(hold);
    sample.weight = weight;
    sample.holder.actor = this_actor();
    sample.holder.hold = hold;
    sample.holder.amount = amount;
    if (attempt != nullptr) {
        sample.holder.place = attempt->place;
    } else {
        take_place(sample.holder.place, 2);
    }
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    if (!is_sampling()) return;
    Object& object = registry.objects[address];
    if (*object.kind == '\0') object.kind = sample.kind;
    object.profile.acquisitions += weight;
    sample.holder.site = site_of(address, sample.kind, sample.holder.place);
    sample.holder.site->profile.acquisitions += weight;
    sample.holder.since = now();
    enter(sample);
    close_overdue_window(sample.holder.since);
}

bool may_be_sampled(const void* address) noexcept {
    const void* const mark = marks[mark_index(address)].load(std::memory_order_relaxed);  // as above
    return mark == address || mark == &mark_of_several;
}

void sample_released(const void* address, Hold hold) noexcept {
    const Actor actor = this_actor();
    const std::int64_t time = now();
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    SampledHolds& known = holds();
    // An exclusive hold is the only one. Of several, the releasing thread's own is meant; if it has none, none of the samples.
    const bool is_shared = hold == Hold::shared || hold == Hold::permits;
    for (std::size_t i = 0; i < known.count; ++i) {
        SampledHold& found = known.all[i];
        if (found.address != address || (is_shared && found.holder.actor.thread != actor.thread)) continue;
        const auto object = registry.objects.find(address);
        if (object != registry.objects.end()) {
            object->second.profile.hold.add(time - found.holder.since, found.weight);
            note_hold(address, object->second, found.holder, time);
        }
        found.holder.site->profile.hold.add(time - found.holder.since, found.weight);
        erase(i);
        return;
    }
}

void forget_all_sampled() noexcept {
    while (holds().count != 0) erase(holds().count - 1);
}

void forget_sampled(const void* address) noexcept {
    SampledHolds& known = holds();
    if (known.of_mark[mark_index(address)] == 0) return;
    for (std::size_t i = known.count; i-- > 0;)
        if (known.all[i].address == address) erase(i);
}

void note_profile(const WaitRecord& wait, std::int64_t until) noexcept {
    if (wait.is_promise) return;  // what it awaits is noted
    Registry& registry = Registry::get();
    const auto found = registry.objects.find(wait.address);
    Object* const object = found != registry.objects.end() ? &found->second : nullptr;
    const std::uint64_t weight = wait.weight != 0 ? wait.weight : 1;
    const auto note_events = [&](Profile& profile) {
        profile.contended += weight;
        profile.barged += wait.barged * weight;
        profile.handoffs += wait.handoffs * weight;
    };
    if (object != nullptr) {
        if (wait.weight != 0) note_events(object->profile);  // else noted as they happened
        object->profile.wait.add(until - wait.since, weight);
    }
    const std::string_view kind = kind_of_operation(wait.operation);
    Profile& of_place = site_of(wait.address, object != nullptr ? object->kind : kind, wait.place)->profile;
    note_events(of_place);
    of_place.wait.add(until - wait.since, weight);
}

}  // namespace futon::diagnostics::detail
