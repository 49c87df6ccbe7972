// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <mutex>

#include <asio.hpp>
#include <asio/experimental/channel.hpp>
#include <asio/experimental/concurrent_channel.hpp>
#include <boost/fiber/all.hpp>
#include <futon/futon.hpp>
#include <futon/sync/channel.hpp>

#include "harness/stream.hpp"

// Bounded channels. Those of this interface are for one stream:
//
//     Link(capacity, where, ends)
//     send_in_thread(items)              from a thread that may block
//     receive_in_thread(items, receipts)
//     send_in_loop(items)                from a coroutine or fiber, on the loop that this runs
//     receive_in_loop(items, receipts)
//     within_one_loop(items, receipts)   both, on one loop
//     help()                             what a further thread runs, if no end is a loop
namespace bench {

/// Which ends are loops.
enum class Ends { threads, to_loop, from_loop, loops };

class FutonLink {
public:
    FutonLink(std::size_t capacity, Ends, int) : channel_(capacity) {}

    void send_in_thread(int items) {
        for (Items sent; items > 0; --items) static_cast<void>(channel_.send(sent.next()));
    }
    void receive_in_thread(int items, Receipts& receipts) {
        for (; items > 0; --items) receipts.add(*channel_.receive());
    }
    void send_in_loop(int items) {
        futon::EventLoop loop;
        loop.run_until(send_all(items));
    }
    void receive_in_loop(int items, Receipts& receipts) {
        futon::EventLoop loop;
        loop.run_until(receive_all(items, receipts));
    }
    void within_one_loop(int items, Receipts& receipts) {
        futon::EventLoop loop;
        auto sent = send_all(items);
        loop.run_until(receive_all(items, receipts));
        loop.run_until(std::move(sent));
    }

private:
    futon::Promise<void> send_all(int items) {
        for (Items sent; items > 0; --items) static_cast<void>(co_await channel_.send_async(sent.next()));
    }
    futon::Promise<void> receive_all(int items, Receipts& receipts) {
        for (; items > 0; --items) receipts.add(*co_await channel_.receive_async());
    }

    futon::Channel<Item> channel_;
};

/// Threads try first, and wait for a future if that fails. Both loops run until both ends are through, because they
/// complete what the other end waits for.
template <template <class, class> class Channel>
class AsioLink {
public:
    AsioLink(std::size_t capacity, Ends ends, int count)
        : channel_((ends == Ends::from_loop ? sender_ : receiver_).get_executor(), capacity), ends_left_(count) {}

    void send_in_thread(int items) {
        for (Items sent; items > 0; --items) {
            const Item item = sent.next();
            if (!channel_.try_send(asio::error_code(), item))
                channel_.async_send(asio::error_code(), item, asio::use_future).get();
        }
        end();
    }
    void receive_in_thread(int items, Receipts& receipts) {
        for (; items > 0; --items)
            if (!channel_.try_receive([&](asio::error_code, Item item) { receipts.add(item); }))
                receipts.add(channel_.async_receive(asio::use_future).get());
        end();
    }
    void send_in_loop(int items) {
        asio::co_spawn(sender_, send_all(items), [this](std::exception_ptr) { end(); });
        sender_.run();
    }
    void receive_in_loop(int items, Receipts& receipts) {
        asio::co_spawn(receiver_, receive_all(items, receipts), [this](std::exception_ptr) { end(); });
        receiver_.run();
    }
    void within_one_loop(int items, Receipts& receipts) {
        asio::co_spawn(receiver_, send_all(items), [this](std::exception_ptr) { end(); });
        receive_in_loop(items, receipts);
    }
    void help() { receiver_.run(); }

private:
    asio::awaitable<void> send_all(int items) {
        for (Items sent; items > 0; --items)
            co_await channel_.async_send(asio::error_code(), sent.next(), asio::use_awaitable);
    }
    asio::awaitable<void> receive_all(int items, Receipts& receipts) {
        for (; items > 0; --items) receipts.add(co_await channel_.async_receive(asio::use_awaitable));
    }
    void end() {
        if (--ends_left_ > 0) return;
        work_of_sender_.reset();
        work_of_receiver_.reset();
    }

    using Work = asio::executor_work_guard<asio::io_context::executor_type>;

    asio::io_context sender_{1};
    asio::io_context receiver_{1};
    Work work_of_sender_{sender_.get_executor()};
    Work work_of_receiver_{receiver_.get_executor()};
    Channel<asio::io_context::executor_type, void(asio::error_code, Item)> channel_;
    std::atomic<int> ends_left_;
};

template <class Executor, class Signature>
using ConcurrentAsioChannel = asio::experimental::concurrent_channel<Executor, Signature>;
template <class Executor, class Signature>
using PlainAsioChannel = asio::experimental::channel<Executor, Signature>;  // for one thread

/// A fiber blocks as a thread does. The channel holds one item less than its size, which is a power of two.
class FiberLink {
public:
    FiberLink(std::size_t capacity, Ends, int) : channel_(std::bit_ceil(capacity + 1)) {}

    void send_in_thread(int items) {
        for (Items sent; items > 0; --items) channel_.push(sent.next());
    }
    void receive_in_thread(int items, Receipts& receipts) {
        for (; items > 0; --items) receipts.add(channel_.value_pop());
    }
    void send_in_loop(int items) {
        boost::fibers::fiber([=, this] { send_in_thread(items); }).join();
    }
    void receive_in_loop(int items, Receipts& receipts) {
        boost::fibers::fiber([=, this, &receipts] { receive_in_thread(items, receipts); }).join();
    }
    void within_one_loop(int items, Receipts& receipts) {
        boost::fibers::fiber sender([=, this] { send_in_thread(items); });
        receive_in_loop(items, receipts);
        sender.join();
    }

private:
    boost::fibers::buffered_channel<Item> channel_;
};

/// A deque behind a mutex, with two condition variables; to a loop, which takes all items at once, with a post.
class DequeLink {
public:
    DequeLink(std::size_t capacity, Ends ends, int) : capacity_(capacity), is_to_loop_(ends == Ends::to_loop) {}

    void send_in_thread(int items) {
        if (is_to_loop_) loop_known_.wait();
        for (Items sent; items > 0; --items) send(sent.next());
    }
    void receive_in_thread(int items, Receipts& receipts) {
        for (; items > 0; --items) receipts.add(receive());
    }
    void receive_in_loop(int items, Receipts& receipts) {
        futon::EventLoop loop;
        loop.work_started();
        take_all_ = [this, &loop, &receipts, items]() mutable {
            std::deque<Item> taken;
            {
                const std::lock_guard hold(mutex_);
                taken.swap(items_);
            }
            not_full_.notify_one();
            for (const Item item : taken) receipts.add(item);
            items -= static_cast<int>(taken.size());
            if (items == 0) loop.work_finished();
        };
        loop_ = &loop;
        loop_known_.count_down();
        loop.run();
    }

private:
    void send(Item item) {
        std::unique_lock hold(mutex_);
        not_full_.wait(hold, [this] { return items_.size() < capacity_; });
        items_.push_back(item);
        if (loop_ != nullptr) {
            if (items_.size() == 1) loop_->post([this] { take_all_(); });
            return;
        }
        hold.unlock();
        not_empty_.notify_one();
    }
    Item receive() {
        std::unique_lock hold(mutex_);
        not_empty_.wait(hold, [this] { return !items_.empty(); });
        const Item item = items_.front();
        items_.pop_front();
        hold.unlock();
        not_full_.notify_one();
        return item;
    }

    std::size_t capacity_;
    bool is_to_loop_;
    std::mutex mutex_;
    std::condition_variable not_empty_;
    std::condition_variable not_full_;
    std::deque<Item> items_;
    futon::EventLoop* loop_ = nullptr;
    std::function<void()> take_all_;
    std::latch loop_known_{1};
};

}  // namespace bench
