// SPDX-License-Identifier: MIT
#include "loop/ready_jobs.hpp"

#include <limits>
#include <new>
#include <utility>

namespace futon::detail {

bool ReadyJobs::remove(Job& job) noexcept {
    constexpr int few = 32;  // a walk of this many steps costs less than a note
    if (before_.empty() && remove_within(job, few)) return true;
    if (remove_noted(job)) return true;
    return note_all() ? remove_noted(job) : remove_within(job, std::numeric_limits<int>::max());
}

/// Walks from the first job on. Requires that no job is noted.
bool ReadyJobs::remove_within(Job& job, int steps) noexcept {
    Job* before = nullptr;
    for (Job* at = jobs_.first(); at != nullptr && steps > 0; before = std::exchange(at, at->next), --steps) {
        if (at != &job) continue;
        jobs_.remove_after(before);
        return true;
    }
    return false;
}

bool ReadyJobs::remove_noted(Job& job) noexcept {
    const auto note = before_.find(&job);
    if (note == before_.end()) return false;
    Job* const before = note->second;
    if (last_noted_ == &job) {
        last_noted_ = before;
    } else {
        before_.find(job.next)->second = before;
    }
    before_.erase(note);
    jobs_.remove_after(before);
    return true;
}

/// Notes the jobs that came since the last time. Returns false, and forgets all notes, if there is no memory.
bool ReadyJobs::note_all() noexcept {
    try {
        Job* next = last_noted_ == nullptr ? jobs_.first() : last_noted_->next;
        for (; next != nullptr; next = next->next) {
            before_.emplace(next, last_noted_);
            last_noted_ = next;
        }
        return true;
    } catch (const std::bad_alloc&) {
        before_.clear();
        last_noted_ = nullptr;
        return false;
    }
}

/// Called when the first job was taken out.
void ReadyJobs::forget(Job& first) noexcept {
    before_.erase(&first);
    if (last_noted_ == &first) {
        last_noted_ = nullptr;
    } else {
        before_.find(jobs_.first())->second = nullptr;
    }
}

}  // namespace futon::detail
