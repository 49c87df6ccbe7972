// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include <oneapi/tbb/concurrent_queue.h>

#include "harness/pipeline.hpp"

// The queues of a pipeline, of other libraries.
namespace bench::pipeline {

/// Deques behind a mutex. A thread waits for what one condition variable tells, so all that the source or a stage waits for
/// is behind one mutex, and what the sink waits for behind another.
class Deques {
public:
    std::optional<Order> give(const Item& item, Who preferred) {
        std::unique_lock hold(front_);
        const auto has_room = [this](Who who) { return items_[who].size() < capacity; };
        has_room_.wait(hold, [&] { return !orders_[source].empty() || has_room(stage_a) || has_room(stage_b); });
        if (auto order = pop(orders_[source])) return order;
        const Who who = has_room(preferred) ? preferred : preferred == stage_a ? stage_b : stage_a;
        items_[who].push_back(item);
        hold.unlock();
        has_items_[who].notify_one();
        return {};
    }
    std::optional<Order> order_until(Clock::time_point time) {
        std::unique_lock hold(front_);
        has_room_.wait_until(hold, time, [&] { return !orders_[source].empty(); });
        return pop(orders_[source]);
    }
    void end(const Item& item, Who who) {
        std::unique_lock hold(front_);
        has_room_.wait(hold, [&] { return items_[who].size() < capacity; });
        items_[who].push_back(item);
        hold.unlock();
        has_items_[who].notify_one();
    }
    std::optional<Order> take(Who who, Item& item) {
        std::unique_lock hold(front_);
        has_items_[who].wait(hold, [&] { return !orders_[who].empty() || !items_[who].empty(); });
        if (auto order = pop(orders_[who])) return order;
        item = *pop(items_[who]);
        hold.unlock();
        has_room_.notify_one();
        return {};
    }
    void pass(const Item& item) {
        std::unique_lock hold(back_);
        has_room_at_sink_.wait(hold, [&] { return items_[sink].size() < capacity; });
        items_[sink].push_back(item);
        hold.unlock();
        has_items_[sink].notify_one();
    }
    std::optional<Order> take_last(Item& item) {
        std::unique_lock hold(back_);
        has_items_[sink].wait(hold, [&] { return !orders_[sink].empty() || !items_[sink].empty(); });
        if (auto order = pop(orders_[sink])) return order;
        item = *pop(items_[sink]);
        hold.unlock();
        has_room_at_sink_.notify_one();
        return {};
    }
    std::optional<Order> left_order(Who) { return {}; }
    void order(Who who, const Order& order) {
        {
            const std::lock_guard hold(who == sink ? back_ : front_);
            orders_[who].push_back(order);
        }
        (who == source ? has_room_ : has_items_[who]).notify_one();
    }

private:
    template <class T>
    static std::optional<T> pop(std::deque<T>& queue) {
        if (queue.empty()) return {};
        std::optional<T> first = queue.front();
        queue.pop_front();
        return first;
    }

    std::mutex front_;
    std::mutex back_;
    std::array<std::deque<Item>, 4> items_;
    std::array<std::deque<Order>, 4> orders_;
    std::array<std::condition_variable, 4> has_items_;
    std::condition_variable has_room_;  // of the source, and of nothing else
    std::condition_variable has_room_at_sink_;
};

/// tbb's queues know no select, so an order comes in band, behind the items that are queued; the source, which has to block for
/// room, looks for orders before.
class TbbInBand {
public:
    std::optional<Order> give(const Item& item, Who preferred) {
        Order order;
        if (orders_.try_pop(order)) return order;
        const Who other = preferred == stage_a ? stage_b : stage_a;
        if (!queues_[preferred].try_push({item, {}}) && !queues_[other].try_push({item, {}}))
            queues_[preferred].push({item, {}});
        return {};
    }
    std::optional<Order> order_until(Clock::time_point time) {
        std::this_thread::sleep_until(time);
        Order order;
        if (orders_.try_pop(order)) return order;
        return {};
    }
    void end(const Item& item, Who who) { queues_[who].push({item, {}}); }
    std::optional<Order> take(Who who, Item& item) {
        Message message;
        queues_[who].pop(message);
        if (!message.order) item = message.item;
        return message.order;
    }
    void pass(const Item& item) { queues_[sink].push({item, {}}); }
    std::optional<Order> take_last(Item& item) { return take(sink, item); }
    std::optional<Order> left_order(Who) { return {}; }
    void order(Who who, const Order& order) {
        if (who == source) {
            orders_.push(order);
        } else {
            queues_[who].push({{}, order});
        }
    }

    TbbInBand() {
        for (auto& queue : queues_) queue.set_capacity(capacity);
    }

private:
    struct Message {
        Item item;
        std::optional<Order> order;
    };

    std::array<tbb::concurrent_bounded_queue<Message>, 4> queues_;
    tbb::concurrent_queue<Order> orders_;
};

/// Or its threads poll, and yield.
class TbbPolled {
public:
    TbbPolled() {
        for (auto& queue : items_) queue.set_capacity(capacity);
    }

    std::optional<Order> give(const Item& item, Who preferred) {
        const Who other = preferred == stage_a ? stage_b : stage_a;
        while (true) {
            Order order;
            if (orders_[source].try_pop(order)) return order;
            if (items_[preferred].try_push(item) || items_[other].try_push(item)) return {};
            std::this_thread::yield();
        }
    }
    std::optional<Order> order_until(Clock::time_point time) {
        Order order;
        while (!orders_[source].try_pop(order)) {
            if (Clock::now() >= time) return {};
            std::this_thread::yield();
        }
        return order;
    }
    void end(const Item& item, Who who) { items_[who].push(item); }
    std::optional<Order> take(Who who, Item& item) {
        while (true) {
            Order order;
            if (orders_[who].try_pop(order)) return order;
            if (items_[who].try_pop(item)) return {};
            std::this_thread::yield();
        }
    }
    void pass(const Item& item) { items_[sink].push(item); }
    std::optional<Order> take_last(Item& item) { return take(sink, item); }
    std::optional<Order> left_order(Who who) {
        Order order;
        if (orders_[who].try_pop(order)) return order;
        return {};
    }
    void order(Who who, const Order& order) { orders_[who].push(order); }

private:
    std::array<tbb::concurrent_bounded_queue<Item>, 4> items_;
    std::array<tbb::concurrent_queue<Order>, 4> orders_;
};

}  // namespace bench::pipeline
