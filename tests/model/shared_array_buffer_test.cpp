// SPDX-License-Identifier: MIT
#include <cstddef>
#include <stdexcept>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using futon::SharedArrayBuffer;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

TEST(ModelSharedArrayBuffer, AThreadThatSeesALengthMayUseTheBytes) {
    expect_holds("a buffer grows, a thread reads it", {}, [] {
        SharedArrayBuffer buffer(1, 3);
        spawn("grower", [&] { buffer.grow(3); });
        spawn("reader", [&] {
            const std::size_t length = buffer.byte_length();
            futon::explorer::point("reads the bytes", buffer.data(), futon::explorer::Access::read);
            for (std::size_t i = 0; i < length; ++i) check(buffer.data()[i] == std::byte{0}, "new bytes are zero");
        });
        futon::explorer::join();
    });
}

TEST(ModelSharedArrayBuffer, NeverShrinksWhenTwoGrowIt) {
    expect_holds("two threads grow a buffer", {}, [] {
        SharedArrayBuffer buffer(1, 3);
        for (const std::size_t length : {std::size_t{2}, std::size_t{3}})
            spawn(length == 2 ? "to two" : "to three", [&, length] {
                try {
                    buffer.grow(length);
                    check(buffer.byte_length() >= length, "it has the length to which it has grown");
                } catch (const std::length_error&) {
                    check(length == 2 && buffer.byte_length() == 3, "only what would shrink it is refused");
                }
            });
        futon::explorer::join();
        check(buffer.byte_length() == 3, "it has the greater length in the end");
    });
}

}  // namespace
