// SPDX-License-Identifier: MIT
#include "connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "problem.hpp"
#include "process.hpp"

namespace futon::top {

namespace {

using diagnostics::detail::Descriptor;

constexpr std::size_t longest_answer = std::size_t{256} << 20;

/// A connection to that path; none if no server listens there.
Descriptor connected(const std::string& path, const Process& process) {
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path) return Descriptor();
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made) throw std::system_error(errno, std::generic_category(), "cannot make a socket");
    if (connect(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno == ENOENT || errno == ENOTDIR || errno == ECONNREFUSED) return Descriptor();
        if (errno == EAGAIN)
            throw Problem(Exit::not_serving,
                          "too many others wait for the process " + process.title() + ", which may be stopped");
        throw std::system_error(errno, std::generic_category(), "cannot connect to " + path);
    }
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(made.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid())
        throw Problem(Exit::of_another_user, "another user listens at " + path);
    return made;
}

}  // namespace

Connection::Connection(const Process& process) : process_(process) {
    for (const std::string& path : process.sockets()) {
        socket_ = connected(path, process);
        if (socket_) return;
    }
    throw Problem(Exit::not_serving, "the process " + process.title() +
                                         " does not offer its diagnostics: let it call futon::diagnostics::serve(), or "
                                         "link it with futon::diagnostics "
                                         "and start it with FUTON_DIAGNOSTICS_SERVE=1");
}

void Connection::ask() {
    constexpr std::string_view question = "snapshot\n";
    const ssize_t sent = send(number(), question.data(), question.size(), MSG_NOSIGNAL);
    if (sent < 0)
        is_closed_ = true;
    else
        is_pending_ = true;  // so few bytes are sent as a whole
}

std::optional<std::string> Connection::receive() {
    std::array<char, 65536> part{};
    for (;;) {
        const ssize_t count = recv(number(), part.data(), part.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
        if (count <= 0) {
            is_closed_ = true;
            return {};
        }
        const std::string_view come(part.data(), static_cast<std::size_t>(count));
        const std::size_t end = come.find('\n');
        if (end != std::string_view::npos) {
            std::string answer = received_.append(come.substr(0, end));
            received_ = come.substr(end + 1);
            is_pending_ = false;
            return answer;
        }
        if (received_.size() > longest_answer)
            throw Problem(Exit::broken_answer, "the answer of the process " + process_.title() + " does not end");
        received_ += come;
    }
}

std::string Connection::answer_within(std::chrono::milliseconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    for (;;) {
        if (std::optional<std::string> answer = receive()) return *std::move(answer);
        if (is_closed_) {
            if (process_.ends())
                throw Problem(Exit::no_process, "the process " + process_.title() + " has ended before its answer");
            throw Problem(Exit::broken_answer,
                          "the process " + process_.title() + " has closed the connection before its answer");
        }
        const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (rest.count() <= 0)
            throw Problem(Exit::not_serving,
                          "the process " + process_.title() + " does not answer: it may be stopped, or busy");
        pollfd polled{number(), POLLIN, 0};
        if (poll(&polled, 1, static_cast<int>(rest.count())) < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "poll");
    }
}

}  // namespace futon::top
