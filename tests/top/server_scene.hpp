// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "diagnostics/descriptor.hpp"

namespace futon::test {

/// A new folder of mode 0700, with a path that is short enough for sockets; removed with this object.
class PrivateFolder {
public:
    PrivateFolder() {
        if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
    }
    PrivateFolder(const PrivateFolder&) = delete;
    ~PrivateFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }

    const std::string& path() const noexcept { return path_; }
    std::string socket() const { return path_ + "/test.sock"; }

private:
    std::string path_ = "/tmp/futon-top-XXXXXX";
};

inline sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

/// A client of a server of diagnostics. Every call blocks; a server that does not answer hangs the test, which has a limit.
class SocketClient {
public:
    explicit SocketClient(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const sockaddr_un address = address_of(path);
        if (connect(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) error_ = errno;
    }

    /// Why it is not connected; 0 if it is.
    int error() const noexcept { return error_; }

    /// Returns whether the server took it all.
    bool send(std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::send(socket_.number(), text.data(), text.size(), MSG_NOSIGNAL);
            if (count < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }
    void send_no_more() { shutdown(socket_.number(), SHUT_WR); }

    /// The next line; none if the server has closed the connection.
    std::optional<std::string> receive() {
        std::size_t searched = 0, end = 0;
        while ((end = received_.find('\n', searched)) == std::string::npos) {
            searched = received_.size();
            if (!receive_part()) return {};
        }
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
    }
    /// Receives something more; returns whether there was any.
    bool receive_part() {
        std::array<char, 65536> part{};
        const ssize_t count = recv(socket_.number(), part.data(), part.size(), 0);
        if (count <= 0) return false;
        received_.append(part.data(), static_cast<std::size_t>(count));
        return true;
    }

    std::optional<std::string> ask() { return send("snapshot\n") ? receive() : std::nullopt; }

private:
    diagnostics::detail::Descriptor socket_;
    std::string received_;
    int error_ = 0;
};

inline mode_t mode_of(const std::string& path) {
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) return 0;
    return found.st_mode & 07777;
}

}  // namespace futon::test
