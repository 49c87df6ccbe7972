// SPDX-License-Identifier: MIT
#include "loop/job_queue.hpp"

#include <utility>

#include "platform/race_detector.hpp"

namespace futon::detail {

bool JobQueue::push(Job& job) noexcept {
    Job* seen = newest_.load(std::memory_order_relaxed);  // a guess, decided by the exchange
    do {
        job.next = seen == asleep() ? nullptr : seen;
    } while (!platform::told(newest_).compare_exchange_weak(seen, &job, std::memory_order_acq_rel,  // [job] [asleep]
                                                            std::memory_order_relaxed));            // tries again
    return seen == asleep();
}

void JobQueue::take_all(JobList& list) noexcept {
    if (newest_.load(std::memory_order_relaxed) == nullptr) return;  // a later push rings, or is seen next time
    Job* newest = platform::told(newest_).exchange(nullptr, std::memory_order_acquire);  // [job]
    if (newest == asleep()) return;  // only its bell has woken the taker
    Job* oldest = nullptr;
    while (newest != nullptr) {
        Job* job = std::exchange(newest, newest->next);
        job->next = std::exchange(oldest, job);
    }
    while (oldest != nullptr) list.push_back(*std::exchange(oldest, oldest->next));
}

bool JobQueue::fall_asleep() noexcept {
    Job* expected = nullptr;
    return newest_.compare_exchange_strong(expected, asleep(), std::memory_order_release,  // [asleep]
                                           std::memory_order_relaxed);                     // nothing was taken
}

bool JobQueue::wake_up() noexcept {
    Job* expected = asleep();
    return newest_.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed,  // no job has arrived
                                           std::memory_order_relaxed);                    // take_all acquires
}

}  // namespace futon::detail
