// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "compression.hpp"
#include "store.hpp"
#include "store_lock.hpp"

namespace kv {

struct SnapshotOptions {
    std::chrono::milliseconds period{0};  ///< between the snapshots that no client asks for; 0: there are none
    /// A snapshot holds the lock for a time between these: what a slow disk takes.
    std::chrono::milliseconds shortest{5};
    std::chrono::milliseconds longest{20};
    std::filesystem::path folder;  ///< for the compressed files; empty: none is written
};

/// A snapshot that a client waits for.
struct SnapshotTicket {
    futon::Event is_done;  ///< what is below is written before
    std::uint64_t number = 0;
    std::size_t bytes = 0;  ///< 0 if it could not be written
};
using SharedTicket = std::shared_ptr<SnapshotTicket>;

/// A thread that writes snapshots under the store's lock, and a pool that compresses them.
class Snapshotter {
public:
    Snapshotter(const Store& store, StoreLock& lock, SnapshotOptions options);
    Snapshotter(const Snapshotter&) = delete;
    Snapshotter& operator=(const Snapshotter&) = delete;
    ~Snapshotter() { stop(); }

    /// Requests are sent here by any thread or loop. It is closed by `stop`.
    futon::Channel<SharedTicket>& requests() { return requests_; }

    /// Finishes what was requested and what is being written and compressed. Blocks until then.
    void stop();

    std::uint64_t started() const { return started_.load(std::memory_order_relaxed); }
    std::uint64_t finished() const { return finished_.load(std::memory_order_relaxed); }

private:
    struct Written {
        std::uint64_t number;
        Lines lines;
        SharedTicket ticket;  ///< null if no client waits
    };

    void write_all();
    void write_one(SharedTicket ticket);
    void compress_all();
    bool keep(std::uint64_t number, const std::string& text) const;

    const Store& store_;
    StoreLock& lock_;
    const SnapshotOptions options_;
    std::atomic<std::uint64_t> started_{0};
    std::atomic<std::uint64_t> finished_{0};
    futon::Channel<SharedTicket> requests_{64};
    futon::Channel<Written> written_{2};
    std::vector<std::thread> pool_;
    std::thread writer_;
};

}  // namespace kv
