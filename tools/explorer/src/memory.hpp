// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <futon/explorer/kernel.hpp>

namespace futon::explorer {

/// What C++'s memory model lets each fiber see: the stores of each cell in their order, who has seen which, and vector
/// clocks for what happens before what.
///
/// A load may return any store that is not older than one that the fiber knows of: by having seen it, by happens-before,
/// or by a seq_cst fence. A seq_cst load is like a load after such a fence: it misses nothing that happens before a fence
/// that came earlier. It is stricter than the standard in two ways, both on the side of missing bugs: stores take effect
/// in the order in which they are executed, and a seq_cst load sees the last seq_cst store.
class Memory {
public:
    void reset() {
        for (std::vector<Store>* stores : used_) stores->clear();  // their memory is kept for the next schedule
        used_.clear();
        views_ = {};
        seq_cst_ = {};
    }

    /// How many stores a load may choose from, the newest included.
    std::size_t candidates(int fiber, const void* cell, std::uint64_t newest, std::memory_order order);

    /// Loads the store that is `age` older than the newest.
    std::uint64_t load(int fiber, const void* cell, std::size_t age, std::memory_order order);
    void store(int fiber, const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order);
    void modify(int fiber, const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order);
    void forget(const void* cell) {
        if (const auto found = cells_.find(cell); found != cells_.end()) found->second.clear();
    }
    void fence(int fiber);
    void heavy_fence(int fiber, int fibers);

    void publish(int fiber, Clock& clock);
    void acquire(int fiber, const Clock& clock) { views_[index(fiber)].clock.join(clock); }
    void begin(int fiber, int parent) { views_[index(fiber)].clock = views_[index(parent)].clock; }

    /// The fiber's own time, advanced by one.
    std::uint32_t tick(int fiber) { return ++views_[index(fiber)].clock.at[fiber]; }
    bool knows(int fiber, int other, std::uint32_t time) const { return views_[index(fiber)].clock.at[other] >= time; }

private:
    struct Store {
        std::uint64_t value = 0;
        Clock released{};
        std::array<std::uint32_t, max_fibers> seen_at{};
        bool is_seq_cst = false;
    };
    struct View {
        Clock clock{};     // what happens before the fiber's next step
        Clock fenced{};    // what its loads must not miss since its last seq_cst fence
        Clock released{};  // as of its last fence
        Clock pending{};   // what a fence would acquire
    };

    static std::size_t index(int fiber) { return static_cast<std::size_t>(fiber); }
    std::vector<Store>& stores_of(const void* cell, std::uint64_t present);
    std::size_t oldest_visible(int fiber, const std::vector<Store>& stores, std::memory_order order) const;
    void acquire_from(int fiber, const Store& store, std::memory_order order);
    void append(int fiber, std::vector<Store>& stores, std::uint64_t value, std::memory_order order, bool continues);

    std::unordered_map<const void*, std::vector<Store>> cells_;
    std::vector<std::vector<Store>*> used_;  // those of this schedule
    std::array<View, max_fibers> views_{};
    Clock seq_cst_{};  // what happens before the seq_cst fences so far
};

}  // namespace futon::explorer
