// SPDX-License-Identifier: MIT
#include "text.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "scene.hpp"

namespace {

using futon::top::Align;
using futon::top::duration;
using futon::top::fit;
using futon::top::number;

TEST(TopText, ADurationHasTheUnitThatReadsBest) {
    EXPECT_EQ(duration(0), "0ns");
    EXPECT_EQ(duration(-5), "0ns");
    EXPECT_EQ(duration(999), "999ns");
    EXPECT_EQ(duration(1000), "1.0us");
    EXPECT_EQ(duration(9'949), "9.9us");
    EXPECT_EQ(duration(9'960), "10us");
    EXPECT_EQ(duration(999'499), "999us");
    EXPECT_EQ(duration(999'500), "1.0ms");
    EXPECT_EQ(duration(1'500'000'000), "1.5s");
    EXPECT_EQ(duration(59'900'000'000), "60s");
    EXPECT_EQ(duration(60'000'000'000), "1min");
    EXPECT_EQ(duration(3'600'000'000'000), "1h");
    EXPECT_EQ(duration(50 * 3'600'000'000'000), "2d");
}

TEST(TopText, ADurationHasAtMostFiveCharactersForYears) {
    for (std::int64_t time = 1; time < std::numeric_limits<std::int64_t>::max() / 3; time += time / 7 + 1)
        EXPECT_LE(duration(time).size(), 6u) << time;
    for (std::int64_t time = 1; time < std::int64_t{9999} * 86400 * futon::top::test::second; time += time / 7 + 1)
        EXPECT_LE(duration(time).size(), 5u) << time;
}

TEST(TopText, ANumberIsShort) {
    EXPECT_EQ(number({}), "-");
    EXPECT_EQ(number(0), "0");
    EXPECT_EQ(number(0.25), "0.2");
    EXPECT_EQ(number(3), "3");
    EXPECT_EQ(number(12.4), "12");
    EXPECT_EQ(number(999.6), "1.0k");
    EXPECT_EQ(number(1234567), "1.2M");
}

TEST(TopText, WhatDoesNotFitIsMarked) {
    EXPECT_EQ(fit("accounts", 8), "accounts");
    EXPECT_EQ(fit("accounts", 7), "accoun~");
    EXPECT_EQ(fit("a", 3), "a  ");
    EXPECT_EQ(fit("a", 3, Align::right), "  a");
    EXPECT_EQ(fit("accounts", 0), "");
}

TEST(TopText, WhatATerminalWouldObeyIsNotSent) {
    EXPECT_EQ(futon::top::shown("a\x1b[2Jb\n\tc\x7f"), "a?[2Jb??c?");
    EXPECT_EQ(futon::top::shown(std::string_view("a\0b", 3)), "a?b");
}

TEST(TopText, LettersOfTwoColumnsAreCountedAsTwo) {
    const futon::top::test::Utf8 utf8;
    EXPECT_EQ(futon::top::width("口座"), 4);
    EXPECT_EQ(fit("口座", 3), "口~");
    EXPECT_EQ(fit("口座", 2), "~ ");
    EXPECT_EQ(fit("Käse", 5), "Käse ");
    EXPECT_EQ(futon::top::shown("K\xC3"), "K?");
}

TEST(TopText, WithoutALocaleALetterIsAQuestionMark) {
    EXPECT_EQ(fit("K\xC3\xA4se", 6), "K??se ");
}

TEST(TopText, LinesAreDividedBetweenWords) {
    EXPECT_EQ(futon::top::wrapped("held by t1 for ever", 12), (std::vector<std::string>{"held by t1", "  for ever"}));
    EXPECT_EQ(futon::top::wrapped("held by_a_long_name ever", 8),
              (std::vector<std::string>{"held", "  by_a_~", "  ever"}));
    EXPECT_EQ(futon::top::wrapped("", 8), (std::vector<std::string>{""}));
}

}  // namespace
