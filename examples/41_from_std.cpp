// SPDX-License-Identifier: MIT
//
// From the standard library to futon: each task twice, with std and with futon. On threads little changes. What is new is the third
// version, for an event loop, which must not block; it shares the object with the threads. The page docs/from/std.md has all names.
//
// Prints:
//     a mailbox:    std 1, futon 1, on a loop 2, in vain: timed out
//     a stop:       std: none, futon: none
//     a semaphore:  std 1, futon 1, all taken: refused
//     a barrier:    std 3, futon 3 have arrived
//     an answer:    std 42, futon 42, its exception: the disk is full
//     a flag:       std is set, futon is set
//     a sleep:      ended by its stop

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <future>
#include <mutex>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

// A mutex and a condition variable.

class StdMailbox {
public:
    void put(int letter) {
        const std::scoped_lock hold(mutex_);
        letters_.push_back(letter);
        arrived_.notify_one();
    }

    std::optional<int> take_for(std::chrono::milliseconds time) {
        std::unique_lock hold(mutex_);
        if (!arrived_.wait_for(hold, time, [this] { return !letters_.empty(); })) return std::nullopt;
        return take_first();
    }

    std::optional<int> take(std::stop_token stop) {
        std::unique_lock hold(mutex_);
        if (!arrived_.wait(hold, std::move(stop), [this] { return !letters_.empty(); })) return std::nullopt;
        return take_first();
    }

private:
    int take_first() {
        const int letter = letters_.front();
        letters_.pop_front();
        return letter;
    }

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::deque<int> letters_;
};

class Mailbox {
public:
    void put(int letter) {
        const std::scoped_lock hold(lock_);
        letters_.push_back(letter);
        arrived_.notify_one();
    }

    std::optional<int> take_for(std::chrono::milliseconds time) {
        std::unique_lock hold(lock_);
        if (!arrived_.wait(
                hold, [this] { return !letters_.empty(); }, time))
            return std::nullopt;
        return take_first();
    }

    std::optional<int> take(std::stop_token stop) {
        std::unique_lock hold(lock_);
        if (!arrived_.wait(
                hold, [this] { return !letters_.empty(); }, stop))
            return std::nullopt;
        return take_first();
    }

    futon::Promise<std::optional<int>> take_async(futon::Limits limits) {
        auto hold = co_await lock_.scoped_lock_async();
        const auto has_letters = [this] { return !letters_.empty(); };
        const bool has_one = co_await arrived_.wait_async(hold, has_letters, limits);
        if (!has_one) co_return std::nullopt;
        co_return take_first();
    }

private:
    int take_first() {
        const int letter = letters_.front();
        letters_.pop_front();
        return letter;
    }

    futon::AsyncLock lock_;
    futon::Condition arrived_;
    std::deque<int> letters_;
};

bool letters() {
    StdMailbox before;
    Mailbox now;
    before.put(1);
    now.put(1);
    const auto from_std = before.take_for(1s);
    const auto from_futon = now.take_for(1s);

    futon::EventLoop loop;  // from here on this thread must not block
    auto taking = now.take_async(10s);
    std::jthread([&] { now.put(2); }).join();
    const auto on_the_loop = loop.run_until(taking);
    const auto none = loop.run_until(now.take_async(1ms));
    std::printf("a mailbox:    std %d, futon %d, on a loop %d, in vain: %s\n", from_std.value_or(0),
                from_futon.value_or(0), on_the_loop.value_or(0), none ? "A LETTER" : "timed out");
    return from_std == 1 && from_futon == 1 && on_the_loop == 2 && !none;
}

template <class Box>
std::optional<int> stopped() {
    Box box;
    std::optional<int> letter = 0;
    std::jthread reader([&](std::stop_token stop) { letter = box.take(std::move(stop)); });
    reader.request_stop();
    reader.join();
    return letter;
}

bool stops() {
    const bool std_is_stopped = !stopped<StdMailbox>();
    const bool futon_is_stopped = !stopped<Mailbox>();
    std::printf("a stop:       std: %s, futon: %s\n", std_is_stopped ? "none" : "A LETTER",
                futon_is_stopped ? "none" : "A LETTER");
    return std_is_stopped && futon_is_stopped;
}

// A semaphore: how many queries there may be at once.

bool query(std::counting_semaphore<>& connections, int& answers) {
    if (!connections.try_acquire_for(5ms)) return false;
    ++answers;
    connections.release();  // not if the line before throws
    return true;
}

bool query(futon::Semaphore& connections, int& answers) {
    const auto connection = connections.scoped_acquire(5ms);
    if (!connection) return false;
    ++answers;
    return true;
}  // the permit is released in any case

bool permits() {
    std::counting_semaphore<> before(1);
    futon::Semaphore now(1);
    int of_std = 0;
    int of_futon = 0;
    const bool are_answered = query(before, of_std) && query(now, of_futon);
    const auto all = now.scoped_acquire();
    const bool is_refused = !query(now, of_futon);
    std::printf("a semaphore:  std %d, futon %d, all taken: %s\n", of_std, of_futon,
                is_refused ? "refused" : "ANSWERED");
    return are_answered && is_refused && of_std == 1 && of_futon == 1;
}

// A barrier: each participant does something between its arrival and its wait.

void meet(std::barrier<>& barrier, std::atomic<int>& prepared) {
    auto arrival = barrier.arrive();
    ++prepared;
    barrier.wait(std::move(arrival));
}

void meet(futon::Barrier<>& barrier, std::atomic<int>& prepared) {
    const auto arrival = barrier.arrive();
    ++prepared;
    while (barrier.wait(arrival, 1s) != futon::WaitResult::ok) std::puts("still waiting");
}

template <class Barrier>
int three_meet() {
    Barrier barrier(3);
    std::atomic<int> prepared = 0;
    {
        std::jthread first([&] { meet(barrier, prepared); });
        std::jthread second([&] { meet(barrier, prepared); });
        meet(barrier, prepared);
    }
    return prepared;
}

bool barriers() {
    const int of_std = three_meet<std::barrier<>>();
    const int of_futon = three_meet<futon::Barrier<>>();
    std::printf("a barrier:    std %d, futon %d have arrived\n", of_std, of_futon);
    return of_std == 3 && of_futon == 3;
}

// An answer of another thread.

int ask_std() {
    std::promise<int> promise;
    std::future<int> answer = promise.get_future();
    const std::jthread worker([promise = std::move(promise)]() mutable { promise.set_value(6 * 7); });
    return answer.get();  // blocks
}

futon::Promise<int> ask(std::jthread& worker) {
    auto [answer, source] = futon::make_promise<int>();
    worker = std::jthread([source = std::move(source)]() mutable { source.fulfil(6 * 7); });
    co_return co_await answer;
}

/// What std::async does with std::launch::async: `f` on a thread of its own, and what it returns or throws as a promise.
template <class F>
auto on_a_thread(std::jthread& worker, F f) -> futon::Promise<std::invoke_result_t<F&>> {
    auto [answer, source] = futon::make_promise<std::invoke_result_t<F&>>();
    worker = std::jthread([f = std::move(f), source = std::move(source)]() mutable {
        try {
            source.fulfil(f());
        } catch (...) {
            source.reject(std::current_exception());
        }
    });
    return std::move(answer);
}

bool answers() {
    const int of_std = ask_std();
    futon::EventLoop loop;
    std::jthread first;
    std::jthread second;
    const int of_futon = loop.run_until(ask(first));
    std::string failure;
    try {
        loop.run_until(on_a_thread(second, []() -> int { throw std::runtime_error("the disk is full"); }));
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }
    std::printf("an answer:    std %d, futon %d, its exception: %s\n", of_std, of_futon, failure.c_str());
    return of_std == 42 && of_futon == 42 && failure == "the disk is full";
}

// A flag: wait and notify of std::atomic.

bool wait_for_std(std::atomic<bool>& is_ready) {
    std::jthread other([&] {
        is_ready = true;
        is_ready.notify_all();
    });
    is_ready.wait(false);  // goes on once the value differs
    return is_ready;
}

bool wait_for(std::atomic<bool>& is_ready) {
    std::jthread other([&] {
        is_ready = true;
        futon::notify(is_ready);
    });
    while (!is_ready) futon::wait(is_ready, false);  // goes on after a notify, whatever the value is
    return is_ready;
}

bool flags() {
    std::atomic<bool> before = false;
    std::atomic<bool> now = false;
    const bool are_set = wait_for_std(before) && wait_for(now);
    std::printf("a flag:       std %s, futon %s\n", before ? "is set" : "IS NOT SET", now ? "is set" : "IS NOT SET");
    return are_set;
}

// A sleep that a stop ends. std::this_thread::sleep_for cannot be ended.

bool has_slept(std::stop_token stop) {
    const auto chosen = futon::select(futon::timeout(1h), futon::stop_requested(std::move(stop)));
    return chosen.index() == 0;
}

bool sleeps() {
    bool is_over = true;
    std::jthread sleeper([&](std::stop_token stop) { is_over = has_slept(std::move(stop)); });
    sleeper.request_stop();
    sleeper.join();
    std::printf("a sleep:      %s\n", is_over ? "SLEPT" : "ended by its stop");
    return !is_over;
}

}  // namespace

int main() {
    const bool is_right = letters() && stops() && permits() && barriers() && answers() && flags() && sleeps();
    return is_right ? 0 : 1;
}
