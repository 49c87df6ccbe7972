// SPDX-License-Identifier: MIT
#include "snapshotter.hpp"

#include <fstream>
#include <string>
#include <utility>

namespace kv {

Snapshotter::Snapshotter(const Store& store, StoreLock& lock, SnapshotOptions options)
    : store_(store), lock_(lock), options_(std::move(options)) {
    for (int i = 0; i < 2; ++i) pool_.emplace_back([this] { compress_all(); });
    writer_ = std::thread([this] { write_all(); });
}

void Snapshotter::stop() {
    if (!writer_.joinable()) return;
    requests_.close();
    writer_.join();
    written_.close();  // what is in it is compressed
    for (std::thread& thread : pool_) thread.join();
}

void Snapshotter::write_all() {
    while (true) {
        auto request = options_.period.count() == 0 ? requests_.receive() : requests_.receive(options_.period);
        if (request.result() == futon::ChannelResult::closed) return;
        write_one(request ? std::move(*request) : nullptr);
    }
}

void Snapshotter::write_one(SharedTicket ticket) {
    const std::uint64_t number = started_.fetch_add(1, std::memory_order_relaxed) + 1;
    const auto steps = static_cast<std::uint64_t>((options_.longest - options_.shortest).count()) + 1;
    const auto least = options_.shortest + std::chrono::milliseconds(number * 7 % steps);
    Lines lines = lock_.locked_by_thread([&] {
        const auto end = std::chrono::steady_clock::now() + least;
        Lines all;
        store_.each_line([&](std::string line) { all.push_back(std::move(line)); });
        std::this_thread::sleep_until(end);  // in place of a slow disk
        return all;
    });
    // A full channel holds this thread up, not the loop.
    (void)written_.send(Written{number, std::move(lines), std::move(ticket)});
}

void Snapshotter::compress_all() {
    for (Written& snapshot : written_.items()) {
        const std::string text = compress(snapshot.lines);
        const bool is_kept = keep(snapshot.number, text);
        finished_.fetch_add(1, std::memory_order_relaxed);
        if (snapshot.ticket) {
            snapshot.ticket->number = snapshot.number;
            snapshot.ticket->bytes = is_kept ? text.size() + 1 : 0;
            snapshot.ticket->is_done.set();
        }
    }
}

bool Snapshotter::keep(std::uint64_t number, const std::string& text) const {
    if (options_.folder.empty()) return true;
    std::ofstream file(options_.folder / ("snapshot-" + std::to_string(number)), std::ios::binary);
    file << text << std::flush;
    return file.good();
}

}  // namespace kv
