// SPDX-License-Identifier: MIT
// [lines] What operations on one object cost in cache lines, and that those on unrelated objects cost none.
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include <futon/detail/reader_slots.hpp>

#include "cost.hpp"
#include "operation/keeper.hpp"
#include "queue/copies.hpp"
#include "support/gtest.hpp"

namespace {

using futon::test::Cost;
using futon::test::Line;
using futon::test::Operation;
using futon::test::operation;
using futon::test::operations;

std::string described(const Cost& cost) {
    std::string all;
    for (const Line& line : cost.lines) all += line.describe() + "\n";
    return all;
}

template <class T>
bool is_in(const T& object, const Line& line) {
    const auto begin = reinterpret_cast<std::uintptr_t>(&object);
    return line.address + futon::test::line_size > begin && line.address < begin + sizeof(T);
}

bool is_called(const Operation& one, std::string_view name) {
    return one.name == name;
}

constexpr std::string_view in_a_slot = "reader, in a slot";
constexpr std::string_view revoker = "writer that takes readers from slots";
// How they begin. A task that comes late for its offer may be kept, too.
constexpr std::string_view of_tasks = "lock + unlock of ";

/// What docs/protocol.md excepts: who revokes looks through all slots, and the keeper has one list.
bool may_share(const Operation& one, const Operation& other, const Line& line) {
    if ((is_called(one, revoker) && is_called(other, in_a_slot)) ||
        (is_called(one, in_a_slot) && is_called(other, revoker)))
        return is_in(futon::core::common_reader_slots().lines, line);
    const auto may_be_kept = [](const Operation& it) { return std::string_view(it.name).starts_with(of_tasks); };
    return may_be_kept(one) && may_be_kept(other) && is_in(futon::core::keeper(), line);
}

void expect_no_more_is_shared(const Operation& one, const Operation& other) {
    const Cost cost = futon::test::of_unrelated_objects(one, other);
    for (const Line& line : cost.lines)
        EXPECT_TRUE(may_share(one, other, line)) << one.name << " beside " << other.name << ": " << line.describe();
}

TEST(CacheLines, OperationsOnUnrelatedObjectsShareNone) {
    for (const Operation& one : operations()) expect_no_more_is_shared(one, one);
}

TEST(CacheLines, DifferentOperationsOnUnrelatedObjectsShareNone) {
    for (const Operation& one : operations())
        for (const Operation& other : operations())
            if (&one < &other) expect_no_more_is_shared(one, other);
}

TEST(CacheLines, ThoseWithoutWaitersShareNoneWithinOnePartOfTheQueuesEither) {
    for (const char* name : {"lock + unlock, free", "notify, no waiters", "reader, counted", "reader, in a slot",
                             "writer, free", "acquire + release, free", "set + reset, no waiters", "post to a loop"}) {
        const Cost cost = futon::test::of_neighbours(operation(name), operation(name));
        EXPECT_TRUE(cost.lines.empty()) << name << "\n" << described(cost);
    }
}

TEST(CacheLines, WaitersWithinOnePartOfTheQueuesShareItsLockAndABucketsLine) {
    for (const char* name : {"wait + notify", "wait + notify within a loop", "wait of a task + notify",
                             "lock + unlock, contended", "wait + set"}) {
        const Cost cost = futon::test::of_neighbours(operation(name), operation(name));
        EXPECT_EQ(cost.lines.size(), 2U) << name << "\n" << described(cost);
    }
}

/// What a core pays that waits at many words, whose shards another core has used since: four transfers, and none for the words.
TEST(CacheLines, OfAShardComeInFourTransfers) {
    const Operation& within = operation("wait + notify within a loop");
    EXPECT_EQ(futon::test::of_neighbours(within, within).transfers, 4U);
    EXPECT_EQ(futon::test::of_unrelated_objects(within, within).transfers, 0U);
}

TEST(CacheLines, OfOneObjectAreItsOwnAlone) {
    const std::map<std::string, std::size_t> lines{
        {"lock + unlock, free", 1},     {"notify, no waiters", 0}, {"reader, counted", 1},
        {"reader, in a slot", 0},       {"writer, free", 1},       {"acquire + release, free", 1},
        {"set + reset, no waiters", 1}, {"post to a loop", 3}};
    for (const auto& [name, count] : lines) {
        const Cost cost = futon::test::of_one_object(operation(name));
        EXPECT_EQ(cost.lines.size(), count) << name << "\n" << described(cost);
    }
}

TEST(CacheLines, OfAFreeLockIsOneAndItComesOnce) {
    EXPECT_EQ(futon::test::of_one_object(operation("lock + unlock, free")).transfers, 1U);
    EXPECT_EQ(futon::test::of_one_object(operation("notify, no waiters")).transfers, 0U);
    EXPECT_EQ(futon::test::of_one_object(operation("reader, in a slot")).transfers, 0U);
}

TEST(CacheLines, AreNotMoreForAnOperationWhereMoreCoresUseOneObject) {
    for (const Operation& one : operations()) {
        if (one.cores != 1) continue;
        EXPECT_EQ(futon::test::of_one_object(one, 8).transfers, futon::test::of_one_object(one).transfers) << one.name;
    }
}

/// The cells of a line of a table.
std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    for (std::size_t begin = line.find("| "); begin != std::string::npos;) {
        const std::size_t end = line.find(" |", begin + 2);
        if (end == std::string::npos) break;
        cells.push_back(line.substr(begin + 2, end - begin - 2));
        begin = end + 1;
    }
    return cells;
}

/// Another compiler lays out the frames in which waiters lie, which may take a line more or less.
bool are_lines(std::size_t measured, const std::string& written) {
    const std::size_t said = std::stoul(written);
    return measured <= said + said / 4 && said <= measured + measured / 4;
}

/// With a single processor threads do not spin, and come to their lines in other steps.
bool are_transfers(std::size_t measured, const std::string& written) {
    const std::size_t said = std::stoul(written);
    return measured <= said + said / 2 && said <= measured + measured / 2;
}

TEST(CacheLines, AreThoseOfTheDocuments) {
    std::ifstream file(FUTON_PROTOCOL);
    std::map<std::string, std::vector<std::string>> rows;
    for (std::string line; std::getline(file, line);)
        if (const auto cells = cells_of(line); cells.size() == 5) rows[cells[0]] = cells;
    for (const Operation& one : operations()) {
        ASSERT_TRUE(rows.contains(one.name)) << one.name;
        const std::vector<std::string>& row = rows[one.name];
        const Cost cost = futon::test::of_one_object(one);
        EXPECT_TRUE(are_lines(cost.lines.size(), row[1])) << one.name << ": " << cost.lines.size() << "\n"
                                                          << described(cost);
        EXPECT_TRUE(are_transfers(cost.transfers, row[2])) << one.name << ": " << cost.transfers;
    }
}

}  // namespace
