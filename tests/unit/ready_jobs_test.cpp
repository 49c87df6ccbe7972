// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "loop/ready_jobs.hpp"
#include "support/gtest.hpp"

namespace {

using futon::Job;
using futon::detail::JobList;
using futon::detail::ReadyJobs;

struct NumberedJob final : Job {
    void run() noexcept override {}
    void discard() noexcept override {}

    std::size_t number = 0;
};

/// Jobs of a loop, and the numbers that they should have.
class ReadyJobsTest : public testing::Test {
protected:
    // More than `remove` walks over.
    static constexpr std::size_t many = 500;

    ReadyJobsTest() {
        for (std::size_t i = 0; i < many; ++i) jobs[i].number = i;
    }

    void add(std::size_t number) {
        JobList list;
        list.push_back(jobs[number]);
        ready.take_all(list);
        expected.push_back(number);
    }

    void add_all() {
        for (std::size_t i = 0; i < many; ++i) add(i);
    }

    bool remove(std::size_t number) {
        std::erase(expected, number);
        return ready.remove(jobs[number]);
    }

    std::size_t pop() {
        expected.erase(expected.begin());
        return static_cast<NumberedJob&>(ready.pop_front()).number;
    }

    std::vector<std::size_t> drain() {
        std::vector<std::size_t> numbers;
        while (!ready.is_empty()) numbers.push_back(static_cast<NumberedJob&>(ready.pop_front()).number);
        return numbers;
    }

    std::vector<NumberedJob> jobs = std::vector<NumberedJob>(many);
    ReadyJobs ready;
    std::vector<std::size_t> expected;
};

TEST_F(ReadyJobsTest, IsFifo) {
    add_all();

    EXPECT_EQ(drain(), expected);
}

TEST_F(ReadyJobsTest, RemovesAJobFromAnyPosition) {
    add_all();

    for (const std::size_t position : {std::size_t{0}, std::size_t{1}, many / 2, many - 2, many - 1})
        EXPECT_TRUE(remove(position));

    EXPECT_EQ(drain(), expected);
}

TEST_F(ReadyJobsTest, RemoveFailsForAJobThatIsNotInIt) {
    NumberedJob outside;
    add_all();

    EXPECT_FALSE(ready.remove(outside));
    EXPECT_TRUE(remove(many - 1));
    EXPECT_FALSE(ready.remove(jobs[many - 1]));

    EXPECT_EQ(drain(), expected);
}

TEST_F(ReadyJobsTest, RemovesAllNewestFirst) {
    add_all();

    for (std::size_t i = many; i-- > 0;) EXPECT_TRUE(remove(i));

    EXPECT_TRUE(ready.is_empty());
}

TEST_F(ReadyJobsTest, AcceptsAJobAgainThatWasRemoved) {
    add_all();
    remove(many - 1);
    remove(many / 2);

    add(many / 2);
    add(many - 1);
    remove(many / 2);

    EXPECT_EQ(drain(), expected);
}

TEST_F(ReadyJobsTest, KeepsItsOrderWhateverIsAddedRemovedAndPopped) {
    std::mt19937 random(1);
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < many; ++i) outside.push_back(i);

    for (int step = 0; step < 20'000; ++step) {
        const bool is_growing = step / 1000 % 2 == 0;
        const auto choice = random() % 10;
        if (is_growing ? choice < 7 : choice < 3) {
            if (outside.empty()) continue;
            std::swap(outside[random() % outside.size()], outside.back());
            add(outside.back());
            outside.pop_back();
        } else if (!expected.empty() && choice % 2 == 0) {
            const std::size_t first = expected.front();
            outside.push_back(first);
            ASSERT_EQ(pop(), first);
        } else if (!expected.empty()) {
            const std::size_t any = expected[random() % expected.size()];
            outside.push_back(any);
            ASSERT_TRUE(remove(any));
        }
    }

    EXPECT_EQ(drain(), expected);
}

}  // namespace
