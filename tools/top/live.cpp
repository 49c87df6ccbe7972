// SPDX-License-Identifier: MIT
#include "live.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>

#include "connection.hpp"
#include "history.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "process.hpp"
#include "screen.hpp"
#include "text.hpp"
#include "view.hpp"

namespace futon::top {

namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t has_resized = 0;
volatile sig_atomic_t must_end = 0;

/// Has signals noted, and lets them come only where the view waits: so none comes between a look at the notes and the wait.
class Signals {
public:
    Signals() {
        has_resized = 0;
        must_end = 0;
        sigset_t noted;
        sigemptyset(&noted);
        for (const int signal : {SIGWINCH, SIGINT, SIGTERM, SIGHUP}) {
            struct sigaction action {};
            action.sa_handler = [](int came) { (came == SIGWINCH ? has_resized : must_end) = 1; };
            sigaction(signal, &action, nullptr);
            sigaddset(&noted, signal);
        }
        sigprocmask(SIG_BLOCK, &noted, &outside_);
    }
    Signals(const Signals&) = delete;
    ~Signals() { sigprocmask(SIG_SETMASK, &outside_, nullptr); }

    /// The mask of a wait.
    const sigset_t& outside() const noexcept { return outside_; }

private:
    sigset_t outside_;
};

class Live {
public:
    Live(const Options& options, const Process& process, Connection& connection)
        : process_(process),
          connection_(connection),
          interval_(std::chrono::ceil<Clock::duration>(std::chrono::duration<double>(options.interval))),
          view_(process.title(), options.sort, options.filter) {}

    void run() {
        ask();
        while (must_end == 0) {
            if (has_resized != 0) {
                has_resized = 0;
                screen_.resize();
            }
            screen_.show(view_.draw(history_, screen_.columns(), screen_.lines()));
            wait();
            if (!take_keys()) return;
            if (std::optional<std::string> answer = connection_.receive()) take(*answer);
            if (connection_.is_closed()) return;
            if (Clock::now() >= next_) ask_again();
        }
    }

private:
    static constexpr std::chrono::seconds second{1};

    void ask() {
        if (!connection_.is_pending()) {
            connection_.ask();
            asked_ = Clock::now();
        }
        next_ = Clock::now() + second;
    }

    /// It is time for the next question, or to tell the user that the last one has no answer.
    void ask_again() {
        if (!connection_.is_pending() && !view_.is_paused()) return ask();
        next_ = Clock::now() + second;
        if (!connection_.is_pending()) return;
        view_.note("no answer for " + duration(std::chrono::nanoseconds(Clock::now() - asked_).count()) +
                   ": the program may be stopped, or busy");
    }

    void take(const std::string& answer) {
        history_.add(parse(answer, process_));
        view_.note("");
        next_ = Clock::now() + interval_;
    }

    void wait() {
        const auto rest =
            std::clamp(next_ - Clock::now(), Clock::duration::zero(), Clock::duration(std::chrono::hours(1)));
        const auto whole = std::chrono::floor<std::chrono::seconds>(rest);
        const timespec timeout{static_cast<time_t>(whole.count()),
                               static_cast<long>(std::chrono::nanoseconds(rest - whole).count())};
        polled_ = {{{STDIN_FILENO, POLLIN, 0}, {connection_.number(), POLLIN, 0}}};
        if (ppoll(polled_.data(), polled_.size(), &timeout, &signals_.outside()) >= 0) return;
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "ppoll");
        polled_[0].revents = polled_[1].revents = 0;
    }

    /// Returns whether the view goes on.
    bool take_keys() {
        bool has_pressed = false;
        while (const std::optional<Press> press = screen_.press()) {
            has_pressed = true;
            switch (view_.press(*press, history_)) {
                case View::Wish::quit:
                    return false;
                case View::Wish::ask:
                    ask();
                    break;
                case View::Wish::none:
                    break;
            }
        }
        return has_pressed || (polled_[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;  // else the terminal is gone
    }

    const Process& process_;
    Connection& connection_;
    const Clock::duration interval_;
    Signals signals_;  // before ncurses, which would have its own handlers
    Screen screen_;
    History history_;
    View view_;
    std::array<pollfd, 2> polled_{};
    Clock::time_point asked_, next_;
};

}  // namespace

void show_live(const Options& options, const Process& process, Connection& connection) {
    Live(options, process, connection).run();
    if (!connection.is_closed()) return;
    if (!process.ends())
        throw Problem(Exit::not_serving, "the process " + process.title() + " no longer offers its diagnostics");
    std::cerr << "futon top: the process " << process.title() << " has ended\n";
}

}  // namespace futon::top
