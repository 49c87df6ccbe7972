// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>

#include "diagnostics/descriptor.hpp"

namespace futon::diagnostics::detail {

/// A Unix socket that listens for processes of this process's user, and its file.
///
/// The file has mode 0600 and lies in a folder of mode 0700, so that other users cannot reach it. Those that can, as root, are
/// refused all the same.
class Listener {
public:
    /// Makes the folder if there is none. Replaces the socket of a server that has ended.
    ///
    /// Throws  `std::system_error`, with a sentence: `filename_too_long`; `permission_denied` for a folder of another user, one
    ///         that others may enter, or a symbolic link; `not_a_directory`; `address_in_use` if a server listens there;
    ///         `file_exists` if there is a file that is no socket; and what the system says
    explicit Listener(std::string path);
    Listener(const Listener&) = delete;
    ~Listener() { remove(); }

    const std::string& path() const noexcept { return path_; }
    int number() const noexcept { return socket_.number(); }

    /// The socket of the next client of this user; none if no client waits. `error` says why another one could not be taken.
    Descriptor accept(int& error) noexcept;

    /// Ends it, and removes the file unless it is another server's by now.
    void remove() noexcept;
    /// Ends it in the child of a fork: the file is the parent's.
    void close() noexcept { socket_.close(); }

private:
    std::string path_;
    Descriptor socket_;
    dev_t device_ = 0;
    ino_t file_ = 0;
};

}  // namespace futon::diagnostics::detail
