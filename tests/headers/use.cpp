// SPDX-License-Identifier: MIT
// Uses each template of the public headers, so that a compiler sees what is in them; run, it says what went wrong.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "semaphore.hpp"

using namespace std::chrono_literals;
using futon::Promise;
using futon::WaitResult;

template class futon::Word<std::uint8_t>;
template class futon::TypedArray<std::int16_t>;
template class futon::TypedArray<std::uint64_t>;
template class futon::Promise<void>;
template class futon::Promise<std::string>;
template class futon::PromiseSource<void>;
template class futon::PromiseSource<std::string>;
template class futon::core::Await<futon::WordWait>;
template class futon::core::Await<example::Semaphore::Acquire>;

namespace {

enum class Stage : std::uint16_t { first, second };

int failures = 0;

void expect(bool holds, const char* claim) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", claim);
    ++failures;
}

template <class T>
void use_word(T value, T other) {
    std::atomic<T> atomic{value};
    T plain = value;
    const futon::Word<T> word(plain);
    expect(futon::wait(atomic, other) == WaitResult::not_equal, "an atomic has another value");
    expect(futon::wait(word, value, 0ms) == WaitResult::timed_out, "a wait of no time times out");
    expect(futon::wait(atomic, other, std::stop_token()) == WaitResult::not_equal, "a stop token alone is taken");
    expect(futon::wait_async(atomic, other) == WaitResult::not_equal, "an asynchronous wait answers at once");
    expect(futon::wait_async(word, value, 0ms) == WaitResult::timed_out, "it knows that its time is over");
    expect(futon::wait_async(word, other, std::stop_token()) == WaitResult::not_equal, "it takes a stop token alone");
    expect(futon::core::block(futon::waiting(atomic, other)) == WaitResult::not_equal, "an operation blocks");
    expect(futon::core::block(futon::waiting(word, other)) == WaitResult::not_equal, "of a word, too");
    expect(futon::notify(atomic) == 0 && futon::notify(word, 3u) == 0 && futon::notify(word, -1) == 0,
           "a notify without waiters wakes none");
}

void use_words() {
    use_word<bool>(false, true);
    use_word<std::uint8_t>(1, 2);
    use_word<std::int16_t>(1, 2);
    use_word<Stage>(Stage::first, Stage::second);
    use_word<const int*>(nullptr, &failures);
    use_word<std::uint32_t>(1, 2);
    use_word<std::int64_t>(1, 2);

    const futon::SharedArrayBuffer buffer(64);
    const futon::Int32Array array(buffer, 8);
    array[0] = 5;
    array.at(0).fetch_add(1);
    expect(array[0].load() == 6, "an element is stored and added to");
    try {
        static_cast<void>(array.at(100));
        expect(false, "an index outside throws");
    } catch (const std::out_of_range&) {
    }
}

Promise<int> delayed(int value) {
    const WaitResult slept = co_await futon::sleep_for(1ms);
    expect(slept == WaitResult::ok, "a sleep ends by itself");
    co_return value;
}

Promise<int> failing() {
    co_await futon::sleep_for(1ms);
    throw std::runtime_error("as expected");
}

Promise<void> use_locks(futon::AsyncLock& lock, example::Semaphore& semaphore) {
    {
        auto guard = co_await lock.scoped_lock_async();
        expect(guard.owns_lock() && !lock.try_lock(), "a guard owns its lock");
    }
    co_await lock.lock_async();
    lock.unlock();
    expect(co_await lock.execute_locked([] { return 3; }) == 3, "a locked function's result is its promise's");
    expect(co_await lock.execute_locked([] { return delayed(4); }) == 4, "a locked coroutine's too");
    co_await lock.execute_locked([] {});
    const auto permit = co_await futon::core::await(semaphore.acquiring(), 1s);
    expect(permit != nullptr, "a semaphore has a permit");
    const auto none = co_await futon::core::promise_of(semaphore.acquiring(), 1ms);
    expect(none == nullptr, "and no second");
}

Promise<void> use_select(std::atomic<int>& word, futon::AsyncLock& lock) {
    std::stop_source stop;
    auto choices =
        futon::select_async(futon::waiting(word, 0), futon::timeout(1ms), futon::stop_requested(stop.get_token()));
    const auto late = co_await choices;
    expect(late.index() == 1, "the time-out of a select comes first");
    auto locked = co_await futon::select_async(lock.locking(), futon::timeout(1s));
    expect(locked.index() == 0 && std::get<0>(locked).owns_lock(), "a select takes a free lock");
}

Promise<void> use_promises(futon::EventLoop& loop) {
    auto [promise, source] = futon::make_promise<std::string>();
    loop.post([&its_source = source] { its_source.fulfil("done"); });
    const std::size_t length = co_await promise.then([](const std::string& text) { return text.size(); });
    expect(length == 4, "a continuation gets the value");
    const std::string text = co_await std::move(promise);
    expect(text == "done", "a promise gives its value away");

    auto [number, done, ready] = co_await futon::all(delayed(1), futon::fulfilled(), futon::fulfilled(2.5));
    static_cast<void>(done);
    expect(number == 1 && ready == 2.5, "all gives each value");
    std::vector<Promise<int>> many;
    many.push_back(delayed(1));
    many.push_back(delayed(2));
    const auto results = co_await futon::all(std::move(many));
    expect(results.size() == 2 && results[1] == 2, "all takes a vector");
    const auto first = co_await futon::race(futon::fulfilled(1), delayed(2));
    expect(first.index() == 0, "a race is won by what is settled");
    std::vector<Promise<int>> runners;
    runners.push_back(delayed(1));
    const auto [winner, prize] = co_await futon::race(std::move(runners));
    expect(winner == 0 && prize == 1, "a race takes a vector");
    try {
        co_await futon::race(failing(), futon::rejected<void>(std::make_exception_ptr(std::logic_error("at once"))));
        expect(false, "a rejected promise throws");
    } catch (const std::logic_error&) {
    }
}

Promise<void> use_loop(futon::EventLoop& loop) {
    futon::AsyncLock lock;
    example::Semaphore semaphore(1);
    std::atomic<int> word = 0;
    co_await use_locks(lock, semaphore);
    co_await use_select(word, lock);
    co_await use_promises(loop);

    auto handle = loop.post_after(1h, [] { expect(false, "a cancelled function does not run"); });
    expect(handle.cancel(), "a timer is cancelled");
    auto answer = futon::wait_async(word, 0);
    const std::jthread worker([&] {
        expect(lock.try_lock_for(1s) && word.exchange(1) == 0, "a thread locks within its time");
        lock.unlock();
        const std::scoped_lock hold(lock);
        expect(!lock.try_lock_until(std::chrono::system_clock::now()), "a held lock is not taken twice");
        while (futon::notify(word) == 0) futon::pause();
    });
    expect(co_await std::move(answer.promise()) == WaitResult::ok, "a wake-up of another thread settles a promise");
}

}  // namespace

int main() {
    futon::EventLoop loop(futon::CanBlock::yes);
    use_words();
    loop.run_until(use_loop(loop));
    auto chosen = futon::select(futon::timeout(1ms), futon::stop_requested(std::stop_token()));
    expect(chosen.index() == 0, "a thread selects");
    try {
        loop.run_until(failing());
        expect(false, "a rejected promise throws from its loop");
    } catch (const std::runtime_error&) {
    }
    if (failures == 0) std::puts("used");
    return failures == 0 ? 0 : 1;
}
