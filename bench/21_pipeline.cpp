// SPDX-License-Identifier: MIT
//
// 21. What does an item cost in a pipeline whose stages listen to orders as well, and how late is it?
//
// A program, not an operation: a source sends each item to stage A or stage B, whichever has room, and both send theirs to
// one sink; each item takes 1.2 µs in all besides. The queues hold 64 items. Each of the four obeys an order in each
// millisecond, before items that wait, and the run ends with one; so all wait for two or three things at once.
//
// Saturated: the source sends as much as it can. Paced: bursts of ten items, 20 000 items per second; the latency counts from
// when an item was due. The latency of an order is from its sending until it is obeyed.
//
// The four are threads, or coroutines on four loops of a thread each, or on one loop. Where a library has no select: the deques
// of one thread share a mutex and a condition variable; tbb's orders come in band, behind up to 64 items, or its threads poll.

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>
#include <futon/sync/channel.hpp>

#include "harness/pipeline.hpp"
#include "harness/session.hpp"
#include "peers/asio_pipeline.hpp"
#include "peers/pipelines.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using namespace bench::pipeline;

struct Channels {
    std::array<futon::Channel<Item>, 4> items{futon::Channel<Item>(capacity), futon::Channel<Item>(capacity),
                                              futon::Channel<Item>(capacity), futon::Channel<Item>(capacity)};
    std::array<futon::Channel<Order>, 4> orders{futon::Channel<Order>(capacity), futon::Channel<Order>(capacity),
                                                futon::Channel<Order>(capacity), futon::Channel<Order>(capacity)};

    futon::Channel<Item>& preferred(Who who) { return items[who]; }
    futon::Channel<Item>& other(Who preferred) { return items[preferred == stage_a ? stage_b : stage_a]; }
    std::optional<Order> left_order(Who who) {
        if (auto order = orders[who].try_receive()) return *order;
        return {};
    }
};

/// The order, if a select has chosen that.
template <class Chosen>
std::optional<Order> order_of(Chosen& chosen) {
    if (auto* order = std::get_if<0>(&chosen)) return **order;
    return {};
}

/// For threads, by select.
class Selected : private Channels {
public:
    using Channels::left_order;

    std::optional<Order> give(Item item, Who who) {
        auto chosen = futon::select(futon::in_order, orders[source].receiving(), preferred(who).sending_from(item),
                                    other(who).sending_from(item));
        return order_of(chosen);
    }
    std::optional<Order> order_until(Clock::time_point time) {
        auto chosen = futon::select(futon::in_order, orders[source].receiving(), futon::timeout(time));
        return order_of(chosen);
    }
    void end(const Item& item, Who who) { send(items[who], item); }
    std::optional<Order> take(Who who, Item& item) {
        auto chosen = futon::select(futon::in_order, orders[who].receiving(), items[who].receiving());
        if (auto* received = std::get_if<1>(&chosen)) item = **received;
        return order_of(chosen);
    }
    void pass(const Item& item) { send(items[sink], item); }
    std::optional<Order> take_last(Item& item) { return take(sink, item); }
    void order(Who who, const Order& order) { send(orders[who], order); }

private:
    template <class T>
    static void send(futon::Channel<T>& channel, const T& item) {
        bench::require(static_cast<bool>(channel.send(item)), "a channel is open");
    }
};

/// Coroutines on so many loops.
template <std::size_t loops>
class Coroutines : private Channels {
public:
    explicit Coroutines(Parties& parties) {
        for (std::size_t number = 0; number < loops; ++number)
            threads_.emplace_back([this, number, &parties] {
                futon::EventLoop loop;
                std::vector<futon::Promise<void>> running;
                for (const Who who : {source, stage_a, stage_b, sink})
                    if (who % loops == number) running.push_back(run(who, parties));
                for (auto& promise : running) loop.run_until(std::move(promise));
            });
    }

    void order(Who who, const Order& order) {
        bench::require(static_cast<bool>(orders[who].send(order)), "a channel is open");
    }
    void join() { threads_.clear(); }

private:
    futon::Promise<void> run(Who who, Parties& parties) {
        if (who == source) return run_source(parties.from);
        if (who == sink) return run_sink(parties.to);
        return run_stage(parties.stages[who], who);
    }

    futon::Promise<void> run_source(Source& from) {
        for (bool is_over = false; !is_over;) {
            if (from.is_early()) {
                auto chosen = co_await futon::select_async(futon::in_order, orders[source].receiving(),
                                                           futon::timeout(from.due()));
                if (const std::optional<Order> order = order_of(chosen)) is_over = from.obey(*order);
                continue;
            }
            Item item = from.next();
            const Who who = from.preferred();
            auto chosen =
                co_await futon::select_async(futon::in_order, orders[source].receiving(),
                                             preferred(who).sending_from(item), other(who).sending_from(item));
            if (const std::optional<Order> order = order_of(chosen)) {
                is_over = from.obey(*order);
            } else {
                from.sent();
            }
        }
        for (const Who who : {stage_a, stage_b})
            bench::require(static_cast<bool>(co_await items[who].send_async(Source::last())), "a channel is open");
    }

    futon::Promise<void> run_stage(Stage& stage, Who who) {
        for (bool is_over = false; !is_over;) {
            auto chosen =
                co_await futon::select_async(futon::in_order, orders[who].receiving(), items[who].receiving());
            if (const std::optional<Order> order = order_of(chosen)) {
                stage.obey(*order);
                continue;
            }
            const Item item = *std::get<1>(chosen);
            is_over = item.is_last;
            bench::require(static_cast<bool>(co_await items[sink].send_async(stage.process(item))),
                           "a channel is open");
        }
        while (const std::optional<Order> order = left_order(who)) stage.obey(*order);
    }

    futon::Promise<void> run_sink(Sink& to) {
        for (bool are_there_more = true; are_there_more;) {
            auto chosen =
                co_await futon::select_async(futon::in_order, orders[sink].receiving(), items[sink].receiving());
            if (const std::optional<Order> order = order_of(chosen)) {
                to.obey(*order);
            } else {
                are_there_more = to.take(*std::get<1>(chosen));
            }
        }
        while (const std::optional<Order> order = left_order(sink)) to.obey(*order);
    }

    std::vector<std::jthread> threads_;  // the last member: they use the others
};

}  // namespace

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    bench::Session session(argc, argv, "21_pipeline");
    const auto add_all = [&](const std::string& name, const Pace& pace, std::chrono::milliseconds length) {
        const auto add = [&]<class Plumbing>(const std::string& measure, const char* who, Kind kind) {
            session.add({measure, who, kind}, [=] { return pump<Plumbing>(pace, length); });
        };
        const std::string spread = "a pipeline, " + name;
        add.operator()<Threads<Selected>>(spread, "futon::select, threads", Kind::ours);
        add.operator()<Coroutines<4>>(spread, "futon::select_async, four loops", Kind::ours);
        add.operator()<Threads<Deques>>(spread, "std, deques with condition variables", Kind::peer);
        add.operator()<AsioChannels<4>>(spread, "asio channels, four contexts", Kind::peer);
        add.operator()<Threads<TbbInBand>>(spread, "tbb queues, orders in band", Kind::peer);
        add.operator()<Threads<TbbPolled>>(spread, "tbb queues, polled", Kind::peer);

        const std::string at_one = "a pipeline on one loop, " + name;
        add.operator()<Coroutines<1>>(at_one, "futon::select_async", Kind::ours);
        add.operator()<AsioChannels<1>>(at_one, "asio channels", Kind::peer);
    };
    add_all("saturated", {}, session.pick(10ms, 100ms, 500ms));
    session.run(session.pick(1u, 3u, 9u));

    // Many rounds: the machine's other users lengthen the latencies of some of them by a multiple.
    add_all("paced", {500us}, session.pick(10ms, 100ms, 200ms));
    session.run(session.pick(1u, 3u, 21u));
    return session.finish();
}
