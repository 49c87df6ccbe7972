// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using futon::SharedArrayBuffer;
using futon::TypedArray;

/// The integer kinds of typed arrays.
template <class T>
class TypedArrayAccess : public testing::Test {
protected:
    TypedArray<T> cells{SharedArrayBuffer(4 * sizeof(T))};
};

using Kinds = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(TypedArrayAccess, Kinds);

TYPED_TEST(TypedArrayAccess, LoadReturnsTheStoredValue) {
    this->cells[1].store(TypeParam{42});

    EXPECT_EQ(this->cells[1].load(), TypeParam{42});
}

TYPED_TEST(TypedArrayAccess, StoreChangesOneElementOnly) {
    this->cells[1].store(static_cast<TypeParam>(-1));

    EXPECT_EQ(this->cells[0].load(), TypeParam{0});
    EXPECT_EQ(this->cells[2].load(), TypeParam{0});
}

TYPED_TEST(TypedArrayAccess, ReadModifyWritesReturnTheOldValue) {
    const auto cell = this->cells[0];
    cell.store(TypeParam{12});

    EXPECT_EQ(cell.fetch_add(TypeParam{3}), TypeParam{12});
    EXPECT_EQ(cell.fetch_sub(TypeParam{5}), TypeParam{15});
    EXPECT_EQ(cell.fetch_and(TypeParam{6}), TypeParam{10});
    EXPECT_EQ(cell.fetch_or(TypeParam{5}), TypeParam{2});
    EXPECT_EQ(cell.fetch_xor(TypeParam{1}), TypeParam{7});
    EXPECT_EQ(cell.exchange(TypeParam{9}), TypeParam{6});
    EXPECT_EQ(cell.load(), TypeParam{9});
}

TYPED_TEST(TypedArrayAccess, FetchAddWrapsAroundAtTheMaximum) {
    using Limits = std::numeric_limits<TypeParam>;
    this->cells[0].store(Limits::max());

    this->cells[0].fetch_add(TypeParam{1});

    EXPECT_EQ(this->cells[0].load(), Limits::min());
}

TYPED_TEST(TypedArrayAccess, FetchSubWrapsAroundAtTheMinimum) {
    using Limits = std::numeric_limits<TypeParam>;
    this->cells[0].store(Limits::min());

    this->cells[0].fetch_sub(TypeParam{1});

    EXPECT_EQ(this->cells[0].load(), Limits::max());
}

TYPED_TEST(TypedArrayAccess, LoadKeepsTheSignOfSignedElements) {
    this->cells[0].fetch_sub(TypeParam{1});

    EXPECT_EQ(this->cells[0].load() < TypeParam{1}, std::is_signed_v<TypeParam>);
}

TYPED_TEST(TypedArrayAccess, CompareExchangeStoresWhenTheExpectedValueIsThere) {
    this->cells[0].store(TypeParam{1});

    const TypeParam seen = this->cells[0].compare_exchange(TypeParam{1}, TypeParam{2});

    EXPECT_EQ(seen, TypeParam{1});
    EXPECT_EQ(this->cells[0].load(), TypeParam{2});
}

TYPED_TEST(TypedArrayAccess, CompareExchangeOnlyReadsWhenAnotherValueIsThere) {
    this->cells[0].store(TypeParam{3});

    const TypeParam seen = this->cells[0].compare_exchange(TypeParam{1}, TypeParam{2});

    EXPECT_EQ(seen, TypeParam{3});
    EXPECT_EQ(this->cells[0].load(), TypeParam{3});
}

TYPED_TEST(TypedArrayAccess, ConcurrentFetchAddsLoseNoAddition) {
    constexpr int rounds = 5000;
    const auto cell = this->cells[0];

    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([cell] {
                for (int round = 0; round < rounds; ++round) cell.fetch_add(TypeParam{1});
            });
        }
    }

    EXPECT_EQ(cell.load(), static_cast<TypeParam>(2 * rounds));
}

}  // namespace
