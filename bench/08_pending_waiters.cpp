// SPDX-License-Identifier: MIT
//
// 8. What do very many pending waiters cost: bytes each, to join, to leave, to have a deadline, to be drained?
//
// All on one word, or each on a word of its own, which is the harder case for a table. They leave in a random order.
// Draining notifies all of them, and runs what is posted; the stack must not grow with their number. The floor is a bare
// table of as many nodes under one lock, with a place for each word: at a million it tells what memory costs that no
// cache holds.

#include <algorithm>
#include <bit>
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

#include "harness/fresh_process.hpp"
#include "harness/memory.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "rivals/asio_lock.hpp"
#include "rivals/bare_lock.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;
using futon::Word;

/// Times the parts of one round, one after the other.
class Parts {
public:
    explicit Parts(std::size_t size) : size_(static_cast<double>(size)) {}

    template <class F>
    void time(const char* part, F&& f) {
        const Clock::time_point begin = Clock::now();
        std::forward<F>(f)();
        sample_.values[part] = bench::nanoseconds(Clock::now() - begin) / size_;
    }

    void note(const char* name, double value) { sample_.values[name] = value; }

    const Sample& sample() const { return sample_; }

private:
    double size_;
    Sample sample_;
};

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
        for (std::size_t i = 0; i < size_; ++i) waiters_[i].join(words_.of(i).equals(0));
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
    for (std::size_t i = 0; i < size; ++i) waiters[i].leave();

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
        for (const std::size_t i : order) waiters[i].leave();
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

/// The least that a line in a table can do: lock, find the place that belongs to the word, link, unlock. Places are never
/// shared, so nothing is ever searched for.
class BareTable {
public:
    BareTable(std::size_t size, bool is_one_word)
        : nodes_(size), places_(is_one_word ? 1 : std::bit_ceil(size)), words_(is_one_word ? 1 : size) {}

    void join(std::size_t i) {
        Node& node = nodes_[i];
        node.word = &words_[i % words_.size()];
        hold_.lock();
        Links& end = place_of(node).end;
        if (end.next == nullptr) end.next = end.previous = &end;
        node.next = &end;
        node.previous = end.previous;
        end.previous->next = &node;
        end.previous = &node;
        hold_.unlock();
    }

    void leave(std::size_t i) {
        Node& node = nodes_[i];
        hold_.lock();
        node.next->previous = node.previous;
        node.previous->next = node.next;
        Place& place = place_of(node);
        if (place.end.next == &place.end) place.end.next = nullptr;
        hold_.unlock();
    }

private:
    struct Links {
        Links* next = nullptr;
        Links* previous = nullptr;
    };
    struct Node : Links {
        const std::uint32_t* word = nullptr;
        std::byte rest[sizeof(futon::core::AsyncWaiter) - sizeof(Links) - sizeof word] = {};
    };
    struct Place {
        Links end;
    };

    /// Words side by side must not have places side by side, or it would be a table of nothing but neighbours.
    Place& place_of(const Node& node) {
        std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(node.word) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 32)) * 0x9e3779b97f4a7c15u;
        return places_[(mixed >> 32) & (places_.size() - 1)];
    }

    std::vector<Node> nodes_;
    std::vector<Place> places_;
    std::vector<std::uint32_t> words_;
    bench::BareLock hold_;
};

Sample bare_table(std::size_t size, bool is_one_word, const std::vector<std::size_t>& order) {
    BareTable table(size, is_one_word);
    Parts parts(size);
    parts.time("join", [&] {
        for (std::size_t i = 0; i < size; ++i) table.join(i);
    });
    parts.time("leave", [&] {
        for (const std::size_t i : order) table.leave(i);
    });
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
        note("bytes, one word", "asio channel", Kind::rival, [=] { return weight_of_receivers(size); });
    }

    for (const std::size_t size : sizes) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        const auto order = std::make_shared<const std::vector<std::size_t>>(shuffled(size));
        for (const bool is_one : {false, true}) {
            const char* measure = is_one ? "pending waiters, one word" : "pending waiters, a word each";
            session.add({measure, "a bare table", Kind::floor, at}, [=] { return bare_table(size, is_one, *order); });
            session.add({measure, "futon, zero-allocation door", Kind::ours, at},
                        [=] { return zero_allocation_door(size, is_one, *order); });
            session.add({measure, "futon, promise", Kind::ours, at},
                        [=] { return promise_door(size, is_one, *order); });
        }
        session.add({"pending waiters, one word", "asio channel", Kind::rival, at}, [=] { return asio_channel(size); });
        const char* timers = "pending waiters, a word each";
        session.add({timers, "asio::steady_timer", Kind::rival, at}, [=] { return asio_timers(size, *order); });
        session.add({timers, "uv_timer_t", Kind::rival, at}, [=] { return uv_timers(size, *order); });
        const bool is_large = size > 100'000;
        session.run(is_large ? session.pick(1u, 1u, 5u) : session.pick(1u, 5u, 15u));
    }
    return session.finish();
}
