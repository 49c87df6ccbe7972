// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The protocol: a request is a line, and so is its reply. Replies come in the order of the requests.
///
///     PING                    PONG
///     GET key                 VALUE version value, or NONE
///     PUT key value           OK version
///     WATCH key version       VALUE version value, once the key's version is another; 0 is that of a key without a value
///     SNAPSHOT                SNAPSHOT number bytes, once a new one is compressed
///     STATS                   STATS connections watches started finished
///
/// A request that is sent during a watch ends it: the watch is answered with ENDED. A server that stops answers CLOSING to
/// watches. What is no request is answered with ERROR and a reason.
namespace kv {

inline constexpr std::size_t longest_line = 4096;

enum class Verb { ping, get, put, watch, snapshot, stats };

struct Request {
    Verb verb = Verb::ping;
    std::string key;
    std::string value;
    std::uint32_t version = 0;
};

/// The request of a line without its end, or nothing if it is none. A carriage return at its end is passed over.
std::optional<Request> parse(std::string_view line);

std::string value_reply(std::uint32_t version, std::string_view value);

}  // namespace kv
