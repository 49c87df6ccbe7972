// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;

/// What one party did with the lock.
struct Account {
    std::string name;
    std::uint64_t acquisitions = 0;
    Clock::duration held{};
    Clock::duration longest_wait{};
    std::vector<Clock::duration> held_in_slice;
};

/// Who held the lock, when, and how long each waited for it. Written by the lock's owner only: it is what the
/// lock protects.
class Ledger {
public:
    Ledger(std::vector<std::string> names, Clock::time_point begin, Clock::duration length, std::size_t slices)
        : begin_(begin), slice_(std::max(length / static_cast<Clock::rep>(slices), Clock::duration(1))) {
        for (std::string& name : names)
            accounts_.push_back({std::move(name), 0, {}, {}, std::vector<Clock::duration>(slices)});
    }

    void enter(std::size_t party, Clock::time_point asked, Clock::time_point acquired, Clock::time_point done) {
        Account& account = accounts_[party];
        const Clock::duration held = done - acquired;
        served_ += account.acquisitions++ == 0;
        account.held += held;
        account.longest_wait = std::max(account.longest_wait, acquired - asked);
        const auto slice = static_cast<std::size_t>(std::max<Clock::rep>(0, (acquired - begin_) / slice_));
        account.held_in_slice[std::min(slice, account.held_in_slice.size() - 1)] += held;
        ++sum_;
    }

    const std::vector<Account>& accounts() const { return accounts_; }
    Clock::duration slice() const { return slice_; }

    bool has_served_all() const { return served_ == accounts_.size(); }

    /// How many entries were made, counted one by one under the lock.
    std::uint64_t sum() const { return sum_; }

private:
    std::vector<Account> accounts_;
    Clock::time_point begin_;
    Clock::duration slice_;
    std::size_t served_ = 0;  // the parties that have had the lock
    std::uint64_t sum_ = 0;
};
