// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>

#include "harness/latency.hpp"
#include "harness/require.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

// A pipeline: a source sends each item to the stage A or B, both send theirs to a sink, and each of the four obeys orders
// besides, such as a change of settings, or the stop.
namespace bench::pipeline {

inline std::int64_t now() {
    return Clock::now().time_since_epoch().count();
}

enum Who : std::size_t { stage_a, stage_b, source, sink };

constexpr std::size_t capacity = 64;

struct Item {
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    std::int64_t sent = 0;  // zero where it is not timed
    Who by = source;
    bool is_last = false;
};

struct Order {
    std::int64_t sent = 0;
    bool is_stop = false;
};

/// How many items the source has to send: as many as it can, or ten at once, so far apart.
struct Pace {
    std::chrono::nanoseconds between_bursts{0};
};

/// What each of the four does with orders.
class Party {
public:
    /// Whether it shall stop.
    bool obey(const Order& order) {
        ++orders_;
        waits_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(now() - order.sent, 0)));
        return order.is_stop;
    }
    std::uint64_t orders() const { return orders_; }
    const Histogram& waits() const { return waits_; }

private:
    std::uint64_t orders_ = 0;
    Histogram waits_;
};

class alignas(64) Source : public Party {
public:
    explicit Source(const Pace& pace) : pace_(pace) {}

    /// Whether the next item is not there before `due`.
    bool is_early() {
        if (pace_.between_bursts.count() == 0) return false;
        if (number_ / 10 >= bursts_) {
            ++bursts_;
            due_ += pace_.between_bursts;
        }
        return Clock::now() < due_;
    }
    Clock::time_point due() const { return due_; }

    /// The next item, until it is sent. The stage that it prefers has the other turn, if it has room.
    Item next() const {
        if (bursts_ != 0) return {number_, number_, due_.time_since_epoch().count()};
        return {number_, number_, number_ % 16 == 0 ? now() : 0};
    }
    Who preferred() const { return number_ % 2 == 0 ? stage_a : stage_b; }
    void sent() {
        work_();
        if (number_++ != 0) return;
        has_begun_ = true;
        has_begun_.notify_one();
    }
    void await_first_item() const { has_begun_.wait(false); }
    static Item last() {
        Item item;
        item.is_last = true;
        return item;
    }

    std::uint64_t items() const { return number_; }

private:
    Pace pace_;
    Work work_{std::chrono::nanoseconds(300)};
    std::uint64_t number_ = 0;
    std::atomic<bool> has_begun_{false};
    std::uint64_t bursts_ = 0;
    Clock::time_point due_ = Clock::now();
};

class alignas(64) Stage : public Party {
public:
    explicit Stage(Who who) : who_(who) {}

    /// The item that it makes of this one.
    Item process(Item item) {
        work_();
        item.value = result(item.number, who_);
        item.by = who_;
        if (!item.is_last) ++items_;
        return item;
    }
    static std::uint64_t result(std::uint64_t number, Who who) { return number * 31 + who; }
    std::uint64_t items() const { return items_; }

private:
    Who who_;
    Work work_{std::chrono::nanoseconds(600)};
    std::uint64_t items_ = 0;
};

class alignas(64) Sink : public Party {
public:
    /// Whether there are more.
    bool take(const Item& item) {
        if (item.is_last) return ++ended_ < 2;
        require(item.value == Stage::result(item.number, item.by), "an item has been through its stage");
        if (item.sent != 0) latencies_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(now() - item.sent, 0)));
        work_();
        ++items_;
        sum_ += item.number;
        return true;
    }

    std::uint64_t items() const { return items_; }
    std::uint64_t sum() const { return sum_; }
    const Histogram& latencies() const { return latencies_; }

private:
    Work work_{std::chrono::nanoseconds(300)};
    int ended_ = 0;
    std::uint64_t items_ = 0;
    std::uint64_t sum_ = 0;
    Histogram latencies_;
};

struct Parties {
    explicit Parties(const Pace& pace) : from(pace) {}

    Source from;
    std::array<Stage, 2> stages{Stage(stage_a), Stage(stage_b)};
    Sink to;
};

/// Runs a pipeline for this long, with an order to each of the four in each millisecond, and a stop in the end. A
/// `Plumbing(parties)` starts them, `order(who, order)` sends an order, and `join()` returns when all have ended.
template <class Plumbing>
Sample pump(const Pace& pace, std::chrono::milliseconds length) {
    Parties parties(pace);
    std::uint64_t orders = 0;
    Sample sample = time_of(1, [&] {
        Plumbing plumbing(parties);
        parties.from.await_first_item();  // its thread may have to wait for a processor
        for (const Clock::time_point end = Clock::now() + length; Clock::now() < end;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            for (const Who who : {source, stage_a, stage_b, sink}) plumbing.order(who, {now(), false});
            ++orders;
        }
        plumbing.order(source, {now(), true});
        plumbing.join();
    });

    const auto& [from, stages, to] = parties;
    require(to.items() == from.items() && to.items() == stages[0].items() + stages[1].items(), "no item is lost");
    require(to.items() > 0, "there are items");
    require(to.sum() == from.items() * (from.items() - 1) / 2, "each item arrives once");
    require(from.orders() == orders + 1, "the source has all orders");
    Histogram waits = from.waits();
    for (const Party* party : std::array<const Party*, 3>{&stages[0], &stages[1], &to}) {
        require(party->orders() == orders, "each stage has all orders");
        waits.add(party->waits());
    }
    for (auto& [name, value] : sample.values) value /= static_cast<double>(to.items());
    note_latencies(sample, "item", to.latencies());
    note_latencies(sample, "order", waits);
    return sample;
}

/// The four as threads. `Queues` has, for threads that may block, what returns an order if there is one, else does its work:
///
///     give(item, preferred)       sends the item to this stage or, if that has no room, to the other
///     order_until(time)           returns at this time, if there is no order
///     take(stage, item)           receives the item for this stage
///     take_last(item)             receives the item for the sink
///
/// and `end(item, stage)`, which sends the last item to this stage, `pass(item)`, which sends an item to the sink,
/// `order(who, order)`, and `left_order(who)`, which returns an order if there is one: it may have come after the queue of
/// orders was tried and before the last item was.
template <class Queues>
class Threads {
public:
    explicit Threads(Parties& parties) {
        threads_[source] = std::jthread([&, this] { run_source(parties.from); });
        for (const Who who : {stage_a, stage_b})
            threads_[who] = std::jthread([&, this, who] { run_stage(parties.stages[who], who); });
        threads_[sink] = std::jthread([&, this] { run_sink(parties.to); });
    }

    void order(Who who, const Order& order) { queues_.order(who, order); }
    void join() {
        for (std::jthread& thread : threads_) thread.join();
    }

private:
    void run_source(Source& from) {
        for (bool is_over = false; !is_over;) {
            if (from.is_early()) {
                if (const std::optional<Order> order = queues_.order_until(from.due())) is_over = from.obey(*order);
                continue;
            }
            if (const std::optional<Order> order = queues_.give(from.next(), from.preferred())) {
                is_over = from.obey(*order);
            } else {
                from.sent();
            }
        }
        for (const Who who : {stage_a, stage_b}) queues_.end(Source::last(), who);
    }
    void run_stage(Stage& stage, Who who) {
        for (Item item; !item.is_last;) {
            if (const std::optional<Order> order = queues_.take(who, item)) {
                stage.obey(*order);
            } else {
                queues_.pass(stage.process(item));
            }
        }
        while (const std::optional<Order> order = queues_.left_order(who)) stage.obey(*order);
    }
    void run_sink(Sink& to) {
        for (bool are_there_more = true; are_there_more;) {
            Item item;
            if (const std::optional<Order> order = queues_.take_last(item)) {
                to.obey(*order);
            } else {
                are_there_more = to.take(item);
            }
        }
        while (const std::optional<Order> order = queues_.left_order(sink)) to.obey(*order);
    }

    Queues queues_;
    std::array<std::jthread, 4> threads_;
};

}  // namespace bench::pipeline
