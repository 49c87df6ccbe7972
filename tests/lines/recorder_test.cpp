// SPDX-License-Identifier: MIT
// The recorder sees what there is to see, and nothing else.
#include "recorder.hpp"

#include <array>
#include <atomic>
#include <cstdint>

#include "core.hpp"
#include "support/gtest.hpp"

namespace {

using futon::test::Core;
using futon::test::Recorder;

struct alignas(64) Block {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::array<std::byte, 48> rest{};
};

struct alignas(64) Scene {
    std::array<Block, 2> blocks;
    std::atomic<std::uint32_t> word = 0;
};

class RecorderTest : public testing::Test {
protected:
    RecorderTest() { Recorder::begin(); }

    static std::size_t shared() { return Recorder::shared(0b01, 0b10).size(); }

    std::array<Core, 2> cores{Core(0), Core(1)};
    Scene scene;
};

template <class T>
T volatile_read(const T& place) {
    return *const_cast<const volatile T*>(&place);
}

TEST_F(RecorderTest, AWriteAndAReadOfOneLineShareIt) {
    cores[0].run([this] { scene.blocks[0].first = 1; });
    EXPECT_EQ(shared(), 0U);
    cores[1].run([this] { static_cast<void>(volatile_read(scene.blocks[0].second)); });
    EXPECT_EQ(shared(), 1U);
    EXPECT_EQ(Recorder::transfers(), 1U);
}

TEST_F(RecorderTest, ReadsAloneShareNothing) {
    for (Core& core : cores) core.run([this] { static_cast<void>(volatile_read(scene.blocks[0].first)); });
    EXPECT_EQ(shared(), 0U);
}

TEST_F(RecorderTest, WritesOfTwoLinesShareNothing) {
    cores[0].run([this] { scene.blocks[0].first = 1; });
    cores[1].run([this] { scene.blocks[1].first = 1; });
    EXPECT_EQ(shared(), 0U);
    EXPECT_EQ(Recorder::transfers(), 0U);
}

TEST_F(RecorderTest, ACopyOfABlockWritesIt) {
    cores[0].run([this] { scene.blocks[0] = scene.blocks[1]; });
    cores[1].run([this] { static_cast<void>(volatile_read(scene.blocks[0].second)); });
    EXPECT_EQ(shared(), 1U);
}

TEST_F(RecorderTest, SeesAtomicChangesAlsoThoseThatFail) {
    cores[0].run([this] { scene.word.fetch_add(1, std::memory_order_relaxed); });
    cores[1].run([this] {
        std::uint32_t expected = 7;
        EXPECT_FALSE(scene.word.compare_exchange_strong(expected, 8));
        EXPECT_EQ(expected, 1U);
    });
    EXPECT_EQ(shared(), 1U);
    EXPECT_EQ(Recorder::transfers(), 1U);
    cores[0].run([this] { scene.word.store(3, std::memory_order_release); });
    cores[1].run([this] { EXPECT_EQ(scene.word.exchange(4), 3U); });
    EXPECT_EQ(Recorder::transfers(), 3U);
}

TEST_F(RecorderTest, ALineThatWasOnlyReadSinceIsStillThere) {
    cores[0].run([this] { scene.word.store(1); });
    for (int i = 0; i < 3; ++i)
        for (Core& core : cores) core.run([this] { EXPECT_EQ(scene.word.load(), 1U); });
    EXPECT_EQ(Recorder::transfers(), 1U);
    Recorder::count_anew();
    EXPECT_EQ(Recorder::transfers(), 0U);
    cores[1].run([this] { scene.word.store(2); });
    EXPECT_EQ(Recorder::transfers(), 1U);
    EXPECT_EQ(shared(), 0U);
}

TEST_F(RecorderTest, SeesNothingOfAThreadThatIsNoCore) {
    scene.word.store(1);
    cores[0].run([this] { EXPECT_EQ(scene.word.load(), 1U); });
    EXPECT_EQ(shared(), 0U);
    EXPECT_EQ(Recorder::transfers(), 0U);
}

}  // namespace
