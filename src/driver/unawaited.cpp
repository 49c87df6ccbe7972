// SPDX-License-Identifier: MIT
#include <futon/detail/driver/unawaited.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>

#include <futon/agent.hpp>
#include <futon/detail/atomic.hpp>

namespace futon::detail {

namespace {

/// A number that stands for a name, for the name itself goes away with an unloaded plugin. Never zero.
std::uint32_t hash_of(const char* name) noexcept {
    std::uint32_t hash = 2166136261;  // FNV-1a
    for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 16777619;
    return hash | 1;
}

/// Whether this is reported for the first time. Once the room for kinds of mistakes is full, no further kind is
/// reported.
bool is_new(const char* name) noexcept {
    static std::array<Atomic<std::uint32_t>, 64> said{};
    const std::uint32_t hash = hash_of(name);
    for (Atomic<std::uint32_t>& place : said) {
        std::uint32_t seen = 0;
        if (place.compare_exchange_strong(seen, hash)) return true;
        if (seen == hash) return false;
    }
    return false;
}

}  // namespace

void report_unawaited(const char* operation) noexcept {
    const Agent& agent = Agent::current();
    if (std::uncaught_exceptions() != 0 || agent.is_ending_ || agent.is_closed_ || !is_new(operation)) return;
    std::fprintf(stderr, "futon: an awaitable of %s was never awaited, so nothing has begun: write co_await\n",
                 operation);
}

}  // namespace futon::detail
