// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <thread>
#include <tuple>

#include <asio.hpp>
#include <asio/experimental/concurrent_channel.hpp>
#include <asio/experimental/deferred.hpp>
#include <asio/experimental/parallel_group.hpp>

#include "harness/pipeline.hpp"

namespace bench::pipeline {

/// Coroutines of Asio, on four contexts of a thread each, or all on one.
///
/// A parallel group tells what each of its operations has done, so no item is lost if two are done at once; `||` tells only of
/// one. Two sends in a group might both be done: the source tries both stages, and then waits for room at one. Receives are
/// tried first, for a group costs more.
template <std::size_t contexts>
class AsioChannels {
public:
    explicit AsioChannels(Parties& parties) {
        start(source, run_source(parties.from));
        for (const Who who : {stage_a, stage_b}) start(who, run_stage(parties.stages[who], who));
        start(sink, run_sink(parties.to));
        for (asio::io_context& context : contexts_)
            threads_[index_of(context)] = std::jthread([&context] { context.run(); });
    }

    void order(Who who, const Order& order) {
        if (!orders_[who].try_send(asio::error_code(), order))
            orders_[who].async_send(asio::error_code(), order, asio::use_future).get();
    }
    void join() {
        for (std::jthread& thread : threads_) thread.join();
    }

private:
    template <class T>
    using Channel = asio::experimental::concurrent_channel<asio::io_context::executor_type, void(asio::error_code, T)>;

    std::size_t index_of(const asio::io_context& context) const {
        return static_cast<std::size_t>(&context - contexts_.data());
    }
    asio::io_context& context_of(Who who) { return contexts_[who % contexts]; }

    template <class T>
    Channel<T> channel_of(Who who) {
        return Channel<T>(context_of(who).get_executor(), capacity);
    }

    void start(Who who, asio::awaitable<void> party) {
        asio::co_spawn(context_of(who), std::move(party),
                       [](std::exception_ptr failure) { require(failure == nullptr, "no coroutine of Asio throws"); });
    }

    std::optional<Order> try_order(Who who) {
        std::optional<Order> received;
        orders_[who].try_receive([&](asio::error_code, const Order& order) { received = order; });
        return received;
    }
    std::optional<Item> try_item(Who who) {
        std::optional<Item> received;
        items_[who].try_receive([&](asio::error_code, const Item& item) { received = item; });
        return received;
    }

    asio::awaitable<void> run_source(Source& from) {
        using namespace asio::experimental;
        asio::steady_timer timer(context_of(source));
        for (bool is_over = false; !is_over;) {
            if (from.is_early()) {
                timer.expires_at(from.due());
                const auto [which, error, order, was_late] =
                    co_await make_parallel_group(orders_[source].async_receive(deferred), timer.async_wait(deferred))
                        .async_wait(wait_for_one(), asio::use_awaitable);
                if (!error) is_over = from.obey(order);
                continue;
            }
            if (const std::optional<Order> order = try_order(source)) {
                is_over = from.obey(*order);
                continue;
            }
            const Who preferred = from.preferred();
            const Who other = preferred == stage_a ? stage_b : stage_a;
            const Item item = from.next();
            if (!items_[preferred].try_send(asio::error_code(), item) &&
                !items_[other].try_send(asio::error_code(), item))
                co_await items_[preferred].async_send(asio::error_code(), item, asio::use_awaitable);
            from.sent();
        }
        for (const Who who : {stage_a, stage_b})
            co_await items_[who].async_send(asio::error_code(), Source::last(), asio::use_awaitable);
    }

    /// What is received by these; at least one of them.
    asio::awaitable<void> receive(Who who, std::optional<Order>& order, std::optional<Item>& item) {
        using namespace asio::experimental;
        const auto [which, no_order, the_order, no_item, the_item] =
            co_await make_parallel_group(orders_[who].async_receive(deferred), items_[who].async_receive(deferred))
                .async_wait(wait_for_one(), asio::use_awaitable);
        if (!no_order) order = the_order;
        if (!no_item) item = the_item;
    }

    asio::awaitable<void> run_stage(Stage& stage, Who who) {
        for (bool is_over = false; !is_over;) {
            std::optional<Order> order = try_order(who);
            std::optional<Item> item;
            if (!order) item = try_item(who);
            if (!order && !item) co_await receive(who, order, item);
            if (order) stage.obey(*order);
            if (!item) continue;
            is_over = item->is_last;
            const Item made = stage.process(*item);
            if (!items_[sink].try_send(asio::error_code(), made))
                co_await items_[sink].async_send(asio::error_code(), made, asio::use_awaitable);
        }
        while (const std::optional<Order> order = try_order(who)) stage.obey(*order);
    }

    asio::awaitable<void> run_sink(Sink& to) {
        for (bool are_there_more = true; are_there_more;) {
            std::optional<Order> order = try_order(sink);
            std::optional<Item> item;
            if (!order) item = try_item(sink);
            if (!order && !item) co_await receive(sink, order, item);
            if (order) to.obey(*order);
            if (item) are_there_more = to.take(*item);
        }
        while (const std::optional<Order> order = try_order(sink)) to.obey(*order);
    }

    // A thread for each context, which may have to wait for what another one completes.
    std::array<asio::io_context, contexts> contexts_;
    std::array<Channel<Item>, 4> items_{channel_of<Item>(stage_a), channel_of<Item>(stage_b), channel_of<Item>(source),
                                        channel_of<Item>(sink)};
    std::array<Channel<Order>, 4> orders_{channel_of<Order>(stage_a), channel_of<Order>(stage_b),
                                          channel_of<Order>(source), channel_of<Order>(sink)};
    std::array<std::jthread, contexts> threads_;
};

}  // namespace bench::pipeline
