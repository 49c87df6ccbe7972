// SPDX-License-Identifier: MIT
//
// The bounded queue that programs of JavaScript's world write over Atomics.wait and Atomics.notify, in a SharedArrayBuffer: a
// lock of three states, a count of items, a ring of numbers. It is kept step for step as such programs have it, with
// futon::wait and futon::notify in the place of Atomics'; and beside it stands what takes its place, a Channel. The
// queue's users must be able to block, and must agree on a number that means the end. A channel has both kinds of users and
// an end.
//
// Prints:
//     queue over atomics: sum 5050
//     channel:            sum 5050, received by a thread and a loop

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <futon/futon.hpp>

namespace {

using Word = futon::Word<std::int32_t>;

/// A queue of numbers in shared memory.
///
///     class Queue {                                    // as it is written there, over `this.i32`, an Int32Array
///       lock() {
///         let c = Atomics.compareExchange(i32, LOCK, 0, 1);
///         while (c !== 0) {
///           if (c === 2 || Atomics.compareExchange(i32, LOCK, 1, 2) !== 0) Atomics.wait(i32, LOCK, 2);
///           c = Atomics.compareExchange(i32, LOCK, 0, 2);
///         }
///       }
///       unlock() { if (Atomics.sub(i32, LOCK, 1) !== 1) { Atomics.store(i32, LOCK, 0); Atomics.notify(i32, LOCK, 1); } }
///       push(x) {
///         for (;;) {
///           this.lock();
///           const n = i32[COUNT];
///           if (n < SIZE) {
///             i32[ITEMS + (i32[FIRST] + n) % SIZE] = x; Atomics.store(i32, COUNT, n + 1);
///             this.unlock(); Atomics.notify(i32, COUNT); return;
///           }
///           this.unlock(); Atomics.wait(i32, COUNT, n);
///         }
///       }
///       ...
class Queue {
public:
    explicit Queue(futon::SharedArrayBuffer& buffer) : i32_(buffer) {}

    void push(std::int32_t number) {
        while (true) {
            lock();
            const std::int32_t count = cell(count_at).load();
            if (count < size) {
                const std::int32_t first = cell(first_at).load();
                cell(items_at + static_cast<std::size_t>((first + count) % size)).store(number);
                cell(count_at).store(count + 1);
                unlock();
                futon::notify(cell(count_at));
                return;
            }
            unlock();
            (void)futon::wait(cell(count_at), count);  // full
        }
    }

    std::int32_t pop() {
        while (true) {
            lock();
            const std::int32_t count = cell(count_at).load();
            if (count > 0) {
                const std::int32_t first = cell(first_at).load();
                const std::int32_t number = cell(items_at + static_cast<std::size_t>(first)).load();
                cell(first_at).store((first + 1) % size);
                cell(count_at).store(count - 1);
                unlock();
                futon::notify(cell(count_at));
                return number;
            }
            unlock();
            (void)futon::wait(cell(count_at), 0);  // empty
        }
    }

    static constexpr std::int32_t size = 8;
    static constexpr std::size_t bytes = (3 + size) * sizeof(std::int32_t);

private:
    static constexpr std::size_t lock_at = 0, count_at = 1, first_at = 2, items_at = 3;

    Word cell(std::size_t index) { return i32_[index]; }

    void lock() {
        std::int32_t c = cell(lock_at).compare_exchange(0, 1);
        while (c != 0) {
            if (c == 2 || cell(lock_at).compare_exchange(1, 2) != 0) (void)futon::wait(cell(lock_at), 2);
            c = cell(lock_at).compare_exchange(0, 2);
        }
    }
    void unlock() {
        if (cell(lock_at).fetch_sub(1) == 1) return;
        cell(lock_at).store(0);
        futon::notify(cell(lock_at), 1);
    }

    futon::TypedArray<std::int32_t> i32_;
};

constexpr std::int32_t last = 100;
constexpr long sum_of_all = long{last} * (last + 1) / 2;

bool with_the_queue() {
    futon::SharedArrayBuffer buffer(Queue::bytes);
    Queue queue(buffer);
    std::jthread producer([&] {
        for (std::int32_t number = 1; number <= last; ++number) queue.push(number);
        queue.push(-1);  // the end, which every consumer would need one of
    });
    long sum = 0;
    for (std::int32_t number = queue.pop(); number >= 0; number = queue.pop()) sum += number;
    std::printf("queue over atomics: sum %ld\n", sum);
    return sum == sum_of_all;
}

futon::Promise<long> sum_up(futon::Channel<std::int32_t>& channel) {
    long sum = 0;
    while (auto number = co_await channel.receive_async()) sum += *number;
    co_return sum;
}

bool with_a_channel() {
    futon::EventLoop loop;
    futon::Channel<std::int32_t> channel(Queue::size);
    std::jthread producer([&] {
        for (std::int32_t number = 1; number <= last; ++number) (void)!channel.send(number);
        channel.close();  // the end, for all
    });
    long sum_of_thread = 0;
    std::jthread consumer([&] {
        for (const std::int32_t number : channel.items()) sum_of_thread += number;
    });
    auto summing = sum_up(channel);
    const long sum_of_loop = loop.run_until(summing);
    consumer.join();
    std::printf("channel:            sum %ld, received by a thread and a loop\n", sum_of_thread + sum_of_loop);
    return sum_of_thread + sum_of_loop == sum_of_all;
}

}  // namespace

int main() {
    return with_the_queue() && with_a_channel() ? 0 : 1;
}
