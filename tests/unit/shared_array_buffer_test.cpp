// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <futon/shared_array_buffer.hpp>

#include "support/gtest.hpp"
#include "support/platform.hpp"

namespace {

using futon::SharedArrayBuffer;

constexpr std::size_t impossible = std::numeric_limits<std::size_t>::max();

bool is_zero(const std::byte* bytes, std::size_t length) {
    return std::all_of(bytes, bytes + length, [](std::byte byte) { return byte == std::byte{0}; });
}

template <class Error, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "no exception";
}

TEST(SharedArrayBuffer, IsZeroed) {
    const SharedArrayBuffer buffer(100'000);

    EXPECT_TRUE(is_zero(buffer.data(), 100'000));
}

TEST(SharedArrayBuffer, IsAlignedTo64) {
    for (const std::size_t length : {0u, 1u, 63u, 4097u})
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(SharedArrayBuffer(length).data()) % 64, 0u);
}

TEST(SharedArrayBuffer, OfFixedLengthHasItsLengthAsMaximum) {
    const SharedArrayBuffer buffer(12);

    EXPECT_EQ(buffer.byte_length(), 12u);
    EXPECT_EQ(buffer.max_byte_length(), 12u);
    EXPECT_FALSE(buffer.growable());
}

TEST(SharedArrayBuffer, IsGrowableWithAMaximum) {
    const SharedArrayBuffer buffer(12, 12);

    EXPECT_TRUE(buffer.growable());
    EXPECT_EQ(buffer.byte_length(), 12u);
    EXPECT_EQ(buffer.max_byte_length(), 12u);
}

TEST(SharedArrayBuffer, MayBeEmpty) {
    const SharedArrayBuffer buffer(0);

    EXPECT_EQ(buffer.byte_length(), 0u);
}

TEST(SharedArrayBuffer, GrowsFromZeroLength) {
    SharedArrayBuffer buffer(0, 8192);

    buffer.grow(8192);

    EXPECT_TRUE(is_zero(buffer.data(), 8192));
}

TEST(SharedArrayBuffer, CopiesShareTheSameBytes) {
    const SharedArrayBuffer buffer(8);
    const SharedArrayBuffer copy = buffer;

    copy.data()[3] = std::byte{7};

    EXPECT_EQ(buffer.data()[3], std::byte{7});
    EXPECT_EQ(buffer, copy);
    EXPECT_NE(buffer, SharedArrayBuffer(8));
}

TEST(SharedArrayBuffer, LivesAsLongAsItsLastHandle) {
    std::vector<SharedArrayBuffer> handles(1, SharedArrayBuffer(8));
    handles[0].data()[0] = std::byte{7};
    const SharedArrayBuffer last = handles[0];

    handles.clear();

    EXPECT_EQ(last.data()[0], std::byte{7});
}

TEST(SharedArrayBuffer, GrowsInPlace) {
    SharedArrayBuffer buffer(10, 1 << 20);
    const SharedArrayBuffer other = buffer;
    const std::byte* before = buffer.data();
    buffer.data()[9] = std::byte{7};

    buffer.grow(1 << 20);

    EXPECT_EQ(buffer.data(), before);
    EXPECT_EQ(buffer.data()[9], std::byte{7});
    EXPECT_EQ(other.byte_length(), std::size_t{1} << 20);
}

TEST(SharedArrayBuffer, GrowAddsZeros) {
    SharedArrayBuffer buffer(10, 100'000);

    for (const std::size_t length : {11u, 5000u, 100'000u}) {
        buffer.grow(length);
        EXPECT_TRUE(is_zero(buffer.data(), length));
    }
}

TEST(SharedArrayBuffer, GrowAcceptsItsPresentLength) {
    SharedArrayBuffer buffer(10, 20);

    EXPECT_NO_THROW(buffer.grow(10));

    EXPECT_EQ(buffer.byte_length(), 10u);
}

TEST(SharedArrayBuffer, ConstructorThrowsForALengthBeyondTheMaximum) {
    const std::string message = message_of<std::length_error>([] { SharedArrayBuffer(21, 20); });

    EXPECT_NE(message.find("21"), std::string::npos) << message;
    EXPECT_NE(message.find("20"), std::string::npos) << message;
}

TEST(SharedArrayBuffer, GrowThrowsBeyondTheMaximum) {
    SharedArrayBuffer buffer(10, 20);

    const std::string message = message_of<std::length_error>([&] { buffer.grow(21); });

    EXPECT_NE(message.find("21"), std::string::npos) << message;
    EXPECT_NE(message.find("20"), std::string::npos) << message;
    EXPECT_EQ(buffer.byte_length(), 10u);
}

TEST(SharedArrayBuffer, GrowThrowsForAShorterLength) {
    SharedArrayBuffer buffer(10, 20);

    const std::string message = message_of<std::length_error>([&] { buffer.grow(9); });

    EXPECT_NE(message.find("10"), std::string::npos) << message;
    EXPECT_NE(message.find("9"), std::string::npos) << message;
    EXPECT_EQ(buffer.byte_length(), 10u);
}

TEST(SharedArrayBuffer, OfFixedLengthGrowThrows) {
    SharedArrayBuffer buffer(10);

    EXPECT_THROW(buffer.grow(10), std::length_error);
    EXPECT_THROW(buffer.grow(11), std::length_error);
}

TEST(SharedArrayBuffer, ConstructorThrowsBadAllocForAnImpossibleLength) {
    if (!futon::test::has_descriptors && !futon::test::allocation_can_fail)
        GTEST_SKIP() << "a sanitizer would end the program";

    for (const std::size_t length : {impossible, impossible - 1, impossible - 4096, impossible / 2, impossible / 4}) {
        if (sizeof(void*) == 4 && length <= impossible / 2) continue;  // so much of 32 bits can be had
        EXPECT_THROW(SharedArrayBuffer(length, length), std::bad_alloc) << length;
        EXPECT_THROW(SharedArrayBuffer{length}, std::bad_alloc) << length;
        EXPECT_THROW(SharedArrayBuffer(0, length), std::bad_alloc) << length;
    }
}

TEST(SharedArrayBuffer, ConcurrentGrowsReachTheLongestLength) {
    constexpr std::size_t longest = 200'000;
    SharedArrayBuffer buffer(0, longest);
    std::atomic<int> too_late{0};
    std::atomic<bool> shrank{false};

    {
        std::vector<std::jthread> threads;
        for (std::size_t offset = 0; offset < 4; ++offset) {
            threads.emplace_back([&, offset] {
                std::size_t seen = 0;
                for (std::size_t length = offset * 100; length <= longest; length += 400) {
                    try {
                        buffer.grow(length);
                        if (length > 0) buffer.data()[length - 1] = std::byte{0};
                    } catch (const std::length_error&) {
                        ++too_late;
                    }
                    const std::size_t now = buffer.byte_length();
                    if (now < seen) shrank = true;
                    seen = now;
                }
            });
        }
    }

    EXPECT_EQ(buffer.byte_length(), longest);
    EXPECT_FALSE(shrank.load());
}

TEST(SharedArrayBuffer, SliceCopiesItsBytes) {
    const SharedArrayBuffer buffer(8);
    for (std::size_t i = 0; i < 8; ++i) buffer.data()[i] = static_cast<std::byte>(i);

    const SharedArrayBuffer slice = buffer.slice(2, 5);
    buffer.data()[2] = std::byte{99};

    EXPECT_EQ(slice.byte_length(), 3u);
    EXPECT_FALSE(slice.growable());
    EXPECT_EQ(slice.data()[0], std::byte{2});
    EXPECT_EQ(slice.data()[2], std::byte{4});
}

TEST(SharedArrayBuffer, SliceEndsAtTheEndByDefault) {
    const SharedArrayBuffer buffer(8);

    EXPECT_EQ(buffer.slice(3).byte_length(), 5u);
    EXPECT_EQ(buffer.slice().byte_length(), 8u);
    EXPECT_EQ(buffer.slice(8).byte_length(), 0u);
}

TEST(SharedArrayBuffer, SliceThrowsOutsideOfTheBuffer) {
    const SharedArrayBuffer buffer(8);

    const std::string message = message_of<std::out_of_range>([&] { buffer.slice(4, 9); });

    EXPECT_NE(message.find("4"), std::string::npos) << message;
    EXPECT_NE(message.find("9"), std::string::npos) << message;
    EXPECT_THROW(buffer.slice(5, 4), std::out_of_range);
    EXPECT_THROW(buffer.slice(9), std::out_of_range);
}

}  // namespace
