// SPDX-License-Identifier: MIT
#include "protocol.hpp"

#include <charconv>

namespace kv {

namespace {

/// Takes the first word off a line.
std::string_view take_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

std::optional<Request> without_arguments(Verb verb, std::string_view rest) {
    if (!rest.empty()) return std::nullopt;
    return Request{verb, {}, {}, 0};
}

std::optional<Request> with_key(Verb verb, std::string_view rest) {
    Request request{verb, std::string(take_word(rest)), {}, 0};
    if (request.key.empty()) return std::nullopt;
    switch (verb) {
        case Verb::put:
            request.value = rest;  // may be empty, and may have blanks
            return request;
        case Verb::watch: {
            const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), request.version);
            if (error != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
            return request;
        }
        default:
            if (!rest.empty()) return std::nullopt;
            return request;
    }
}

}  // namespace

std::optional<Request> parse(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view verb = take_word(line);
    if (verb == "PING") return without_arguments(Verb::ping, line);
    if (verb == "GET") return with_key(Verb::get, line);
    if (verb == "PUT") return with_key(Verb::put, line);
    if (verb == "WATCH") return with_key(Verb::watch, line);
    if (verb == "SNAPSHOT") return without_arguments(Verb::snapshot, line);
    if (verb == "STATS") return without_arguments(Verb::stats, line);
    return std::nullopt;
}

std::string value_reply(std::uint32_t version, std::string_view value) {
    return "VALUE " + std::to_string(version) + ' ' + std::string(value) + '\n';
}

}  // namespace kv
