// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "view.hpp"

namespace futon::top {

/// The terminal of the standard input and output, which is as before once this object ends.
class Screen {
public:
    /// Throws  Problem if there is no terminal, or one of an unknown kind
    Screen();
    Screen(const Screen&) = delete;
    ~Screen();

    int columns() const noexcept;
    int lines() const noexcept;

    /// Takes the terminal's size anew.
    void resize() noexcept;
    void show(const std::vector<Line>& lines) noexcept;
    /// The next key that was pressed; none if none was.
    std::optional<Press> press();

private:
    void* terminal_;
};

}  // namespace futon::top
