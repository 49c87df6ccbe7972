// SPDX-License-Identifier: MIT
//
// 8. What do very many pending waiters cost: bytes each, to join, to leave, to have a deadline, to be drained?
//
// All on one word, or each on a word of its own, which is the harder case for a table. They leave in a random order.
// Draining notifies all of them, and runs what is posted; the stack must not grow with their number. The floor is a bare
// table of as many nodes under one lock, with a place for each word: at a million it tells what memory costs that no
// cache holds. Waits by promise have a floor of their own, whose nodes come from the heap one by one, and go back to it.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include <uv.h>
#include <asio.hpp>
#include <futon/futon.hpp>

#include "baselines/asio_lock.hpp"
#include "baselines/bare_table.hpp"
#include "harness/fresh_process.hpp"
#include "harness/memory.hpp"
#include "harness/parts.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Parts;
using bench::Sample;
using futon::Word;

/// The order in which they leave; the same in each round.
std::vector<std::size_t> shuffled(std::size_t size) {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    return order;
}

/// How deep the stack was, at most.
class Depth {
public:
    void look() {
        const char here = 0;
        const auto address = reinterpret_cast<std::uintptr_t>(&here);
        lowest_ = std::min(lowest_, address);
        highest_ = std::max(highest_, address);
    }
    double bytes() const { return static_cast<double>(highest_ - lowest_); }

private:
    std::uintptr_t lowest_ = UINTPTR_MAX;
    std::uintptr_t highest_ = 0;
};

constexpr std::chrono::hours far_away{1};

class Waiter final : public futon::core::AsyncWaiter, public futon::Timer {
public:
    Waiter(futon::Executor& executor, Depth& depth) : AsyncWaiter(executor), depth_(depth) {}

private:
    void on_complete(futon::WaitResult) noexcept override { depth_.look(); }
    void fire() noexcept override {}

    Depth& depth_;
};

/// The words they wait on.
class Words {
public:
    Words(std::size_t waiters, bool is_one) : words_(is_one ? 1 : waiters) {}

    Word<std::uint32_t> of(std::size_t waiter) { return words_[waiter % words_.size()]; }
    void notify_all() {
        for (std::uint32_t& word : words_) futon::notify(Word<std::uint32_t>(word));
    }

private:
    std::vector<std::uint32_t> words_;
};

/// A block of waiters side by side, as a program that allocates nothing for each would have them.
class Waiters {
public:
    Waiters(std::size_t size, bool is_one_word, futon::EventLoop& loop, Depth& depth)
        : size_(size), words_(size, is_one_word), waiters_(allocator_.allocate(size)) {
        for (std::size_t i = 0; i < size; ++i) std::construct_at(waiters_ + i, loop, depth);
    }
    ~Waiters() {
        std::destroy_n(waiters_, size_);
        allocator_.deallocate(waiters_, size_);
    }
    Waiters(const Waiters&) = delete;
    Waiters& operator=(const Waiters&) = delete;

    Waiter& operator[](std::size_t i) { return waiters_[i]; }
    void join_all() {
        for (std::size_t i = 0; i < size_; ++i) waiters_[i].enqueue(words_.of(i).equals(0));
    }
    void notify_all() { words_.notify_all(); }

private:
    std::size_t size_;
    Words words_;
    std::allocator<Waiter> allocator_;
    Waiter* waiters_;
};

Sample zero_allocation_door(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    futon::EventLoop loop;
    Depth depth;
    Waiters waiters(size, is_one_word, loop, depth);
    waiters.join_all();  // so that the table has grown, and the memory is there
    for (std::size_t i = 0; i < size; ++i) waiters[i].dequeue();

    Parts parts(size);
    parts.time("join", [&] { waiters.join_all(); });
    const auto moment = Clock::now() + far_away;
    parts.time("arm", [&] {
        for (std::size_t i = 0; i < size; ++i) loop.arm(waiters[i], moment + std::chrono::microseconds(i));
    });
    parts.time("disarm", [&] {
        for (const std::size_t i : order) loop.disarm(waiters[i]);
    });
    parts.time("leave", [&] {
        for (const std::size_t i : order) waiters[i].dequeue();
    });
    waiters.join_all();
    parts.time("drain", [&] {
        waiters.notify_all();
        while (loop.poll()) {
        }
    });
    parts.note("stack", depth.bytes());
    return parts.sample();
}

using Promises = std::vector<std::optional<futon::Promise<futon::WaitResult>>>;

void wait_all(Promises& promises, Words& words, futon::Deadline deadline = futon::Deadline::never()) {
    for (std::size_t i = 0; i < promises.size(); ++i)
        promises[i].emplace(futon::wait_async(words.of(i), 0, deadline).promise());
}

Sample promise_door(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    futon::EventLoop loop;
    Words words(size, is_one_word);
    Promises promises(size);
    const auto drop_all = [&] {
        for (const std::size_t i : order) promises[i].reset();
    };
    wait_all(promises, words);
    drop_all();

    Parts parts(size);
    parts.time("join", [&] { wait_all(promises, words); });
    parts.time("leave", drop_all);
    const futon::Deadline deadline(far_away);
    parts.time("join with a deadline", [&] { wait_all(promises, words, deadline); });
    parts.time("leave with a deadline", drop_all);

    const auto due = Clock::now() + std::chrono::milliseconds(1) + std::chrono::microseconds(size);
    wait_all(promises, words, due);
    while (Clock::now() < due) {
    }
    parts.time("time out", [&] { loop.run(); });

    wait_all(promises, words);
    Depth depth;
    for (auto& promise : promises) std::move(*promise).then([&](futon::WaitResult) { depth.look(); });
    parts.time("drain", [&] {
        words.notify_all();
        loop.run();
    });
    parts.note("stack", depth.bytes());
    return parts.sample();
}

void receive_all(bench::AsioChannel& channel, std::size_t size, Depth& depth) {
    for (std::size_t i = 0; i < size; ++i) channel.async_receive([&](asio::error_code, char) { depth.look(); });
}

Sample asio_channel(std::size_t size) {
    asio::io_context context(1);
    bench::AsioChannel channel(context.get_executor());
    Depth depth;
    receive_all(channel, size, depth);
    channel.cancel();
    context.run();
    context.restart();

    Parts parts(size);
    parts.time("join", [&] { receive_all(channel, size, depth); });
    parts.time("drain", [&] {
        for (std::size_t i = 0; i < size; ++i) channel.try_send(asio::error_code(), char{});
        context.run();
    });
    parts.note("stack", depth.bytes());
    return parts.sample();
}

/// Bytes of each waiter, with its part of what `join_all()` has to allocate for all.
template <class F>
double weigh(std::size_t size, double bytes_besides, F&& join_all) {
    const double before = bench::bytes_in_use();
    std::forward<F>(join_all)();
    return bytes_besides + (bench::bytes_in_use() - before) / static_cast<double>(size);
}

double weight_of_waiters(std::size_t size, bool is_one_word) {
    futon::EventLoop loop;
    Depth depth;
    Waiters waiters(size, is_one_word, loop, depth);
    return weigh(size, sizeof(futon::core::AsyncWaiter), [&] { waiters.join_all(); });
}

double weight_of_promises(std::size_t size, bool is_one_word) {
    futon::EventLoop loop;
    Words words(size, is_one_word);
    Promises promises(size);
    return weigh(size, sizeof(futon::Promise<futon::WaitResult>), [&] { wait_all(promises, words); });
}

double weight_of_receivers(std::size_t size) {
    asio::io_context context(1);
    bench::AsioChannel channel(context.get_executor());
    Depth depth;
    return weigh(size, 0, [&] { receive_all(channel, size, depth); });
}

using BlockNode = bench::BareTable::Node<sizeof(futon::core::AsyncWaiter)>;
using HeapNode = bench::BareTable::Node<152>;  // as large as the wait behind a promise

Sample bare_table(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    bench::BareTable table(size, is_one_word);
    std::vector<BlockNode> nodes(size);
    Parts parts(size);
    parts.time("join", [&] {
        for (std::size_t i = 0; i < size; ++i) table.enqueue(nodes[i], i);
    });
    parts.time("leave", [&] {
        for (const std::size_t i : order) table.dequeue(nodes[i]);
    });
    return parts.sample();
}

Sample bare_table_of_heap_nodes(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    bench::BareTable table(size, is_one_word);
    std::vector<std::unique_ptr<HeapNode>> nodes(size);
    const auto join_all = [&] {
        for (std::size_t i = 0; i < size; ++i) table.enqueue(*(nodes[i] = std::make_unique<HeapNode>()), i);
    };
    const auto leave_all = [&] {
        for (const std::size_t i : order) {
            table.dequeue(*nodes[i]);
            nodes[i].reset();
        }
    };
    join_all();  // so that the heap is as worn as it is for promises
    leave_all();

    Parts parts(size);
    parts.time("join", join_all);
    parts.time("leave", leave_all);
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

    // First, for what a table once has it keeps: copies of a process that has had no waiters.
    for (const std::size_t size : sizes) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        const auto note = [&](const char* measure, const char* who, Kind kind, const std::function<double()>& weight) {
            session.note({measure, who, kind, at}, {{"bytes", bench::in_a_fresh_process(weight)}});
        };
        note("bytes, a word each", "futon, zero-allocation door", Kind::ours,
             [=] { return weight_of_waiters(size, false); });
        note("bytes, a word each", "futon, promise", Kind::ours, [=] { return weight_of_promises(size, false); });
        note("bytes, one word", "futon, zero-allocation door", Kind::ours,
             [=] { return weight_of_waiters(size, true); });
        note("bytes, one word", "futon, promise", Kind::ours, [=] { return weight_of_promises(size, true); });
        note("bytes, one word", "asio channel", Kind::baseline, [=] { return weight_of_receivers(size); });
    }

    for (const std::size_t size : sizes) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        const auto order = std::make_shared<const std::vector<std::size_t>>(shuffled(size));
        for (const bool is_one : {false, true}) {
            const char* measure = is_one ? "pending waiters, one word" : "pending waiters, a word each";
            session.add({measure, "a bare table", Kind::floor, at}, [=] { return bare_table(size, is_one, *order); });
            session.add({measure, "a bare table on the heap", Kind::floor, at},
                        [=] { return bare_table_of_heap_nodes(size, is_one, *order); });
            session.add({measure, "futon, zero-allocation door", Kind::ours, at},
                        [=] { return zero_allocation_door(size, is_one, *order); });
            session.add({measure, "futon, promise", Kind::ours, at},
                        [=] { return promise_door(size, is_one, *order); });
        }
        session.add({"pending waiters, one word", "asio channel", Kind::baseline, at},
                    [=] { return asio_channel(size); });
        const char* timers = "pending waiters, a word each";
        session.add({timers, "asio::steady_timer", Kind::baseline, at}, [=] { return asio_timers(size, *order); });
        session.add({timers, "uv_timer_t", Kind::baseline, at}, [=] { return uv_timers(size, *order); });
        const bool is_large = size > 100'000;
        session.run(is_large ? session.pick(1u, 1u, 5u) : session.pick(1u, 5u, 15u));
    }
    return session.finish();
}
