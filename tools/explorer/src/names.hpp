// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace futon::explorer {

/// What the program calls the memory of a schedule. Looked up only when a failure is told, so a schedule that holds pays
/// for the notes alone.
class Names {
public:
    void clear() { names_.clear(); }

    /// `size` bytes from `begin` on have this name from the event of the number `since` on.
    void add(const void* begin, std::size_t size, std::string text, std::size_t since) {
        names_.push_back({static_cast<const char*>(begin), size, std::move(text), since});
    }

    /// The name that a place had at an event, with its distance from the beginning of what is named; empty if it had none.
    ///
    /// Of names that overlap it is the one given last: memory may be used again, for something else. What happened before
    /// the first name was given, as a constructor does, is of that name too.
    std::string text_of(const void* place, std::size_t event) const;

private:
    struct Name {
        const char* begin;
        std::size_t size;
        std::string text;
        std::size_t since;
    };

    std::vector<Name> names_;  // in the order in which they were given
};

}  // namespace futon::explorer
