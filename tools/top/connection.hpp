// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "diagnostics/descriptor.hpp"

namespace futon::top {

class Process;

/// The connection to a program's diagnostics.
class Connection {
public:
    /// Throws  Problem if the process does not offer them
    explicit Connection(const Process& process);

    int number() const noexcept { return socket_.number(); }
    bool is_pending() const noexcept { return is_pending_; }
    bool is_closed() const noexcept { return is_closed_; }

    /// Asks for a snapshot. Blocks not; the answer is still to come.
    void ask();
    /// Takes what has come; returns the answer once it is whole. Blocks not.
    ///
    /// Throws  Problem if it is longer than any answer
    std::optional<std::string> receive();
    /// Blocks until the answer is whole.
    ///
    /// Throws  Problem if it does not come, and as `receive`
    std::string answer_within(std::chrono::milliseconds time);

private:
    const Process& process_;
    diagnostics::detail::Descriptor socket_;
    std::string received_;
    bool is_pending_ = false;
    bool is_closed_ = false;
};

}  // namespace futon::top
