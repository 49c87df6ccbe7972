// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <thread>
#include <vector>

#include "loop/job_queue.hpp"
#include "support/gtest.hpp"

namespace {

using futon::Job;
using futon::detail::JobList;
using futon::detail::JobQueue;

struct NumberedJob final : Job {
    explicit NumberedJob(int n = 0) : number(n) {}
    void run() noexcept override {}
    void discard() noexcept override {}

    int number;
    std::size_t source = 0;
};

std::vector<int> drain(JobList& list) {
    std::vector<int> numbers;
    while (!list.is_empty()) numbers.push_back(static_cast<NumberedJob&>(list.pop_front()).number);
    return numbers;
}

TEST(JobList, IsFifo) {
    std::array jobs{NumberedJob(0), NumberedJob(1), NumberedJob(2)};
    JobList list;
    for (NumberedJob& job : jobs) list.push_back(job);

    EXPECT_EQ(drain(list), (std::vector{0, 1, 2}));
}

TEST(JobList, AcceptsJobsAfterItWasEmptied) {
    NumberedJob first(1);
    NumberedJob second(2);
    JobList list;
    list.push_back(first);
    drain(list);

    list.push_back(second);

    EXPECT_EQ(drain(list), (std::vector{2}));
}

TEST(JobList, RemovesTheJobAfterAnother) {
    for (int removed = 0; removed < 3; ++removed) {
        std::array jobs{NumberedJob(0), NumberedJob(1), NumberedJob(2)};
        NumberedJob last(3);
        JobList list;
        for (NumberedJob& job : jobs) list.push_back(job);

        list.remove_after(removed == 0 ? nullptr : &jobs[static_cast<std::size_t>(removed - 1)]);
        list.push_back(last);

        std::vector<int> expected{0, 1, 2, 3};
        expected.erase(expected.begin() + removed);
        EXPECT_EQ(drain(list), expected);
    }
}

TEST(JobQueue, IsFifo) {
    std::array jobs{NumberedJob(0), NumberedJob(1), NumberedJob(2)};
    JobQueue queue;
    JobList list;

    queue.push(jobs[0]);
    queue.push(jobs[1]);
    queue.take_all(list);
    queue.push(jobs[2]);
    queue.take_all(list);

    EXPECT_EQ(drain(list), (std::vector{0, 1, 2}));
}

TEST(JobQueue, PushNeedsNoWakeUpWhileTheConsumerIsAwake) {
    NumberedJob job;
    JobQueue queue;

    EXPECT_FALSE(queue.push(job));
}

TEST(JobQueue, OnlyTheFirstPushToASleepingConsumerHasToWakeIt) {
    NumberedJob first;
    NumberedJob second;
    JobQueue queue;
    EXPECT_TRUE(queue.fall_asleep());

    EXPECT_TRUE(queue.push(first));
    EXPECT_FALSE(queue.push(second));
}

TEST(JobQueue, ConsumerDoesNotFallAsleepWhileJobsAreQueued) {
    NumberedJob job;
    JobQueue queue;
    queue.push(job);

    EXPECT_FALSE(queue.fall_asleep());
}

TEST(JobQueue, WakeUpSucceedsWhenNoJobWasPushed) {
    NumberedJob job;
    JobQueue queue;
    queue.fall_asleep();

    EXPECT_TRUE(queue.wake_up());

    EXPECT_FALSE(queue.push(job));
}

TEST(JobQueue, WakeUpFailsWhenAJobWasPushed) {
    NumberedJob job(1);
    JobQueue queue;
    JobList list;
    queue.fall_asleep();
    queue.push(job);

    EXPECT_FALSE(queue.wake_up());
    queue.take_all(list);

    EXPECT_EQ(drain(list), (std::vector{1}));
}

TEST(JobQueue, IsFifoForEachOfSeveralProducers) {
    constexpr std::size_t threads = 3;
    constexpr int rounds = 5000;
    JobQueue queue;
    std::vector<std::vector<NumberedJob>> jobs;
    for (std::size_t source = 0; source < threads; ++source) {
        jobs.emplace_back(rounds);
        for (int i = 0; i < rounds; ++i) {
            jobs.back()[static_cast<std::size_t>(i)].number = i;
            jobs.back()[static_cast<std::size_t>(i)].source = source;
        }
    }
    std::vector<std::jthread> producers;
    for (std::size_t source = 0; source < threads; ++source)
        producers.emplace_back([&, source] {
            for (NumberedJob& job : jobs[source]) queue.push(job);
        });

    JobList list;
    std::array<int, threads> next{};
    int taken = 0;
    bool ordered = true;
    while (taken < static_cast<int>(threads) * rounds) {
        queue.take_all(list);
        while (!list.is_empty()) {
            const auto& job = static_cast<NumberedJob&>(list.pop_front());
            ordered = ordered && job.number == next[job.source]++;
            ++taken;
        }
    }

    EXPECT_TRUE(ordered);
}

}  // namespace
