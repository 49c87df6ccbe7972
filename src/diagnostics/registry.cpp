// SPDX-License-Identifier: MIT
#include "diagnostics/registry.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace futon::diagnostics::detail {

std::int64_t now() noexcept {
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

Registry::Registry() {
    queued.next = queued.previous = &queued;
    // A fork must not find the mutex held by a thread that the child does not have.
    pthread_atfork(
        [] {
            get().dumping.lock();
            get().mutex.lock();
        },
        [] {
            get().mutex.unlock();
            get().dumping.unlock();
        },
        [] {
            get().begin_child();
            get().mutex.unlock();
            get().dumping.unlock();
        });
}

/// The stamps of the ring before are in none: each is taken out of its own generation's only.
void Registry::begin_ring() noexcept {
    ++generation;
    queued.next = queued.previous = &queued;
    of_actors = {};
    at_addresses = {};
}

void Registry::forget_callers() noexcept {
    begin_ring();
    forget_coroutines();
    held.clear();
    for (auto& [address, object] : objects) object.holders.clear();
}

void Registry::forget_coroutines() noexcept {
    coroutines.clear();
    settlers.clear();
    left.clear();
    has_coroutines.store(false, std::memory_order_relaxed);  // under the mutex, as it is set
}

/// In a child of a fork, in which only this thread goes on: who waits waits in the parent.
void Registry::begin_child() noexcept {
    begin_ring();
    forget_coroutines();
    ThreadRecord* const self = this_thread_if_known();
    for (ThreadRecord* thread = last_thread; thread != nullptr; thread = thread->next)
        thread->has_ended = thread != self;
    if (self != nullptr) self->number = syscall(SYS_gettid);
}

/// Never destroyed: locks may end after all static objects.
Registry& Registry::get() noexcept {
    static Registry& registry = *new Registry;
    return registry;
}

namespace {

/// One of 4,096 lists.
std::size_t list_of(const void* key) noexcept {
    const std::uint64_t number = reinterpret_cast<std::uintptr_t>(key);
    return static_cast<std::size_t>((number >> 2) * 0x9e3779b97f4a7c15U >> 52);
}

void link_at_address(WaitRecord& wait) noexcept {
    WaitRecord*& first = Registry::get().waits_at(wait.address);
    wait.next_at_address = first;
    wait.link_at_address = &first;
    if (first != nullptr) first->link_at_address = &wait.next_at_address;
    first = &wait;
}

void unlink_at_address(WaitRecord& wait) noexcept {
    *wait.link_at_address = wait.next_at_address;
    if (wait.next_at_address != nullptr) wait.next_at_address->link_at_address = wait.link_at_address;
}

}  // namespace

WaitRecord*& Registry::waits_of(const Actor& actor) noexcept {
    return of_actors[list_of(key_of(actor))];
}

WaitRecord*& Registry::waits_at(const void* address) noexcept {
    return at_addresses[list_of(address)];
}

void forget_held(const Actor& actor, const void* address) noexcept {
    auto& held = Registry::get().held;
    const auto found = held.find(key_of(actor));
    if (found == held.end()) return;
    auto& locks = found->second;
    // The last one is released first, usually.
    const auto last = std::find(locks.rbegin(), locks.rend(), address);
    if (last != locks.rend()) locks.erase(std::next(last).base());
    if (locks.empty() && actor.task != nullptr) held.erase(found);
}

/// A part of an object has ended, so the object has.
void forget_name(const void* address) noexcept {
    Registry& registry = Registry::get();
    const auto after = registry.names.upper_bound(address);
    if (after != registry.names.begin() && registry.name_of(address) != nullptr) registry.names.erase(std::prev(after));
}

void link(WaitRecord& wait) noexcept {
    Registry& registry = Registry::get();
    wait.previous = registry.queued.previous;
    wait.next = &registry.queued;
    wait.previous->next = wait.next->previous = &wait;
    WaitRecord*& first = registry.waits_of(wait.actor);
    wait.next_of_actor = first;
    wait.link_of_actor = &first;
    if (first != nullptr) first->link_of_actor = &wait.next_of_actor;
    first = &wait;
    link_at_address(wait);
    wait.is_queued = true;
    wait.generation = registry.generation;
}

void unlink(WaitRecord& wait) noexcept {
    if (!std::exchange(wait.is_queued, false) || wait.generation != Registry::get().generation) return;
    wait.previous->next = wait.next;
    wait.next->previous = wait.previous;
    *wait.link_of_actor = wait.next_of_actor;
    if (wait.next_of_actor != nullptr) wait.next_of_actor->link_of_actor = wait.link_of_actor;
    unlink_at_address(wait);
}

void move_to(WaitRecord& wait, const void* address) noexcept {
    const bool is_linked = wait.is_queued && wait.generation == Registry::get().generation;
    if (is_linked) unlink_at_address(wait);
    wait.address = address;
    if (is_linked) link_at_address(wait);
}

void Histogram::add(std::int64_t nanoseconds, std::uint64_t weight) noexcept {
    const auto value = static_cast<std::uint64_t>(nanoseconds < 0 ? 0 : nanoseconds);
    // The highest bit and the one below it: two classes for each power of two.
    const auto bits = static_cast<std::size_t>(std::bit_width(value));
    const std::size_t half = bits < 2 ? 0 : (value >> (bits - 2)) & 1;
    classes_[std::min(bits * 2 + half, classes_.size() - 1)] += 1;
    ++samples_;
    count_ += weight;
    sum_ += nanoseconds * static_cast<std::int64_t>(weight);
    most_ = std::max(most_, nanoseconds);
}

void Histogram::add(const Histogram& other) noexcept {
    for (std::size_t i = 0; i < classes_.size(); ++i) classes_[i] += other.classes_[i];
    samples_ += other.samples_;
    count_ += other.count_;
    sum_ += other.sum_;
    most_ = std::max(most_, other.most_);
}

void Profile::add(const Profile& other) noexcept {
    acquisitions += other.acquisitions;
    contended += other.contended;
    handoffs += other.handoffs;
    barged += other.barged;
    offers_expired += other.offers_expired;
    wait.add(other.wait);
    hold.add(other.hold);
}

std::int64_t Histogram::quantile(double share) const noexcept {
    if (samples_ == 0) return 0;
    auto rest = static_cast<std::int64_t>(share * static_cast<double>(samples_));
    for (std::size_t i = 0; i < classes_.size(); ++i) {
        rest -= classes_[i];
        if (rest > 0) continue;
        const std::size_t bits = i / 2;
        if (bits == 0) return 0;
        if (bits > 62) return most_;
        const std::int64_t lowest = std::int64_t{1} << (bits - 1);
        const std::int64_t end = i % 2 == 0 ? lowest + lowest / 2 : lowest * 2;
        return std::min(most_, std::max<std::int64_t>(end, 1));
    }
    return most_;
}

const char* kind_of(Hold hold) noexcept {
    switch (hold) {
        case Hold::lock:
            return "AsyncLock";
        case Hold::permits:
            return "Semaphore";
        default:
            return "SharedLock";
    }
}

bool is_async_lock(const void* address) noexcept {
    const auto found = Registry::get().objects.find(address);
    return found != Registry::get().objects.end() && std::string_view(found->second.kind) == kind_of(Hold::lock);
}

const char* name_of(Hold hold) noexcept {
    switch (hold) {
        case Hold::shared:
            return "shared";
        case Hold::upgradeable:
            return "upgradeable";
        case Hold::permits:
            return "permits";
        default:
            return "exclusive";
    }
}

std::string_view kind_of_operation(const char* operation) noexcept {
    // "futon::AsyncLock::lock"; of a program's own primitive, "bank::Vault::open"
    const std::string_view name = operation;
    constexpr std::string_view own = "futon::";
    const bool is_own = name.substr(0, own.size()) == own;
    const std::size_t begin = is_own ? own.size() : 0;
    const std::size_t end = is_own ? name.find("::", begin) : name.rfind("::");
    return end == std::string_view::npos ? "" : name.substr(begin, end - begin);
}

const char* kind_of(Hold hold, const char* operation) {
    static std::set<std::string, std::less<>>& kinds = *new std::set<std::string, std::less<>>;
    const std::string_view kind = kind_of_operation(operation);
    if (kind.empty() || std::string_view(operation).starts_with("futon::")) return kind_of(hold);
    return kinds.emplace(kind).first->c_str();
}

std::string text_of(std::int64_t nanoseconds) {
    struct Unit {
        double length;
        const char* name;
    };
    const auto value = static_cast<double>(nanoseconds);
    for (const Unit unit : {Unit{60e9, "min"}, Unit{1e9, "s"}, Unit{1e6, "ms"}, Unit{1e3, "us"}})
        if (value >= unit.length) {
            std::array<char, 32> text{};
            std::snprintf(text.data(), text.size(), "%.3g %s", value / unit.length, unit.name);
            return text.data();
        }
    return std::to_string(nanoseconds) + " ns";
}

std::string id_of(const Actor& actor) {
    std::string id;
    if (actor.task == nullptr)
        return actor.thread == nullptr ? id : id.append("t").append(std::to_string(actor.thread->id));
    Registry& registry = Registry::get();
    const auto [found, is_new] = registry.tasks.try_emplace(actor.task, registry.next_task);
    if (is_new) ++registry.next_task;
    return id.append("c").append(std::to_string(found->second));
}

std::string text_of(const Actor& actor) {
    if (actor.thread == nullptr && actor.task == nullptr) return "a task";
    const std::string thread =
        actor.thread == nullptr
            ? "an unknown thread"
            : "thread " + std::to_string(actor.thread->id) + " (LWP " + std::to_string(actor.thread->number) +
                  (actor.thread->title[0] != '\0' ? ", " : "") + actor.thread->title.data() + ")";
    const char* const end = actor.thread != nullptr && actor.thread->has_ended ? ", which has ended" : "";
    if (actor.task == nullptr) return thread + end;
    return "coroutine " + id_of(actor).substr(1) + " of the loop of " + thread + end;
}

std::string text_of(const Holder& holder) {
    return holder.ended.empty() ? text_of(holder.actor) : holder.ended + ", which has ended";
}

std::string text_of(const void* address) {
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "%p", address);
    const Registry& registry = Registry::get();
    const auto found = registry.objects.find(address);
    const std::string* const name = registry.name_of(address);
    std::string text;
    if (found != registry.objects.end()) text = std::string(found->second.kind) + " ";
    if (name != nullptr) text.append("\"").append(*name).append("\" ");
    return text.empty() ? number.data() : text + "at " + number.data();
}

const std::string* Registry::name_of(const void* address) const noexcept {
    const auto after = names.upper_bound(address);
    if (after == names.begin()) return nullptr;
    const auto& [begin, name] = *std::prev(after);
    const auto offset = static_cast<const char*>(address) - static_cast<const char*>(begin);
    return static_cast<std::size_t>(offset) < name.size ? &name.text : nullptr;
}

}  // namespace futon::diagnostics::detail
