// SPDX-License-Identifier: MIT
// Which frames stand for a place.
#include <cstddef>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "diagnostics/registry.hpp"

namespace {

struct Caller {};

}  // namespace

/// A function of the program, of which the name begins as those of the standard library do.
template <>
struct std::hash<Caller> {
    std::size_t operator()(const Caller&) const;
};

namespace {

using futon::EventLoop;
using futon::diagnostics::detail::Place;
using futon::diagnostics::detail::stack_text_of;
using futon::diagnostics::detail::take_place;
using futon::diagnostics::detail::text_of;

/// A frame of the program's, however much the compiler inlines.
[[gnu::noinline]] void take(Place& place, int skipped) {
    take_place(place, skipped);
    asm volatile("");  // else this may not return here
}

Place place_in_hash;
constexpr int line_in_hash = __LINE__ + 5;

}  // namespace

[[gnu::noinline]] std::size_t std::hash<Caller>::operator()(const Caller&) const {
    take(place_in_hash, 1);
    asm volatile("");
    return 0;
}

namespace {

TEST(Places, AreNoneOfTheLibrarysHeaders) {
    EventLoop loop;
    Place caller, own;
    loop.post([&] {
        take(own, 0);
        take(caller, 1);
    });
    loop.run();

    EXPECT_EQ(text_of(caller).find("place_test.cpp:"), 0U) << text_of(caller);
    EXPECT_EQ(stack_text_of(own).find("loop_base.hpp"), std::string::npos) << stack_text_of(own);
}

/// The compiler may also inline a function of the program into one of the standard library, which keeps its name.
TEST(Places, AreWhereTheFileSays) {
    static_cast<void>(std::hash<Caller>()(Caller()));

    const std::string position = "place_test.cpp:" + std::to_string(line_in_hash);
    EXPECT_EQ(text_of(place_in_hash), position);
}

TEST(Places, AreNotWhereAThreadBegins) {
    Place place;
    std::jthread([&] { take(place, 1); }).join();

    const std::string text = text_of(place);
    EXPECT_EQ(text.find("invoke.h"), std::string::npos) << text;
    EXPECT_EQ(text.find("pthread_create.c"), std::string::npos) << text;
}

}  // namespace
