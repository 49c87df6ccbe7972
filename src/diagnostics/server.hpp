// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace futon::diagnostics::detail {

/// Answers each line `snapshot` on a Unix socket, for processes of the same user, until it is stopped.
///
/// It has a thread of its own, with all signals blocked, which calls `snapshot` for one-line JSON. Any other line is answered
/// by `{"error": "..."}`. A client that is slow, silent or hostile holds up no other: of more than a few clients, the one that
/// has been silent for longest is dismissed.
///
/// The child of a fork has no server: it holds no descriptor of it, and leaves the socket's file to the parent.
class Server {
public:
    /// The clients that are served at a time.
    static constexpr int most_clients = 8;

    /// Throws  as `Listener`, and `std::system_error` if there can be no thread
    Server(std::string path, std::function<std::string()> snapshot);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// Ends the thread and removes the socket. Waits for a `snapshot` that runs; not to be called from it.
    void stop() noexcept;

    const std::string& path() const noexcept { return path_; }

private:
    class Serving;

    std::string path_;
    std::unique_ptr<Serving> serving_;
};

}  // namespace futon::diagnostics::detail
