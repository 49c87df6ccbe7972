// SPDX-License-Identifier: MIT
//
// 8. What do very many pending waiters cost: to enqueue, to dequeue, to give a deadline, to notify?
//
// All on one word, or each on a word of its own, which is the harder case for a table. They are dequeued in a random
// order. Draining notifies all of them, and runs the completions; the stack must not grow with their number. The floor
// is a bare table of as many nodes under one lock, with a queue for each word: at a million it shows the cost of memory
// that no cache holds. Promises have a floor of their own, whose nodes are allocated from the heap one by one, and
// freed.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include <uv.h>
#include <asio.hpp>
#include <futon/futon.hpp>

#include "floors/bare_table.hpp"
#include "harness/parts.hpp"
#include "harness/pending_waiters.hpp"
#include "harness/session.hpp"
#include "peers/asio_lock.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Parts;
using bench::Sample;

/// The order of dequeueing; the same in each round.
std::vector<std::size_t> shuffled(std::size_t size) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    return order;
}

constexpr std::chrono::hours far_away{1};

Sample async_waiters(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    futon::EventLoop loop;
    bench::StackDepth depth;
    bench::PendingWaiters waiters(size, is_one_word, loop, depth);
    waiters.enqueue_all();  // the table grows, and the memory is mapped
    for (std::size_t i = 0; i < size; ++i) waiters[i].dequeue();

    Parts parts(size);
    parts.time("enqueue", [&] { waiters.enqueue_all(); });
    const auto due = Clock::now() + far_away;
    parts.time("arm", [&] {
        for (std::size_t i = 0; i < size; ++i) loop.arm(waiters[i], due + std::chrono::microseconds(i));
    });
    parts.time("disarm", [&] {
        for (const std::size_t i : order) loop.disarm(waiters[i]);
    });
    parts.time("dequeue", [&] {
        for (const std::size_t i : order) waiters[i].dequeue();
    });
    waiters.enqueue_all();
    parts.time("drain", [&] {
        waiters.notify_all();
        while (loop.poll()) {
        }
    });
    parts.note("stack", depth.bytes());
    return parts.sample();
}

Sample promise_waits(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    futon::EventLoop loop;
    bench::PendingWords words(size, is_one_word);
    bench::PendingPromises promises(size);
    const auto drop_all = [&] {
        for (const std::size_t i : order) promises[i].reset();
    };
    wait_all(promises, words);
    drop_all();

    Parts parts(size);
    parts.time("enqueue", [&] { wait_all(promises, words); });
    parts.time("dequeue", drop_all);
    const futon::Deadline deadline(far_away);
    parts.time("enqueue with a deadline", [&] { wait_all(promises, words, deadline); });
    parts.time("dequeue with a deadline", drop_all);

    // Late enough that all are enqueued before, on a busy machine too.
    const auto due = Clock::now() + std::chrono::milliseconds(50) + std::chrono::microseconds(size);
    wait_all(promises, words, due);
    while (Clock::now() < due) {
    }
    parts.time("time out", [&] { loop.run(); });

    wait_all(promises, words);
    bench::StackDepth depth;
    for (auto& promise : promises) std::move(*promise).then([&](futon::WaitResult) { depth.note(); });
    parts.time("drain", [&] {
        words.notify_all();
        loop.run();
    });
    parts.note("stack", depth.bytes());
    return parts.sample();
}

Sample asio_channel(std::size_t size) {
    asio::io_context context(1);
    bench::AsioChannel channel(context.get_executor());
    bench::StackDepth depth;
    receive_all(channel, size, depth);
    channel.cancel();
    context.run();
    context.restart();

    Parts parts(size);
    parts.time("enqueue", [&] { receive_all(channel, size, depth); });
    parts.time("drain", [&] {
        for (std::size_t i = 0; i < size; ++i) channel.try_send(asio::error_code(), char{});
        context.run();
    });
    parts.note("stack", depth.bytes());
    return parts.sample();
}

using BlockNode = bench::BareTable::Node<sizeof(futon::core::AsyncWaiter)>;
using HeapNode = bench::BareTable::Node<152>;  // the size of the wait behind a promise

Sample bare_table(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    bench::BareTable table(size, is_one_word);
    std::vector<BlockNode> nodes(size);
    Parts parts(size);
    parts.time("enqueue", [&] {
        for (std::size_t i = 0; i < size; ++i) table.enqueue(nodes[i], i);
    });
    parts.time("dequeue", [&] {
        for (const std::size_t i : order) table.dequeue(nodes[i]);
    });
    return parts.sample();
}

Sample bare_table_of_heap_nodes(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    bench::BareTable table(size, is_one_word);
    std::vector<std::unique_ptr<HeapNode>> nodes(size);
    const auto enqueue_all = [&] {
        for (std::size_t i = 0; i < size; ++i) table.enqueue(*(nodes[i] = std::make_unique<HeapNode>()), i);
    };
    const auto dequeue_all = [&] {
        for (const std::size_t i : order) {
            table.dequeue(*nodes[i]);
            nodes[i].reset();
        }
    };
    enqueue_all();  // the heap is as fragmented as it is for promises
    dequeue_all();

    Parts parts(size);
    parts.time("enqueue", enqueue_all);
    parts.time("dequeue", dequeue_all);
    return parts.sample();
}

Sample asio_timers(std::size_t size, const std::vector<std::size_t>& order) {
    asio::io_context context(1);
    const auto now = Clock::now() + far_away;
    std::vector<asio::steady_timer> timers;
    timers.reserve(size);
    for (std::size_t i = 0; i < size; ++i) timers.emplace_back(context, now + std::chrono::microseconds(i));

    Parts parts(size);
    parts.time("arm", [&] {
        for (asio::steady_timer& timer : timers) timer.async_wait([](asio::error_code) {});
    });
    parts.time("disarm", [&] {
        for (const std::size_t i : order) timers[i].cancel();
        context.run();
    });
    return parts.sample();
}

Sample uv_timers(std::size_t size, const std::vector<std::size_t>& order) {
    uv_loop_t loop;
    uv_loop_init(&loop);
    std::vector<uv_timer_t> timers(size);
    for (uv_timer_t& timer : timers) uv_timer_init(&loop, &timer);

    Parts parts(size);
    parts.time("arm", [&] {
        std::uint64_t milliseconds = 3'600'000;
        for (uv_timer_t& timer : timers)
            uv_timer_start(
                &timer, [](uv_timer_t*) {}, milliseconds++, 0);
    });
    parts.time("disarm", [&] {
        for (const std::size_t i : order) uv_timer_stop(&timers[i]);
    });
    for (uv_timer_t& timer : timers) uv_close(reinterpret_cast<uv_handle_t*>(&timer), nullptr);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
    return parts.sample();
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "08_pending_waiters");
    const std::vector<std::size_t> sizes = session.powers_of_ten(2, 4, 6, 6);

    for (const std::size_t size : sizes) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        const auto order = std::make_shared<const std::vector<std::size_t>>(shuffled(size));
        for (const bool is_one : {false, true}) {
            const char* measure = is_one ? "pending waiters, one shared word" : "pending waiters, one word each";
            session.add({measure, "bare table", Kind::floor, at}, [=] { return bare_table(size, is_one, *order); });
            session.add({measure, "bare table, heap nodes", Kind::floor, at},
                        [=] { return bare_table_of_heap_nodes(size, is_one, *order); });
            session.add({measure, "futon, AsyncWaiter", Kind::ours, at},
                        [=] { return async_waiters(size, is_one, *order); });
            session.add({measure, "futon, promise", Kind::ours, at},
                        [=] { return promise_waits(size, is_one, *order); });
        }
        session.add({"pending waiters, one shared word", "asio channel", Kind::peer, at},
                    [=] { return asio_channel(size); });
        const char* timers = "pending waiters, one word each";
        session.add({timers, "asio::steady_timer", Kind::peer, at}, [=] { return asio_timers(size, *order); });
        session.add({timers, "uv_timer_t", Kind::peer, at}, [=] { return uv_timers(size, *order); });
        const bool is_large = size > 100'000;
        session.run(is_large ? session.pick(1u, 1u, 5u) : session.pick(1u, 5u, 15u));
    }
    return session.finish();
}
