// SPDX-License-Identifier: MIT
#pragma once

// For tests that fork, on systems that can.
#if __has_include(<sys/wait.h>) && !defined(FUTON_PLATFORM_IS_emscripten)
#define FUTON_TESTS_CAN_FORK

#include <array>
#include <exception>
#include <string>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

#include "support/sanitizers.hpp"

namespace futon::test {

/// Whether the child of a process with several threads can make threads; the thread sanitizer ends it instead, and so does
/// QEMU.
#ifdef FUTON_IS_EMULATED
inline constexpr bool children_have_threads = false;
#else
inline constexpr bool children_have_threads = !is_thread_sanitized;
#endif

/// Whether a child of a process with busy threads may inherit a lock of the sanitizer itself, and hang in its functions. In a thread
/// sanitizer each atomic operation holds one, and nothing holds these during a fork: clang's was seen to hang, and of some six thousand
/// children with GCC 12's one did. GCC 12's address sanitizer registers no handler for its allocator: once in some thousand children.
inline constexpr bool inherits_sanitizers_locks =
#if defined(__clang__)
    is_thread_sanitized;
#else
    is_thread_sanitized || is_address_sanitized;
#endif

/// What an inherited loop answers in the child of a fork.
inline const std::string inherited_loop_rule = "a loop that a fork has copied is its parent's; make one in the child";

/// What a child claims; its parent is told which claims are wrong.
class Claims {
public:
    void operator()(bool holds, const char* claim) {
        if (!holds) wrong_.append("not so: ").append(claim).append("\n");
    }

    /// That `f` throws an exception of this type. Its text is told apart from others by `part`.
    template <class E, class F>
    void throws(F&& f, const std::string& part) {
        try {
            std::forward<F>(f)();
            wrong_ += "no error, where one should say: " + part + "\n";
        } catch (const E& error) {
            if (std::string(error.what()).find(part) == std::string::npos) wrong_ += std::string(error.what()) + "\n";
        }
    }

    const std::string& wrong() const noexcept { return wrong_; }

private:
    std::string wrong_;
};

/// How a child ended that called `f`: nothing, if all its claims hold. Ended by a signal after a minute, if it hangs.
class Child {
public:
    /// Whether the child ends with `f`, or goes on as a copy of its parent, which must end it by `_exit`.
    enum class Goes { ends, on };

    template <class F>
    explicit Child(F&& f, Goes goes = Goes::ends) {
        if (pipe(ends_.data()) != 0) std::terminate();
        id_ = fork();
        if (id_ != 0) {
            close(ends_[1]);
            return;
        }
        alarm(60);
        if (goes == Goes::on) {
            Claims claims;
            std::forward<F>(f)(claims);
            return;
        }
        std::string wrong;
        try {
            Claims claims;
            std::forward<F>(f)(claims);
            wrong = claims.wrong();
        } catch (const std::exception& error) {
            wrong = std::string("it threw: ") + error.what();
        }
        const bool is_told = write(ends_[1], wrong.data(), wrong.size()) == static_cast<ssize_t>(wrong.size());
        _exit(is_told && wrong.empty() ? 0 : 1);
    }

    pid_t id() const noexcept { return id_; }

    std::string wrong() {
        if (id_ < 0) return "it could not be forked";
        std::string told;
        std::array<char, 256> part{};
        ssize_t length = 0;
        while ((length = read(ends_[0], part.data(), part.size())) > 0)
            told.append(part.data(), static_cast<std::size_t>(length));
        close(ends_[0]);
        int status = 0;
        waitpid(id_, &status, 0);
        if (WIFSIGNALED(status)) return told + "it was ended by signal " + std::to_string(WTERMSIG(status));
        return WEXITSTATUS(status) == 0 ? told : told + "it ended with " + std::to_string(WEXITSTATUS(status));
    }

private:
    std::array<int, 2> ends_{};
    pid_t id_ = -1;
};

/// What is wrong with a child that calls `f`.
template <class F>
std::string wrong_in_child(F&& f) {
    return Child(std::forward<F>(f)).wrong();
}

}  // namespace futon::test

#endif
