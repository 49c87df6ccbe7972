// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>

namespace futon::platform {

/// What the last yields of a thread told of those that want its processor. They decide how often it yields while it spins, and
/// whether it spins. docs/decisions/0096-yield-where-others-want-the-processor.md shows the effect of other numbers.
///
/// A thread that computes keeps the processor for a whole time slice, some milliseconds. One that is woken need not wait for that,
/// as a rule, but one that has yielded must. So after two such yields in short order the thread sleeps at once, for so long, and in
/// so many waits, that few of them are delayed. A single one tells little: those that share the processor may just have done
/// what the thread waits for.
class LastYields {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Whether a wait that begins now may spin. Called once for each.
    bool let_spin(Time now) noexcept {
        const bool may_spin = sleeps_ == 0 && now >= sleeps_until_;
        if (sleeps_ != 0) --sleeps_;
        return may_spin;
    }

    /// Called after each yield.
    void note(Time now, std::chrono::nanoseconds length) noexcept {
        is_wanted_ = length > in_vain && length < of_slice;
        if (length < of_slice) {
            since_slice_ = std::min(since_slice_ + 1, in_short_order + 1);
            return;
        }
        if (since_slice_ <= in_short_order) {
            sleeps_ = factor;
            sleeps_until_ = now + std::min<std::chrono::nanoseconds>(factor * length, longest);
        }
        since_slice_ = 0;
    }

    /// Whether another thread ran during the last one, but not for a slice: then yields help.
    bool is_wanted() const noexcept { return is_wanted_; }

private:
    static constexpr std::chrono::microseconds in_vain{1};     // at most: to another thread and back takes longer
    static constexpr std::chrono::microseconds of_slice{500};  // at least
    static constexpr int in_short_order = 3;                   // at most, from one slice to the next
    static constexpr int factor = 64;                          // of waits, and of the length of the last yield
    static constexpr std::chrono::seconds longest{1};          // the whole program may have been stopped

    bool is_wanted_ = false;
    int since_slice_ = in_short_order + 1;  // or more
    int sleeps_ = 0;                        // waits without spinning that are left
    Time sleeps_until_{};                   // without spinning, however many waits
};

}  // namespace futon::platform
