// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kv {

/// A value and its version. Entries are never erased, so a watch may keep one without the lock.
struct Entry {
    /// Counts the puts; 0 as long as there is no value. Written under the lock; watches wait for a change of it.
    std::atomic<std::uint32_t> version{0};
    std::string value;
};

struct Versioned {
    std::uint32_t version = 0;
    std::string value;
};

/// The keys and values. All functions need the store's lock.
class Store {
public:
    std::optional<Versioned> get(const std::string& key) const {
        const auto found = entries_.find(key);
        if (found == entries_.end() || found->second.version.load(std::memory_order_relaxed) == 0) return std::nullopt;
        return Versioned{found->second.version.load(std::memory_order_relaxed), found->second.value};
    }

    /// Puts a value. The watchers of the key are to be notified at the entry's version.
    Entry& put(const std::string& key, std::string value) {
        Entry& entry = entries_[key];
        entry.value = std::move(value);
        std::uint32_t next = entry.version.load(std::memory_order_relaxed) + 1;
        if (next == 0) next = 1;  // which says that there is none
        entry.version.store(next, std::memory_order_relaxed);
        return entry;
    }

    /// The entry of a key, which is made if there is none: for a watch.
    Entry& entry(const std::string& key) { return entries_[key]; }

    /// A line for each key that has a value, ordered by key.
    template <class Write>
    void each_line(Write write) const {
        for (const auto& [key, entry] : entries_) {
            if (entry.version.load(std::memory_order_relaxed) != 0) write(key + ' ' + entry.value);
        }
    }

private:
    std::map<std::string, Entry> entries_;
};

}  // namespace kv
