// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include <futon/job.hpp>

#include "loop/job_queue.hpp"

namespace futon::detail {

/// Jobs in the order they came, for one thread to run, any of which can be taken out again.
///
/// There may be very many jobs, so a job has no link to the one before it. The first `remove` that would have to walk
/// far notes for each job which one is before it, and later ones look it up. Each job is noted at most once. So taking
/// out all n jobs, in whatever order, costs n look-ups in a tree. Without memory for the notes, `remove` walks.
class ReadyJobs {
public:
    bool is_empty() const noexcept { return jobs_.is_empty(); }

    /// Moves all jobs of a list to the end.
    void take_all(JobList& list) noexcept { jobs_.take_all(list); }

    /// Requires that there is a job.
    Job& pop_front() noexcept {
        Job& job = jobs_.pop_front();
        if (!before_.empty()) [[unlikely]]
            forget(job);
        return job;
    }

    /// Returns whether the job was here. Does not touch a job that was not: another thread may be posting it.
    bool remove(Job& job) noexcept;

private:
    using Notes = std::map<const Job*, Job*>;

    bool remove_within(Job& job, int steps) noexcept;
    bool remove_noted(Job& job) noexcept;
    bool note_all() noexcept;
    void forget(Job& first) noexcept;

    JobList jobs_;
    Notes before_;               // of the jobs from the first to `last_noted_`; null for the first
    Job* last_noted_ = nullptr;  // null if none is noted
};

}  // namespace futon::detail
