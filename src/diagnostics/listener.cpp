// SPDX-License-Identifier: MIT
#include "diagnostics/listener.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

namespace futon::diagnostics::detail {

namespace {

constexpr const char* caller = "futon::diagnostics::serve: ";
constexpr int few = 8;  // clients that wait to be accepted

[[noreturn]] void fail(std::errc code, const std::string& sentence) {
    throw std::system_error(std::make_error_code(code), caller + sentence);
}

[[noreturn]] void fail_with_errno(const std::string& sentence) {
    throw std::system_error(errno, std::generic_category(), caller + sentence);
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    if (path.size() >= sizeof address.sun_path)
        fail(std::errc::filename_too_long, "the path of the socket has " + std::to_string(path.size()) +
                                               " bytes, and may have " + std::to_string(sizeof address.sun_path - 1) +
                                               ": " + path);
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

const sockaddr* generic(const sockaddr_un& address) noexcept {
    return reinterpret_cast<const sockaddr*>(&address);
}

/// Only this user may have made what is in the folder, and may replace it.
void require_private(const std::string& folder) {
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) fail_with_errno("cannot make the folder " + folder);
    struct stat found {};
    if (lstat(folder.c_str(), &found) != 0) fail_with_errno("cannot look at the folder " + folder);
    if (S_ISLNK(found.st_mode))
        fail(std::errc::permission_denied, folder + " is a symbolic link, and must be a folder");
    if (!S_ISDIR(found.st_mode)) fail(std::errc::not_a_directory, folder + " is not a folder");
    if (found.st_uid != geteuid())
        fail(std::errc::permission_denied,
             "the folder " + folder + " belongs to another user, with the number " + std::to_string(found.st_uid));
    if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        fail(std::errc::permission_denied, "other users may enter the folder " + folder + ": give it the mode 0700");
}

Descriptor new_socket() {
    Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!made) fail_with_errno("cannot make a socket");
    return made;
}

/// Removes the socket of a server that has ended. Throws if the file is anything else.
void remove_stale(const std::string& path, const sockaddr_un& address) {
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) {
        if (errno == ENOENT) return;
        fail_with_errno("cannot look at " + path);
    }
    if (!S_ISSOCK(found.st_mode)) fail(std::errc::file_exists, path + " is there already, and is not a socket");
    const Descriptor probe = new_socket();
    if (connect(probe.number(), generic(address), sizeof address) == 0 || errno == EAGAIN)
        fail(std::errc::address_in_use, "another server listens at " + path);
    if (errno != ECONNREFUSED) fail_with_errno("cannot find out whether a server listens at " + path);
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
        fail_with_errno("cannot remove the socket of a server that has ended, " + path);
}

/// The user that a client ran as when it connected.
std::optional<uid_t> peer_user(int socket) noexcept {
#ifdef __linux__
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
    return peer.uid;
#else
    uid_t user = 0;
    gid_t group = 0;
    if (getpeereid(socket, &user, &group) != 0) return {};
    return user;
#endif
}

}  // namespace

Listener::Listener(std::string path) : path_(std::move(path)) {
    const sockaddr_un address = address_of(path_);
    const std::size_t slash = path_.rfind('/');
    if (slash == std::string::npos)
        fail(std::errc::invalid_argument, "the path of the socket is not absolute: " + path_);
    require_private(slash == 0 ? "/" : path_.substr(0, slash));
    socket_ = new_socket();
    if (bind(number(), generic(address), sizeof address) != 0) {
        if (errno != EADDRINUSE) fail_with_errno("cannot make the socket " + path_);
        remove_stale(path_, address);
        if (bind(number(), generic(address), sizeof address) != 0) fail_with_errno("cannot make the socket " + path_);
    }
    struct stat made {};
    if (chmod(path_.c_str(), S_IRUSR | S_IWUSR) != 0 || lstat(path_.c_str(), &made) != 0 ||
        listen(number(), few) != 0) {
        const int error = std::exchange(errno, 0);
        unlink(path_.c_str());
        errno = error;
        fail_with_errno("cannot listen at " + path_);
    }
    device_ = made.st_dev;
    file_ = made.st_ino;
}

Descriptor Listener::accept(int& error) noexcept {
    error = 0;
    for (;;) {
        Descriptor client(accept4(number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (client && peer_user(client.number()) == geteuid()) return client;
        if (client || errno == EINTR || errno == ECONNABORTED) continue;
        if (errno != EAGAIN && errno != EWOULDBLOCK) error = errno;
        return client;
    }
}

void Listener::remove() noexcept {
    if (!socket_) return;
    struct stat found {};
    if (lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == file_) unlink(path_.c_str());
    socket_.close();
}

}  // namespace futon::diagnostics::detail
