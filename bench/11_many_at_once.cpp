// SPDX-License-Identifier: MIT
//
// 11. Does what ends with very many others at once cost more for each, the more there are?
//
// Coroutines of another library are destroyed by their owner while a loop has posted their wakes, while they await one
// promise, while they are queued for a lock that passes its wake through all of them; and exceptions wait to be thrown.
// A list that is searched from one end makes each of these quadratic. So each is done in the order that is furthest from
// that end: newest first, or oldest first.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "harness/session.hpp"
#include "support/coroutines.hpp"

namespace {

using bench::Kind;
using bench::Sample;
using futon::Word;
using futon::test::OwnedCoroutine;

using Coroutines = std::vector<OwnedCoroutine>;

OwnedCoroutine wait_once(std::uint32_t& word) {
    co_await futon::core::await(futon::waiting(Word<std::uint32_t>(word), 0));
}

OwnedCoroutine await_once(const futon::Promise<futon::WaitResult>& promise) {
    co_await promise;
}

OwnedCoroutine lock_once(futon::AsyncLock& lock) {
    const auto guard = co_await lock.scoped_lock_async();
}

void destroy_newest_first(Coroutines& coroutines) {
    while (!coroutines.empty()) coroutines.pop_back();
}

void destroy_oldest_first(Coroutines& coroutines) {
    for (OwnedCoroutine& coroutine : coroutines) const OwnedCoroutine destroyed(std::move(coroutine));
}

Sample with_wakes_posted(std::size_t size) {
    futon::EventLoop loop;
    std::uint32_t word = 0;
    Coroutines coroutines;
    for (std::size_t i = 0; i < size; ++i) coroutines.push_back(wait_once(word));
    futon::notify(Word<std::uint32_t>(word));
    return bench::time_of(static_cast<double>(size), [&] { destroy_newest_first(coroutines); });
}

Sample awaiting_one_promise(std::size_t size, void (*destroy)(Coroutines&)) {
    futon::EventLoop loop;
    std::uint32_t word = 0;
    const auto promise = futon::wait_async(Word<std::uint32_t>(word), 0).promise();
    Coroutines coroutines;
    for (std::size_t i = 0; i < size; ++i) coroutines.push_back(await_once(promise));
    Sample sample = bench::time_of(static_cast<double>(size), [&] { destroy(coroutines); });
    futon::notify(Word<std::uint32_t>(word));
    loop.run();
    return sample;
}

Sample woken_for_a_lock(std::size_t size) {
    futon::EventLoop loop;
    futon::AsyncLock lock;
    Coroutines coroutines;
    const bool is_first = lock.try_lock();
    for (std::size_t i = 0; i < size; ++i) coroutines.push_back(lock_once(lock));
    if (is_first) lock.unlock();
    // Each passes the wake on to the next.
    return bench::time_of(static_cast<double>(size), [&] { destroy_oldest_first(coroutines); });
}

Sample unhandled_exceptions(std::size_t size) {
    futon::EventLoop loop;
    for (std::size_t i = 0; i < size; ++i) loop.report_unhandled(std::make_exception_ptr(i));
    std::size_t thrown = 0;
    return bench::time_of(static_cast<double>(size), [&] {
        while (thrown < size) {
            try {
                loop.poll();
            } catch (std::size_t) {
                ++thrown;
            }
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "11_many_at_once");
    const std::vector<std::pair<const char*, std::function<Sample(std::size_t)>>> ends{
        {"futon, coroutines destroyed, their wakes posted", with_wakes_posted},
        {"futon, coroutines destroyed that await one promise, newest first",
         [](std::size_t size) { return awaiting_one_promise(size, destroy_newest_first); }},
        {"futon, coroutines destroyed that await one promise, oldest first",
         [](std::size_t size) { return awaiting_one_promise(size, destroy_oldest_first); }},
        {"futon, coroutines destroyed, a lock's wake passed on by each", woken_for_a_lock},
        {"futon, unhandled exceptions thrown by a loop", unhandled_exceptions}};
    for (const std::size_t size :
         session.pick<std::vector<std::size_t>>({1'000, 4'000}, {40'000, 160'000}, {40'000, 160'000}))
        for (const auto& [who, trial] : ends)
            session.add({"many that end at once", who, Kind::ours, {{"waiters", static_cast<double>(size)}}},
                        [size, trial = trial] { return trial(size); });
    session.run(session.pick(1u, 5u, 9u));
    return session.finish();
}
