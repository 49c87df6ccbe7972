// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <futon/diagnostics.hpp>

#include "diagnostics/abandoned.hpp"
#include "diagnostics/quiet_thread.hpp"
#include "diagnostics/registry.hpp"
#include "diagnostics/report.hpp"

// Two threads of the diagnostics: one looks for what lasts too long, the other waits for the signal that asks for a dump.
namespace futon::diagnostics {

namespace detail {

namespace {

std::atomic<ThreadRecord*> asked{nullptr};

/// Runs on the thread whose stack is wanted.
void take_stack(int) {
    const int error = errno;
    if (ThreadRecord* const record = asked.exchange(nullptr)) {
        record->stack = Place{};
        take_place(record->stack, 2);  // this function, and the kernel's frame
        record->stack_of.fetch_add(1);
    }
    errno = error;
}

int stack_signal() {
    static const int number = [] {
        for (int signal = SIGRTMAX - 1; signal >= SIGRTMIN; --signal) {
            struct sigaction old {};
            if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
            struct sigaction mine {};
            mine.sa_handler = &take_stack;
            mine.sa_flags = SA_RESTART;
            if (sigaction(signal, &mine, nullptr) == 0) return signal;
        }
        return 0;
    }();
    return number;
}

/// The stack of a thread, as far as it answers in time. Empty if it does not.
Place stack_of(ThreadRecord& thread) {
    const int signal = stack_signal();
    if (signal == 0) return {};
    const std::uint32_t before = thread.stack_of.load();
    asked = &thread;
    {
        const std::scoped_lock hold(Registry::get().mutex);  // it does not end meanwhile
        if (thread.has_ended || pthread_kill(thread.handle, signal) != 0) {
            asked = nullptr;
            return {};
        }
    }
    for (int tries = 0; tries < 200 && thread.stack_of.load() == before; ++tries)
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    return thread.stack_of.load() == before ? Place{} : thread.stack;
}

struct Found {
    What what;
    std::string text;
    Place where, other;
    ThreadRecord* thread = nullptr;
    const char* advice;
};

std::string text_of_expired(const void* address, const ThreadRecord& thread, std::int64_t time) {
    std::string text = text_of(address) + " was kept for a waiter of the loop of thread " + std::to_string(thread.id) +
                       " (LWP " + std::to_string(thread.number) +
                       "), which did not come to it in time: others go on, and the waiter keeps its place in the queue";
    const std::int64_t since = thread.job_since.load();
    if (since != 0) text += "\n  the loop has run one job for " + text_of(time - since);
    return text;
}

/// Whether what waits is the promise of a PromiseSource.
bool is_of_source(const WaitRecord& wait) {
    return std::string_view(wait.operation) == "futon::PromiseSource";
}

class Watcher {
public:
    static Watcher& get() {
        static Watcher& watcher = *new Watcher;
        return watcher;
    }

    void set(Limits limits) {
        const std::scoped_lock hold(mutex_);
        limits_ = limits;
        reports_abandoned = limits.abandoned;
        if (!is_running_ && period() != std::chrono::nanoseconds::max()) {
            if (limits.job.count() != 0) static_cast<void>(stack_signal());
            std::thread thread = quiet_thread([this] { run(); });
            thread_ = thread.get_id();
            process_ = getpid();
            thread.detach();
            is_running_ = true;
            static_cast<void>(std::atexit([] { get().finish(); }));
        }
        changed_.notify_one();
    }

private:
    std::chrono::nanoseconds period() const {
        auto shortest = std::chrono::nanoseconds::max();
        for (const auto limit : {limits_.hold, limits_.wait, limits_.job})
            if (limit.count() > 0) shortest = std::min(shortest, limit / 4);
        if (limits_.offers) shortest = std::min<std::chrono::nanoseconds>(shortest, std::chrono::milliseconds(20));
        return shortest == std::chrono::nanoseconds::max()
                   ? shortest
                   : std::max<std::chrono::nanoseconds>(shortest, std::chrono::milliseconds(1));
    }

    void run() {
        std::unique_lock lock(mutex_);
        while (true) {
            const auto length = period();
            if (length == std::chrono::nanoseconds::max()) {
                changed_.wait(lock);
                continue;
            }
            changed_.wait_for(lock, length);
            const Limits limits = limits_;
            is_looking_ = true;
            lock.unlock();
            look(limits);
            lock.lock();
            is_looking_ = false;
            looked_.notify_all();
        }
    }

    /// Waits, but not for long, until a report that is under way when the program ends has been given. It is not waited for
    /// by what it has called itself, nor in the child of a fork, which does not have the thread.
    void finish() {
        if (process_ != getpid() || thread_ == std::this_thread::get_id()) return;
        constexpr std::chrono::milliseconds half{500};
        const auto has_looked = [this] { return !is_looking_; };
        std::unique_lock lock(mutex_);
        if (looked_.wait_for(lock, half, has_looked)) return;
        hurry_places();
        looked_.wait_for(lock, half, has_looked);
    }

    void look(const Limits& limits) {
        std::vector<Found> all;
        const std::int64_t time = now();
        {
            Registry& registry = Registry::get();
            const std::scoped_lock hold(registry.mutex);
            if (limits.hold.count() > 0) {
                for (auto& [address, object] : registry.objects)
                    for (Holder& holder : object.holders) {
                        if (holder.is_reported || time - holder.since <= limits.hold.count()) continue;
                        holder.is_reported = true;
                        all.push_back(
                            {What::long_hold,
                             text_of(address) + " has been held for " + text_of(time - holder.since) + " by " +
                                 text_of(holder),
                             holder.place,
                             {},
                             nullptr,
                             "release it before what takes long: input and output, a co_await, another lock"});
                    }
            }
            if (limits.offers) {
                for (auto& [address, object] : registry.objects) {
                    const ThreadRecord* const thread = std::exchange(object.expired_for, nullptr);
                    if (thread == nullptr) continue;
                    object.reported_for = thread;
                    all.push_back({What::expired_offer,
                                   text_of_expired(address, *thread, time),
                                   {},
                                   {},
                                   nullptr,
                                   "let the loop run: move what its jobs do for long to a thread"});
                }
            }
            if (limits.wait.count() > 0) {
                const auto is_long = [&](const WaitRecord& wait) { return time - wait.since > limits.wait.count(); };
                // A coroutine that awaits another one waits for as long as that one does, whose wait is reported.
                const auto is_of_last = [&](const WaitRecord& wait) {
                    const auto settlers = registry.settlers.find(wait.address);
                    return settlers == registry.settlers.end() || settlers->second.frames.empty();
                };
                // A source's promise waits in a queue, too. Where coroutines of its loop await such, they are named instead.
                std::set<const ThreadRecord*> have_awaiters;
                for (WaitRecord* wait = registry.queued.next; wait != &registry.queued; wait = wait->next)
                    if (wait->is_promise && is_of_last(*wait)) have_awaiters.insert(wait->actor.thread);
                for (WaitRecord* wait = registry.queued.next; wait != &registry.queued; wait = wait->next) {
                    if (wait->is_reported || !is_long(*wait) || (wait->is_promise && !is_of_last(*wait))) continue;
                    if (is_of_source(*wait) && have_awaiters.contains(wait->actor.thread)) continue;
                    wait->is_reported = true;
                    const bool is_promises = wait->is_task && wait->actor.task == nullptr;
                    std::string text = (is_promises ? "a promise or a callback of the loop of " : "") +
                                       text_of(wait->actor) + " has waited for " +
                                       (wait->is_promise ? "the promise at " : "") + text_of(wait->address) + " for " +
                                       text_of(time - wait->since);
                    if (*wait->operation != '\0') text += ", in " + std::string(wait->operation);
                    const auto object = registry.objects.find(wait->address);
                    Place other;
                    if (object != registry.objects.end() && !object->second.holders.empty()) {
                        text += "; held by " + text_of(object->second.holders.front());
                        other = object->second.holders.front().place;
                    }
                    all.push_back({What::long_wait, std::move(text), wait->place, other, nullptr,
                                   wait->is_promise || is_of_source(*wait)
                                       ? "see who was to settle it, and whether each of its ways does"
                                       : "see who was to wake it: a dump shows who holds what"});
                }
            }
            if (limits.job.count() > 0) {
                for (ThreadRecord* at = registry.last_thread; at != nullptr; at = at->next) {
                    ThreadRecord& thread = *at;
                    const std::int64_t since = thread.job_since.load();
                    if (since == 0 || time - since <= limits.job.count() || since == thread.reported_job) continue;
                    thread.reported_job = since;
                    all.push_back({What::long_job,
                                   "the loop of thread " + std::to_string(thread.id) + " (LWP " +
                                       std::to_string(thread.number) + ") has run one job for " +
                                       text_of(time - since) + ", and nothing else meanwhile",
                                   {},
                                   {},
                                   &thread,
                                   "move the work to a thread, or give it up to the loop in parts"});
                }
            }
        }
        for (Found& found : all) {
            if (const std::string where = text_of(found.where); !where.empty())
                found.text += (found.what == What::long_hold ? "\n  acquired at " : "\n  waiting at ") + where;
            if (const std::string where = text_of(found.other); !where.empty()) found.text += "\n  held since " + where;
            if (found.thread != nullptr)
                if (const std::string stack = stack_text_of(stack_of(*found.thread)); !stack.empty())
                    found.text += "\n  its stack, while it runs:" + stack;
            report_later(found.what, found.text + "\n  What to do: " + found.advice + ".");
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_, looked_;
    Limits limits_;
    bool is_running_ = false, is_looking_ = false;
    std::thread::id thread_;
    pid_t process_ = 0;  // that has the thread
};

/// Where dumps go on a signal.
struct Asking {
    std::mutex mutex;
    int pipe[2] = {-1, -1};
    std::vector<std::pair<int, std::string>> signals;
};

Asking& asking() {
    static Asking& asking = *new Asking;
    return asking;
}

/// Only what is allowed in a handler: the number is written into the pipe.
std::atomic<int> bell{-1};
void ring(int signal) {
    const int error = errno;
    const auto number = static_cast<unsigned char>(signal);
    static_cast<void>(!::write(bell.load(), &number, 1));
    errno = error;
}

/// Returns the error that ended it, or 0.
int write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(file, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
}

/// The program goes on, and the next signal tries again.
void say_not_written(const std::string& path, int error) {
    std::fprintf(stderr, "futon: the dump cannot be written to %s: %s\n", path.c_str(),
                 std::generic_category().message(error).c_str());
}

void answer() {
    unsigned char number = 0;
    while (true) {
        const ssize_t count = ::read(asking().pipe[0], &number, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        std::ostringstream text;
        dump(text);
        std::string path;
        {
            const std::scoped_lock hold(asking().mutex);
            for (const auto& [signal, chosen] : asking().signals)
                if (signal == number) path = chosen;
        }
        const int file =
            path.empty() ? STDERR_FILENO : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        const int error = file < 0 ? errno : write_all(file, text.str());
        if (error != 0) say_not_written(path.empty() ? "the standard error" : path, error);
        if (file >= 0 && file != STDERR_FILENO) ::close(file);
    }
}

[[noreturn]] void fail(int error, const std::string& what) {
    throw std::system_error(error, std::generic_category(), "futon::diagnostics::on_signal: " + what);
}

}  // namespace

}  // namespace detail

void watch(Limits limits) {
    detail::Watcher::get().set(limits);
}

void on_signal(int signal, const std::string& path) {
    using namespace detail;
    Asking& ask = asking();
    const std::scoped_lock hold(ask.mutex);
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0) fail(errno, "there is no signal " + std::to_string(signal));
    if (old.sa_handler != SIG_DFL && old.sa_handler != &ring)
        fail(EBUSY, "signal " + std::to_string(signal) + " is used already");
    if (!path.empty()) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (file < 0) fail(errno, "cannot write " + path);
        ::close(file);
    }
    if (ask.pipe[0] < 0) {
        if (::pipe2(ask.pipe, O_CLOEXEC) != 0) fail(errno, "no pipe");
        ::fcntl(ask.pipe[1], F_SETFL, O_NONBLOCK);
        bell = ask.pipe[1];
        quiet_thread([] { answer(); }).detach();
    }
    std::erase_if(ask.signals, [&](const auto& one) { return one.first == signal; });
    ask.signals.emplace_back(signal, path);
    struct sigaction mine {};
    mine.sa_handler = &ring;
    mine.sa_flags = SA_RESTART;
    if (sigaction(signal, &mine, nullptr) != 0) fail(errno, "signal " + std::to_string(signal) + " cannot be caught");
}

}  // namespace futon::diagnostics
