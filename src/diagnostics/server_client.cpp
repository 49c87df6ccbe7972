// SPDX-License-Identifier: MIT
#include "diagnostics/server_client.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <new>

namespace futon::diagnostics::detail {

namespace {

constexpr std::size_t longest_line = 64;

std::string answer_to(std::string_view line, const std::function<std::string()>& snapshot) {
    if (line != "snapshot") return error_line("unknown request; the known one is: snapshot");
    try {
        std::string answer = snapshot();
        std::replace(answer.begin(), answer.end(), '\n', ' ');  // in JSON a line break is white space
        return answer + '\n';
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        return error_line(std::string("the snapshot failed: ") + error.what());
    } catch (...) {
        return error_line("the snapshot failed");
    }
}

}  // namespace

std::string error_line(std::string_view sentence) {
    std::string line = R"({"error": ")";
    for (const char c : sentence) {
        if (c == '"' || c == '\\') line += '\\';
        line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return line + "\"}\n";
}

short ServerClient::events() const noexcept {
    return out_.empty() ? POLLIN : POLLOUT;
}

bool ServerClient::go_on(const std::function<std::string()>& snapshot) {
    bool may_answer = true;
    for (;;) {
        const Sent sent = send_rest();
        if (sent != Sent::all) return sent == Sent::part;
        if (is_last_) return false;
        const std::size_t end = in_.find('\n');
        if (end != std::string::npos) {
            if (!std::exchange(may_answer, false)) return true;  // the other clients come first
            out_ = answer_to(std::string_view(in_).substr(0, end), snapshot);
            in_.erase(0, end + 1);
        } else if (in_.size() >= longest_line) {
            out_ = error_line("the line is too long");
            is_last_ = true;
        } else if (has_ended_) {
            return false;
        } else if (!receive()) {
            return !has_ended_;
        }
    }
}

void ServerClient::dismiss(std::string_view sentence) {
    if (out_.empty()) out_ = error_line(sentence);  // else it would be a part of an answer
    send_rest();
    close();
}

ServerClient::Sent ServerClient::send_rest() noexcept {
    while (sent_ < out_.size()) {
        const ssize_t count = send(number(), out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? Sent::part : Sent::broken;
        sent_ += static_cast<std::size_t>(count);
    }
    out_ = {};  // its memory, too
    sent_ = 0;
    return Sent::all;
}

/// Reads what there is, up to the longest line. Returns whether there was anything: if not, the client sends nothing now, or is
/// gone.
bool ServerClient::receive() {
    std::array<char, longest_line> part{};
    for (;;) {
        const ssize_t count = recv(number(), part.data(), longest_line - in_.size(), 0);
        if (count > 0) {
            in_.append(part.data(), static_cast<std::size_t>(count));
            return true;
        }
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
        has_ended_ = true;
        return false;
    }
}

}  // namespace futon::diagnostics::detail
