// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <futon/typed_array.hpp>

#include "support/gtest.hpp"

namespace {

using futon::Int32Array;
using futon::SharedArrayBuffer;
using futon::TypedArray;

static_assert(std::is_same_v<futon::Int8Array::value_type, std::int8_t>);
static_assert(std::is_same_v<futon::Uint8Array::value_type, std::uint8_t>);
static_assert(std::is_same_v<futon::Int16Array::value_type, std::int16_t>);
static_assert(std::is_same_v<futon::Uint16Array::value_type, std::uint16_t>);
static_assert(std::is_same_v<futon::Int32Array::value_type, std::int32_t>);
static_assert(std::is_same_v<futon::Uint32Array::value_type, std::uint32_t>);
static_assert(std::is_same_v<futon::BigInt64Array::value_type, std::int64_t>);
static_assert(std::is_same_v<futon::BigUint64Array::value_type, std::uint64_t>);

template <class T>
class TypedArrayOf : public testing::Test {};

using Kinds = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(TypedArrayOf, Kinds);

TYPED_TEST(TypedArrayOf, ExtendsToTheEndOfItsBuffer) {
    const TypedArray<TypeParam> array(SharedArrayBuffer(64));

    EXPECT_EQ(array.length(), 64 / sizeof(TypeParam));
    EXPECT_EQ(array.byte_length(), 64u);
    EXPECT_EQ(array.byte_offset(), 0u);
}

TYPED_TEST(TypedArrayOf, StartsAtItsOffset) {
    const SharedArrayBuffer buffer(64);

    const TypedArray<TypeParam> array(buffer, 16);

    EXPECT_EQ(array.byte_length(), 48u);
    EXPECT_EQ(static_cast<void*>(array[0].address()), buffer.data() + 16);
    EXPECT_EQ(static_cast<void*>(array[1].address()), buffer.data() + 16 + sizeof(TypeParam));
}

TYPED_TEST(TypedArrayOf, EndsAtItsLength) {
    const TypedArray<TypeParam> array(SharedArrayBuffer(64), 8, 2);

    EXPECT_EQ(array.length(), 2u);
    EXPECT_NO_THROW(array.at(1));
    EXPECT_THROW(array.at(2), std::out_of_range);
}

TYPED_TEST(TypedArrayOf, ThrowsForAMisalignedOffset) {
    const SharedArrayBuffer buffer(64);

    for (std::size_t offset = 0; offset < 16; ++offset) {
        if (offset % sizeof(TypeParam) == 0) {
            EXPECT_NO_THROW(TypedArray<TypeParam>(buffer, offset));
        } else {
            EXPECT_THROW(TypedArray<TypeParam>(buffer, offset), std::out_of_range);
            EXPECT_THROW(TypedArray<TypeParam>(buffer, offset, 1), std::out_of_range);
        }
    }
}

TYPED_TEST(TypedArrayOf, MayBeEmptyAtTheEndOfItsBuffer) {
    const TypedArray<TypeParam> array(SharedArrayBuffer(64), 64);

    EXPECT_EQ(array.length(), 0u);
    EXPECT_THROW(array.at(0), std::out_of_range);
}

TYPED_TEST(TypedArrayOf, ThrowsForARangeOutsideItsBuffer) {
    const SharedArrayBuffer buffer(64);
    constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();

    EXPECT_THROW(TypedArray<TypeParam>(buffer, 72), std::out_of_range);
    EXPECT_THROW(TypedArray<TypeParam>(buffer, 0, 64 / sizeof(TypeParam) + 1), std::out_of_range);
    EXPECT_THROW(TypedArray<TypeParam>(buffer, 64, 1), std::out_of_range);
    EXPECT_THROW(TypedArray<TypeParam>(buffer, 0, largest), std::out_of_range);
    EXPECT_THROW(TypedArray<TypeParam>(buffer, largest - 7, 1), std::out_of_range);
}

TEST(TypedArray, MessageForAnIndexOutsideNamesIndexAndLength) {
    const Int32Array array(SharedArrayBuffer(40));

    try {
        array.at(12345);
        FAIL() << "no exception";
    } catch (const std::out_of_range& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("12345"), std::string::npos) << message;
        EXPECT_NE(message.find("10"), std::string::npos) << message;
    }
}

TEST(TypedArray, MessageForAMisalignedOffsetNamesOffsetAndElementSize) {
    try {
        const Int32Array array(SharedArrayBuffer(40), 6);
        FAIL() << "no exception";
    } catch (const std::out_of_range& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("6"), std::string::npos) << message;
        EXPECT_NE(message.find("4"), std::string::npos) << message;
    }
}

TEST(TypedArray, MessageForARangeOutsideNamesOffsetAndLengths) {
    try {
        const Int32Array array(SharedArrayBuffer(40), 8, 9);
        FAIL() << "no exception";
    } catch (const std::out_of_range& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("9"), std::string::npos) << message;
        EXPECT_NE(message.find("8"), std::string::npos) << message;
        EXPECT_NE(message.find("40"), std::string::npos) << message;
    }
}

TEST(TypedArray, ExcludesTrailingBytesThatMakeNoElement) {
    const Int32Array array(SharedArrayBuffer(7));

    EXPECT_EQ(array.length(), 1u);
    EXPECT_EQ(array.byte_length(), 4u);
}

TEST(TypedArray, WithoutLengthTracksTheLengthOfItsBuffer) {
    SharedArrayBuffer buffer(8, 64);
    const Int32Array array(buffer, 4);
    EXPECT_EQ(array.length(), 1u);

    buffer.grow(64);

    EXPECT_EQ(array.length(), 15u);
    EXPECT_NO_THROW(array.at(14));
}

TEST(TypedArray, WithLengthDoesNotTrackTheLengthOfItsBuffer) {
    SharedArrayBuffer buffer(8, 64);
    const Int32Array array(buffer, 0, 2);

    buffer.grow(64);

    EXPECT_EQ(array.length(), 2u);
    EXPECT_THROW(array.at(2), std::out_of_range);
}

TEST(TypedArray, KeepsItsBufferAlive) {
    const Int32Array array{SharedArrayBuffer(8)};

    array[1].store(7);

    EXPECT_EQ(array.data()[1], 7);
    EXPECT_EQ(array.buffer().byte_length(), 8u);
}

}  // namespace
