// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <list>
#include <utility>

namespace futon::detail {

/// Exceptions that no code has taken, the oldest first, for one thread to deal with.
///
/// Some have room here, so that even a program without memory learns what failed for that reason. Any number may
/// follow, as long as there is memory. Exceptions for which there is none are lost: one std::bad_alloc stands for them,
/// behind the others.
class UnhandledExceptions {
public:
    /// How many need no memory.
    static constexpr std::size_t room = 16;

    bool is_empty() const noexcept { return count_ == 0; }

    void push(std::exception_ptr exception) noexcept {
        if (count_ < room) return push_here(std::move(exception));
        try {
            more_.push_back(std::move(exception));
        } catch (...) {
            lost_ = std::current_exception();
        }
    }

    /// Takes the oldest. There must be one.
    std::exception_ptr pop() noexcept {
        std::exception_ptr oldest = std::exchange(here_[first_], nullptr);
        first_ = (first_ + 1) % room;
        --count_;
        if (!more_.empty()) {
            push_here(std::move(more_.front()));
            more_.pop_front();
        } else if (count_ == 0 && lost_ != nullptr) {
            push_here(std::exchange(lost_, nullptr));
        }
        return oldest;
    }

private:
    void push_here(std::exception_ptr exception) noexcept {
        here_[(first_ + count_) % room] = std::move(exception);
        ++count_;
    }

    std::array<std::exception_ptr, room> here_;  // a ring
    std::size_t first_ = 0;
    std::size_t count_ = 0;               // of those in the ring; 0 if there are none at all
    std::list<std::exception_ptr> more_;  // while the ring is full
    std::exception_ptr lost_;
};

}  // namespace futon::detail
