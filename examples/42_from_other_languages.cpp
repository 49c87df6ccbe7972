// SPDX-License-Identifier: MIT
//
// What programmers of tokio, Go and Kotlin reach for, in futon: a select with a time limit and a stop, a group of tasks of which a few
// run at once, one time limit for several waits, a value that is watched, a lock that serves in the order of arrival. The pages
// docs/from/tokio.md, docs/from/go.md and docs/from/kotlin.md have all names.
//
// Prints:
//     select:   3 jobs, then closed; then idle; then stopped
//     group:    4 pages, at most 2 at once; with a bad one: no such page
//     limit:    an answer: 42; the lock is held: none; no answer in time: none
//     watched:  draft, final
//     strict:   served in the order 1 2 3

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

// A loop over a channel, which ends when it is closed, idle for too long, or asked to stop.

enum class End { closed, idle, stopped };

struct Served {
    int jobs = 0;
    End end = End::closed;
};

futon::Promise<Served> serve(futon::Channel<int>& jobs, std::chrono::milliseconds idle, std::stop_token stop) {
    Served served;
    while (true) {
        const auto chosen =
            co_await futon::select_async(jobs.receiving(), futon::timeout(idle), futon::stop_requested(stop));
        if (chosen.index() == 1) served.end = End::idle;
        if (chosen.index() == 2) served.end = End::stopped;
        const auto* job = std::get_if<0>(&chosen);
        if (job == nullptr || !*job) co_return served;  // a job that is none: the channel is closed and empty
        ++served.jobs;
    }
}

bool a_select_ends_in_three_ways() {
    futon::EventLoop loop;
    futon::Channel<int> jobs(8);
    for (int job = 1; job <= 3; ++job) static_cast<void>(jobs.try_send(job));
    jobs.close();
    const Served closed = loop.run_until(serve(jobs, 10s, {}));

    futon::Channel<int> nothing(8);
    const Served idle = loop.run_until(serve(nothing, 1ms, {}));
    std::stop_source user;
    auto serving = serve(nothing, 10s, user.get_token());
    user.request_stop();
    const Served stopped = loop.run_until(serving);

    const bool is_right =
        closed.jobs == 3 && closed.end == End::closed && idle.end == End::idle && stopped.end == End::stopped;
    std::printf("select:   %d jobs, then %s\n", closed.jobs, is_right ? "closed; then idle; then stopped" : "WRONG");
    return is_right;
}

// A group: all children have ended when it goes on, at most two work at once, and the first exception stops the others.

struct Pages {
    futon::Semaphore at_once{2};
    int now = 0;
    int most = 0;
    int fetched = 0;
};

futon::Promise<void> fetch(Pages& pages, int page, std::stop_token stop) {
    const auto permit = co_await pages.at_once.scoped_acquire_async(stop);
    if (!permit) co_return;  // another has failed
    if (page < 0) throw std::runtime_error("no such page");
    pages.most = std::max(pages.most, ++pages.now);
    co_await futon::sleep_for(1ms, stop);
    --pages.now;
    ++pages.fetched;
}

futon::Promise<void> fetch_all(Pages& pages, std::vector<int> numbers) {
    futon::Scope group;
    for (const int number : numbers)
        group.spawn([&pages, number](std::stop_token stop) { return fetch(pages, number, stop); });
    co_await group.join();  // throws what the first that failed has thrown
}

bool a_group_ends_together() {
    futon::EventLoop loop;
    Pages pages;
    loop.run_until(fetch_all(pages, {1, 2, 3, 4}));
    std::printf("group:    %d pages, at most %d at once; ", pages.fetched, pages.most);
    const bool are_fetched = pages.fetched == 4 && pages.most == 2;
    std::string failure;
    try {
        loop.run_until(fetch_all(pages, {5, -1, 6, 7}));
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    std::printf("with a bad one: %s\n", failure.c_str());
    return are_fetched && failure == "no such page" && pages.at_once.available() == 2;
}

// One time limit for several waits.

futon::Promise<std::optional<int>> ask(futon::AsyncLock& line, futon::Channel<int>& answers, futon::Limits limits) {
    const futon::Limits shared = limits.from_now();  // by both waits
    const auto hold = co_await line.scoped_lock_async(shared);
    if (!hold) co_return std::nullopt;
    const auto answer = co_await answers.receive_async(shared);
    if (!answer) co_return std::nullopt;
    co_return *answer;
}

bool a_limit_covers_all_waits() {
    futon::EventLoop loop;
    futon::AsyncLock line;
    futon::Channel<int> answers(1);
    static_cast<void>(answers.try_send(42));
    const auto answer = loop.run_until(ask(line, answers, 10s));
    const auto silence = loop.run_until(ask(line, answers, 1ms));
    line.try_lock();
    const auto busy = loop.run_until(ask(line, answers, 1ms));
    line.unlock();
    std::printf("limit:    an answer: %d; the lock is held: %s; no answer in time: %s\n", answer.value_or(0),
                busy ? "SOME" : "none", silence ? "SOME" : "none");
    return answer == 42 && !busy && !silence;
}

/// The latest value, and how often it was set. Watchers may miss a value, and never the last.
class Watched {
public:
    /// On a thread that may block.
    void set(std::string text) {
        text_.with_lock([&](std::string& value) { value = std::move(text); });
        ++version_;
        futon::notify(version_);
    }

    /// The value, once it is newer than the version that was seen.
    futon::Promise<std::string> changed(unsigned& seen) {
        while (version_ == seen) co_await futon::wait_async(version_, seen);
        seen = version_;
        const auto text = co_await text_.lock_async();
        co_return *text;
    }

private:
    futon::Guarded<std::string> text_;
    std::atomic<unsigned> version_{0};
};

bool a_value_is_watched() {
    futon::EventLoop loop;
    Watched title;
    unsigned seen = 0;
    auto changing = title.changed(seen);
    std::jthread([&] { title.set("draft"); }).join();
    const std::string first = loop.run_until(changing);
    auto changing_again = title.changed(seen);
    std::jthread([&] { title.set("final"); }).join();
    const std::string last = loop.run_until(changing_again);
    std::printf("watched:  %s, %s\n", first.c_str(), last.c_str());
    return first == "draft" && last == "final";
}

// A lock that serves in the order of arrival, as the mutexes of tokio and Kotlin do.

futon::Promise<void> enter(futon::AsyncLock& turnstile, int visitor, std::vector<int>& entered) {
    const auto hold = co_await turnstile.scoped_lock_async();
    entered.push_back(visitor);
}

bool a_strict_lock_keeps_the_order() {
    futon::EventLoop loop;
    futon::AsyncLock turnstile(futon::Fairness::strict);
    std::vector<int> entered;
    turnstile.try_lock();
    std::vector<futon::Promise<void>> visitors;
    for (int visitor = 1; visitor <= 3; ++visitor) visitors.push_back(enter(turnstile, visitor, entered));
    turnstile.unlock();
    loop.run_until(futon::all(std::move(visitors)));
    std::printf("strict:   served in the order");
    for (const int visitor : entered) std::printf(" %d", visitor);
    std::printf("\n");
    return entered == std::vector{1, 2, 3};
}

}  // namespace

int main() {
    const bool is_right = a_select_ends_in_three_ways() && a_group_ends_together() && a_limit_covers_all_waits() &&
                          a_value_is_watched() && a_strict_lock_keeps_the_order();
    return is_right ? 0 : 1;
}
