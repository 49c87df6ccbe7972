// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <futon/detail/atomic.hpp>
#include <futon/job.hpp>

namespace futon::detail {

/// Jobs in the order they came, for one thread to run.
class JobList {
public:
    JobList() noexcept = default;
    JobList(const JobList&) = delete;
    JobList& operator=(const JobList&) = delete;

    bool is_empty() const noexcept { return first_ == nullptr; }

    void push_back(Job& job) noexcept {
        job.next = nullptr;
        *end_ = &job;
        end_ = &job.next;
    }

    /// Requires that the list is not empty.
    Job& pop_front() noexcept {
        Job& job = *first_;
        first_ = job.next;
        if (first_ == nullptr) end_ = &first_;
        return job;
    }

    /// Moves all jobs of another list to the end of this one.
    void take_all(JobList& other) noexcept {
        if (other.is_empty()) return;
        *end_ = std::exchange(other.first_, nullptr);
        end_ = std::exchange(other.end_, &other.first_);
    }

    /// The oldest job; null if there is none. Each job's `next` leads to the one that came after it.
    Job* first() const noexcept { return first_; }

    /// Takes out the job that came after `before`, or the first if `before` is null. There must be one.
    void remove_after(Job* before) noexcept {
        Job*& link = before == nullptr ? first_ : before->next;
        link = link->next;
        if (link == nullptr) end_ = &link;
    }

private:
    Job* first_ = nullptr;
    Job** end_ = &first_;
};

/// Jobs of all threads arrive here: many threads push, one takes, without a lock.
///
///     newest_   means                                       set by
///     null      no jobs; the taker is awake                 initially; take_all; wake_up, from asleep
///     a job     the newest of a stack of jobs               push
///     asleep    no jobs; the taker or its host sleeps       fall_asleep, from null
///
/// A push that replaces `asleep` must ring the taker's bell, once, and the taker must wait for that ring: so the ring is the
/// pusher's last touch. [asleep] [last-touch]
class JobQueue {
public:
    /// Adds a job. Returns whether the caller must ring now; the job may have run by then.
    bool push(Job& job) noexcept;

    /// Moves all jobs to the end of `list`, oldest first. The taker is awake, even if the queue still says asleep: a
    /// bell that rang for nothing may have ended the sleep.
    void take_all(JobList& list) noexcept;

    /// Whether no job has arrived and the taker is awake; for the taker.
    bool is_empty() const noexcept { return newest_.load(std::memory_order_relaxed) == nullptr; }  // a hint

    /// Whether jobs have arrived, also while the taker is asleep.
    bool has_jobs() const noexcept {
        const Job* newest = newest_.load(std::memory_order_relaxed);  // a hint
        return newest != nullptr && newest != asleep();
    }

    /// Notes that the taker sleeps. Returns false, and changes nothing, if there are jobs.
    bool fall_asleep() noexcept;

    /// Notes that the taker is awake. Returns false if a push has replaced `asleep`: its ring has come or will come.
    bool wake_up() noexcept;

private:
    Job* asleep() const noexcept { return reinterpret_cast<Job*>(const_cast<JobQueue*>(this)); }

    detail::Atomic<Job*> newest_{nullptr};
};

}  // namespace futon::detail
