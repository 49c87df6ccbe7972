// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace futon::top {

/// A process of this user.
class Process {
public:
    /// Throws  Problem if there is none, or it is another user's
    explicit Process(pid_t number);

    pid_t number() const noexcept { return number_; }
    /// Its name and number, for sentences.
    const std::string& title() const noexcept { return title_; }

    /// Where it may offer its diagnostics: its runtime folder need not be this program's.
    std::vector<std::string> sockets() const;

    bool is_running() const;
    /// Waits for at most a second for its end, for a connection is closed a little before. Returns whether it has ended.
    bool ends() const;

private:
    pid_t number_;
    std::string title_;
};

}  // namespace futon::top
