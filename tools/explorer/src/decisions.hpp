// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <futon/explorer.hpp>

namespace futon::explorer {

/// The decisions of one schedule after the other. Depth first, they are a path in the tree of all schedules.
class Decisions {
public:
    explicit Decisions(const Options& options)
        : is_random_(options.strategy != Strategy::exhaustive && options.replay.empty()), random_(options.seed) {
        const char* at = options.replay.data();
        const char* const end = at + options.replay.size();
        while (at != end) {
            Decision& decision = path_.emplace_back();
            at = std::from_chars(at, end, decision.chosen).ptr;
            while (at != end && (*at < '0' || *at > '9')) ++at;
        }
    }

    /// Begins a schedule.
    void rewind() {
        next_ = 0;
        if (is_random_) path_.clear();
    }

    /// Whether the next decision was not made before.
    bool is_new() const { return next_ == path_.size(); }

    /// One of 0 … count - 1, of those whose bits are set in `allowed`; 0 is the plainest.
    std::size_t decide(std::size_t count, std::uint32_t allowed = ~0u) {
        if (count == 1) return 0;
        if (is_new()) {
            const auto chosen = is_random_ ? static_cast<std::uint32_t>(random_() % count)
                                           : static_cast<std::uint32_t>(std::countr_zero(allowed));
            path_.push_back({.chosen = chosen, .allowed = allowed});
        }
        Decision& decision = path_[next_++];
        decision.count = static_cast<std::uint32_t>(count);
        return std::min<std::size_t>(decision.chosen, count - 1);
    }

    /// Records a decision that was made elsewhere, so that it can be replayed.
    std::size_t impose(std::size_t chosen, std::size_t count) {
        if (count == 1) return 0;
        if (!is_random_) return decide(count);
        path_.push_back({.chosen = static_cast<std::uint32_t>(chosen)});
        ++next_;
        return chosen;
    }

    bool is_random() const { return is_random_; }
    std::uint64_t random() { return random_(); }

    /// Moves on to the next schedule, depth first. Returns false if there is none.
    bool advance() {
        if (is_random_) return true;
        path_.resize(next_);
        while (!path_.empty()) {
            Decision& last = path_.back();
            do ++last.chosen;
            while (last.chosen < last.count && (last.allowed >> last.chosen & 1) == 0);
            if (last.chosen < last.count) return true;
            path_.pop_back();
        }
        return false;
    }

    std::string to_string() const {
        std::string text;
        for (std::size_t i = 0; i < next_; ++i) text += (i == 0 ? "" : ".") + std::to_string(path_[i].chosen);
        return text;
    }

private:
    struct Decision {
        std::uint32_t chosen = 0;
        std::uint32_t count = 0;
        std::uint32_t allowed = ~0u;
    };

    std::vector<Decision> path_;
    std::size_t next_ = 0;
    bool is_random_;
    std::mt19937_64 random_;
};

}  // namespace futon::explorer
