// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/latency.hpp"
#include "harness/require.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

// A server that answers from a cache. What it does is the same for each contestant, but for who may reach the cache when.
namespace bench {

/// One entry of the cache, and an answer: all of it follows from its slot and its version, which a renewal increments.
class Entry {
public:
    void renew(std::size_t slot, std::uint64_t version) {
        version_ = version;
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = first_word(slot, version) + i;
    }
    std::uint64_t version() const { return version_; }
    bool is_whole(std::size_t slot) const {
        std::uint64_t differences = 0;
        for (std::size_t i = 0; i < words_.size(); ++i) differences |= words_[i] ^ (first_word(slot, version_) + i);
        return differences == 0;
    }

private:
    static std::uint64_t first_word(std::size_t slot, std::uint64_t version) {
        return (slot + 1) * 0x9e3779b97f4a7c15u ^ version * 0xbf58476d1ce4e5b9u;
    }

    std::uint64_t version_ = 0;
    std::array<std::uint64_t, 63> words_{};  // 512 bytes in all
};

/// Whoever reads or writes it holds what protects it.
class Cache {
public:
    Cache() {
        for (std::size_t slot = 0; slot < entries_.size(); ++slot) entries_[slot].renew(slot, 0);
    }

    const Entry& read(std::size_t slot) const { return entries_[slot]; }

    /// Stores what was made of the version that was seen, unless another has renewed that first; whether it did.
    bool renew(std::size_t slot, const Entry& made, std::uint64_t seen) {
        if (entries_[slot].version() != seen) return false;
        entries_[slot] = made;
        return true;
    }

    std::uint64_t renewals() const {
        std::uint64_t sum = 0;
        for (const Entry& entry : entries_) sum += entry.version();
        return sum;
    }

private:
    std::vector<Entry> entries_ = std::vector<Entry>(1024);
};

/// What a client asks for. One request in twenty finds that the entry is too old, and renews it.
struct Request {
    std::size_t slot;
    bool is_too_old;
};

/// When requests come: as fast as they are answered, or in bursts of ten at random times, on average so far apart.
struct Traffic {
    std::chrono::nanoseconds between_bursts{0};

    bool is_paced() const { return between_bursts.count() != 0; }
};

/// One client and what it measured, in cache lines that no other thread writes. Its requests are the same in every run.
class alignas(64) Client {
public:
    Client(std::size_t number, const Traffic& traffic, Clock::time_point end)
        : traffic_(traffic), end_(end), state_((number + 1) * 0x9e3779b97f4a7c15u) {}

    /// Whether a further request comes before the end; at `due` it does. The first comes in any case.
    bool has_next() {
        if (!traffic_.is_paced()) {
            due_ = Clock::now();
        } else if (left_of_burst_ == 0) {
            left_of_burst_ = 10;
            const double part = static_cast<double>(random() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
            const double length = -std::log(1 - part) * static_cast<double>(traffic_.between_bursts.count());
            due_ += std::chrono::nanoseconds(static_cast<std::int64_t>(length));
        }
        if (left_of_burst_ > 0) --left_of_burst_;
        return answers_ == 0 || due_ < end_;
    }
    Clock::time_point due() const { return due_; }
    bool is_early() const { return traffic_.is_paced() && Clock::now() < due_; }

    Request next() {
        const std::uint64_t number = random() >> 20;
        return {number % 1024, answers_ == 0 || number / 1024 % 20 == 0};
    }

    /// The new entry, without the lock.
    Entry make(const Request& request, std::uint64_t seen) const {
        making_();
        Entry made;
        made.renew(request.slot, seen + 1);
        return made;
    }
    void renewed(bool is_ours) {
        if (is_ours) ++renewals_;
    }

    /// Sends the answer.
    void answer(const Request& request, const Entry& entry) {
        require(entry.is_whole(request.slot), "an answer is whole");
        sending_();
        latencies_.add(static_cast<std::uint64_t>(std::max(0.0, nanoseconds(Clock::now() - due_))));
        ++answers_;
    }

    std::uint64_t answers() const { return answers_; }
    std::uint64_t renewals() const { return renewals_; }
    const Histogram& latencies() const { return latencies_; }

private:
    std::uint64_t random() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return state_;
    }

    Traffic traffic_;
    Clock::time_point end_;
    Clock::time_point due_ = Clock::now();
    std::uint64_t state_;
    int left_of_burst_ = 0;
    Work making_{std::chrono::microseconds(5)};
    Work sending_{std::chrono::microseconds(2)};
    std::uint64_t answers_ = 0;
    std::uint64_t renewals_ = 0;
    Histogram latencies_;
};

/// Serves so many clients for this long. `Server().run(cache, clients)` returns when all are through.
template <class Server>
Sample serve(int count, const Traffic& traffic, std::chrono::milliseconds length) {
    Server server;
    Cache cache;
    std::vector<Client> clients;
    const Clock::time_point end = Clock::now() + length;
    for (int i = 0; i < count; ++i) clients.emplace_back(static_cast<std::size_t>(i), traffic, end);
    Sample sample = time_of(1, [&] { server.run(cache, clients); });
    std::uint64_t answers = 0;
    std::uint64_t renewals = 0;
    Histogram latencies;
    for (const Client& client : clients) {
        answers += client.answers();
        renewals += client.renewals();
        latencies.add(client.latencies());
    }
    require(renewals > 0 && renewals == cache.renewals(), "no renewal is lost");
    for (auto& [name, value] : sample.values) value /= static_cast<double>(answers);
    note_latencies(sample, "request", latencies);
    return sample;
}

}  // namespace bench
