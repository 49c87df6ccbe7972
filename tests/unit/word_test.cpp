// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <futon/word.hpp>

#include "support/gtest.hpp"

namespace {

using futon::WaitInteger;
using futon::WaitValue;
using futon::Word;

enum class Phase : std::uint8_t { begin, end };

struct alignas(4) Pair {
    std::int16_t first;
    std::int16_t second;

    friend bool operator==(const Pair&, const Pair&) = default;
};

struct Padded {
    std::int8_t first;
    std::int16_t second;
};

struct alignas(16) SixteenBytes {
    std::int64_t parts[2];
};

static_assert(WaitValue<std::int8_t> && WaitValue<std::uint16_t> && WaitValue<int> && WaitValue<std::uint64_t>);
static_assert(WaitValue<bool> && WaitValue<Phase> && WaitValue<int*> && WaitValue<Pair> && WaitValue<std::byte>);
static_assert(!WaitValue<float> && !WaitValue<double> && !WaitValue<Padded> && !WaitValue<SixteenBytes>);
static_assert(!WaitValue<const int> && !WaitValue<int&> && !WaitValue<void> && !WaitValue<volatile int>);
static_assert(WaitInteger<char> && !WaitInteger<bool> && !WaitInteger<Phase> && !WaitInteger<int*>);
static_assert(sizeof(Word<std::int64_t>) == sizeof(void*) && std::is_trivially_copyable_v<Word<std::int8_t>>);

TEST(Word, ViewsAPlainCell) {
    int cell = 1;
    const Word word(cell);

    word.store(2);

    EXPECT_EQ(cell, 2);
    EXPECT_EQ(word.load(), 2);
    EXPECT_EQ(word.address(), &cell);
}

TEST(Word, ViewsAnAtomic) {
    std::atomic<int> cell{1};
    const Word<int> word(cell);

    word.store(2);

    EXPECT_EQ(cell.load(), 2);
    EXPECT_EQ(static_cast<void*>(word.address()), static_cast<void*>(&cell));
}

TEST(Word, CopiesViewTheSameCell) {
    int cell = 0;
    const Word word(cell);
    const Word copy = word;

    copy.store(7);

    EXPECT_EQ(word.load(), 7);
}

// Whatever the value's type, and whether it is a variable.
TEST(Word, AnAssignmentStores) {
    enum Plain { plain = 5 };
    std::int32_t cell = 0;
    const Word<std::int32_t> word(cell);
    std::int32_t variable = 1;
    const std::int32_t constant = 2;
    std::int16_t narrow = 3;
    const std::uint8_t byte = 4;

    word = variable;
    EXPECT_EQ(cell, 1);
    word = constant;
    EXPECT_EQ(cell, 2);
    word = narrow;
    EXPECT_EQ(cell, 3);
    word = byte;
    EXPECT_EQ(cell, 4);
    word = plain;
    EXPECT_EQ(cell, 5);
    word = 6;
    EXPECT_EQ(cell, 6);
    EXPECT_EQ((word = variable), 1);

    std::int64_t wide = 0;
    Word<std::int64_t> other(wide);
    other = variable;
    EXPECT_EQ(wide, 1);
    Phase phase = Phase::end;
    auto held = Phase::begin;
    const Word<Phase> phases(held);
    phases = phase;
    EXPECT_EQ(held, Phase::end);
}

TEST(Word, ExchangeReturnsTheOldValue) {
    int cell = 1;

    EXPECT_EQ(Word(cell).exchange(2), 1);

    EXPECT_EQ(cell, 2);
}

TEST(Word, CompareExchangeStoresWhenTheExpectedValueIsThere) {
    int cell = 1;

    EXPECT_EQ(Word(cell).compare_exchange(1, 2), 1);

    EXPECT_EQ(cell, 2);
}

TEST(Word, CompareExchangeReturnsTheValueThatIsThere) {
    int cell = 3;

    EXPECT_EQ(Word(cell).compare_exchange(1, 2), 3);

    EXPECT_EQ(cell, 3);
}

template <class T>
class WordOf : public testing::Test {};

using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(WordOf, Integers);

TYPED_TEST(WordOf, ReadModifyWritesReturnTheOldValue) {
    alignas(8) TypeParam cell = 12;
    const Word word(cell);

    EXPECT_EQ(word.fetch_add(TypeParam{3}), TypeParam{12});
    EXPECT_EQ(word.fetch_sub(TypeParam{5}), TypeParam{15});
    EXPECT_EQ(word.fetch_and(TypeParam{6}), TypeParam{10});
    EXPECT_EQ(word.fetch_or(TypeParam{5}), TypeParam{2});
    EXPECT_EQ(word.fetch_xor(TypeParam{1}), TypeParam{7});
    EXPECT_EQ(cell, TypeParam{6});
}

TYPED_TEST(WordOf, FetchAddAndFetchSubWrapAround) {
    using Limits = std::numeric_limits<TypeParam>;
    alignas(8) TypeParam cell = Limits::max();

    Word(cell).fetch_add(TypeParam{1});
    const TypeParam wrapped = cell;
    Word(cell).fetch_sub(TypeParam{1});

    EXPECT_EQ(wrapped, Limits::min());
    EXPECT_EQ(cell, Limits::max());
}

TYPED_TEST(WordOf, ChangesNoNeighbour) {
    alignas(8) TypeParam cells[3] = {1, 1, 1};

    Word(cells[1]).store(static_cast<TypeParam>(-1));
    Word(cells[1]).fetch_add(TypeParam{5});

    EXPECT_EQ(cells[0], TypeParam{1});
    EXPECT_EQ(cells[2], TypeParam{1});
}

TYPED_TEST(WordOf, EqualsHoldsForItsValueOnly) {
    alignas(8) TypeParam cell = std::numeric_limits<TypeParam>::min();
    const Word word(cell);

    EXPECT_TRUE(word.equals(std::numeric_limits<TypeParam>::min()).must_wait());
    EXPECT_FALSE(word.equals(std::numeric_limits<TypeParam>::max()).must_wait());
}

TEST(Word, HoldsABool) {
    bool cell = false;
    const Word word(cell);

    EXPECT_FALSE(word.exchange(true));

    EXPECT_TRUE(word.equals(true).must_wait());
}

TEST(Word, HoldsAnEnumeration) {
    Phase cell = Phase::begin;
    const Word word(cell);

    EXPECT_EQ(word.compare_exchange(Phase::begin, Phase::end), Phase::begin);

    EXPECT_TRUE(word.equals(Phase::end).must_wait());
}

TEST(Word, HoldsAPointer) {
    int target = 0;
    int* cell = nullptr;
    const Word word(cell);

    word.store(&target);

    EXPECT_EQ(word.load(), &target);
    EXPECT_TRUE(word.equals(&target).must_wait());
    EXPECT_FALSE(word.equals(nullptr).must_wait());
}

TEST(Word, HoldsASmallStruct) {
    Pair cell{1, 2};
    const Word word(cell);

    EXPECT_EQ(word.compare_exchange({1, 2}, {3, 4}), (Pair{1, 2}));

    EXPECT_TRUE(word.equals({3, 4}).must_wait());
    EXPECT_FALSE(word.equals({3, 5}).must_wait());
}

TEST(Word, CheckUsesItsAddressAsTheKey) {
    int cell = 0;

    EXPECT_EQ(Word(cell).equals(0).address, &cell);
}

}  // namespace
