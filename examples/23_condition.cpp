// SPDX-License-Identifier: MIT
//
// A queue of letters between threads and an event loop, with a condition: once as JavaScript's Atomics make one from a
// sequence word, line by line, and once with futon::Condition, which moves its waiters to the lock's queue, and which
// coroutines await as threads block for it.
//
// Prints:
//     a condition of a sequence word: 42
//     before anything was put:        none
//     the thread took:                1
//     the coroutine took:             2
//     notified:                       1

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

/// The Atomics-based condition of the JavaScript world, over an Int32Array. Beside each statement what JavaScript writes.
///
/// Each waiter is woken for a lock that the notifier may hold; a waiter that must not block has no place in it; and what comes
/// between `notify` and the second `lock` may take the letter first.
class SequenceCondition {
public:
    SequenceCondition(futon::Int32Array words, std::size_t index) : words_(words), index_(index) {}

    void wait(std::unique_lock<futon::AsyncLock>& hold) {
        const std::int32_t sequence = words_[index_].load();  // const seq = Atomics.load(ia, index);
        hold.unlock();                                        // mutex.unlock();
        futon::wait(words_[index_], sequence);                // Atomics.wait(ia, index, seq);
        hold.lock();                                          // mutex.lock();
    }
    void notify_one() {
        words_[index_].fetch_add(1);       // Atomics.add(ia, index, 1);
        futon::notify(words_[index_], 1);  // Atomics.notify(ia, index, 1);
    }

private:
    futon::Int32Array words_;
    std::size_t index_;
};

/// The same of this library.
class Letters {
public:
    std::size_t put(int letter) {
        const std::scoped_lock hold(lock_);
        letters_.push_back(letter);
        return arrived_.notify_one();  // the lock is held: the waiter is moved to its queue
    }

    std::optional<int> take(futon::Limits limits) {
        std::unique_lock hold(lock_);
        if (!arrived_.wait(
                hold, [this] { return !letters_.empty(); }, limits))
            return std::nullopt;
        return take_first();
    }

    futon::Promise<int> take_async() {
        auto guard = co_await lock_.scoped_lock_async();
        co_await arrived_.wait_async(guard, [this] { return !letters_.empty(); });
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

int with_a_sequence_word() {
    futon::SharedArrayBuffer buffer(8);
    futon::AsyncLock& lock = futon::AsyncLock::at(buffer, 4);
    SequenceCondition arrived(futon::Int32Array(buffer), 0);
    std::optional<int> letter;
    const std::jthread sender([&] {
        const std::scoped_lock hold(lock);
        letter = 42;
        arrived.notify_one();
    });
    std::unique_lock hold(lock);
    while (!letter) arrived.wait(hold);
    return *letter;
}

}  // namespace

int main() {
    const int first = with_a_sequence_word();
    std::printf("a condition of a sequence word: %d\n", first);

    Letters letters;
    const std::optional<int> none = letters.take(10ms);
    std::printf("before anything was put:        %s\n", none ? "SOMETHING" : "none");

    std::size_t notified = 0;
    std::optional<int> of_thread;
    {
        std::jthread sender([&] { letters.put(1); });
        of_thread = letters.take(10s);
    }
    std::printf("the thread took:                %d\n", of_thread.value_or(0));

    futon::EventLoop loop;
    auto taking = letters.take_async();
    {
        std::jthread sender([&] { notified = letters.put(2); });
    }
    const int of_coroutine = loop.run_until(std::move(taking));
    std::printf("the coroutine took:             %d\nnotified:                       %zu\n", of_coroutine, notified);
    return first == 42 && !none && of_thread == 1 && of_coroutine == 2 && notified == 1 ? 0 : 1;
}
