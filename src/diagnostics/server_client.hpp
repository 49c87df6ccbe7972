// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "diagnostics/descriptor.hpp"

namespace futon::diagnostics::detail {

/// One-line JSON that says what is wrong.
std::string error_line(std::string_view sentence);

/// A client of a server: its lines are read, and each is answered by one line.
///
/// It costs at most a short line and one answer, whatever it sends: while it does not read an answer, nothing is read from it.
class ServerClient {
public:
    explicit ServerClient(Descriptor socket) noexcept : socket_(std::move(socket)) {}

    int number() const noexcept { return socket_.number(); }
    void close() noexcept { socket_.close(); }

    /// What `poll` is to wait for.
    short events() const noexcept;
    /// Whether a whole line is here, and can be answered without waiting for the client.
    bool has_line() const noexcept { return out_.empty() && in_.find('\n') != std::string::npos; }

    /// Goes on as far as is possible without waiting, for at most one answer. Returns whether the client stays.
    ///
    /// Throws  nothing that `snapshot` does; `std::bad_alloc`
    bool go_on(const std::function<std::string()>& snapshot);

    /// Tells it why it must go, if it reads.
    void dismiss(std::string_view sentence);

    /// When it was last heard, in the order of all that is heard.
    std::size_t heard = 0;

private:
    enum class Sent { all, part, broken };

    Sent send_rest() noexcept;
    bool receive();

    Descriptor socket_;
    std::string in_, out_;
    std::size_t sent_ = 0;
    bool has_ended_ = false;  // it sends nothing more
    bool is_last_ = false;    // what is sent is the last answer
};

}  // namespace futon::diagnostics::detail
