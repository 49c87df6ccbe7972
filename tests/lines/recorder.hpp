// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Sees each load and store of the code that is compiled with `-fsanitize=thread`, atomic or plain, and counts the cache lines that
/// cores pass to and fro. The compiler puts a call before each access; in place of the sanitizer's functions these are linked.
///
/// Of the C library and the kernel it sees nothing.
namespace futon::test {

inline constexpr int max_cores = 8;
inline constexpr std::size_t line_size = 64;

/// Cores as a set: a bit for each.
using Cores = std::uint8_t;

/// A line, and which cores have read and written it since `count_anew`.
struct Line {
    std::uintptr_t address;
    Cores readers;
    Cores writers;
    std::array<const void*, max_cores> where;  // each core's first access in the code: a write, where it has written

    /// Where each core has accessed it, for a report.
    std::string describe() const;
};

class Recorder {
public:
    /// Forgets all lines: no core has any.
    static void begin() noexcept;

    /// Counts from here on. Which core has which lines stays.
    static void count_anew() noexcept;

    /// How often a core needed a line, since `count_anew`, that another core had to give up or to pass on. Caches are taken for
    /// large: a line that no other core has written is still there.
    static std::size_t transfers() noexcept;

    /// The lines that a core of one set has written, and one of the other has read or written, since `count_anew`.
    static std::vector<Line> shared(Cores one, Cores other);
};

/// While one lives, what its thread does counts as done by this core.
class OnCore {
public:
    explicit OnCore(int core) noexcept;
    ~OnCore();
    OnCore(const OnCore&) = delete;
    OnCore& operator=(const OnCore&) = delete;
};

}  // namespace futon::test
