// SPDX-License-Identifier: MIT
#include "protocol.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "compression.hpp"

namespace {

TEST(Protocol, ParsesEachRequest) {
    EXPECT_EQ(kv::parse("PING")->verb, kv::Verb::ping);
    EXPECT_EQ(kv::parse("PING\r")->verb, kv::Verb::ping);
    EXPECT_EQ(kv::parse("GET a")->key, "a");
    const auto put = kv::parse("PUT a b c");
    EXPECT_EQ(put->key, "a");
    EXPECT_EQ(put->value, "b c");
    EXPECT_EQ(kv::parse("PUT a")->value, "");
    EXPECT_EQ(kv::parse("WATCH a 7")->version, 7u);
    EXPECT_EQ(kv::parse("SNAPSHOT")->verb, kv::Verb::snapshot);
    EXPECT_EQ(kv::parse("STATS")->verb, kv::Verb::stats);
}

TEST(Protocol, RefusesWhatIsNoRequest) {
    for (const char* line : {"", " ", "ping", "PING x", "GET", "GET ", "GET a b", "PUT", "PUT  b", "WATCH a",
                             "WATCH a -1", "WATCH a 1x", "WATCH a 4294967296", "SNAPSHOT 1", "QUIT"}) {
        EXPECT_FALSE(kv::parse(line)) << line;
    }
}

TEST(Compression, GivesTheLinesBack) {
    const kv::Lines lines{"", "key-1 value", "key-10 value", "key-10 value", "key", "1:2", ""};
    EXPECT_EQ(kv::decompress(kv::compress(lines)), lines);
    EXPECT_EQ(kv::compress({"key-1", "key-2"}), "0:key-1\n4:2\n");
    EXPECT_TRUE(kv::decompress("").empty());
}

TEST(Compression, RefusesWhatIsNotCompressed) {
    for (const char* text : {"0:a", "a\n", ":a\n", "1:a\n", "0\n", "-1:a\n", "99999999999999999999:a\n"}) {
        EXPECT_THROW(kv::decompress(text), std::invalid_argument) << text;
    }
}

}  // namespace
