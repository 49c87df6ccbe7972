// SPDX-License-Identifier: MIT
//
// 15. What does an item cost that goes through a bounded channel, between threads and loops?
//
// A stream of items from one end to another: from a thread to a coroutine of a loop, back, from loop to loop, within one
// loop, and from four threads to four. A channel of one item makes its ends wait for each other at each item; in one of
// 64 they wait for each other now and then. An end that is a loop does nothing else. The latency of an item begins with
// its send, so it has the wait for room.
//
// The floor of loops is a post of each item, with as many under way as the channel holds: the last of them is answered by
// a post in return.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <latch>
#include <optional>
#include <utility>

#include <asio.hpp>
#include <futon/futon.hpp>

#include "harness/session.hpp"
#include "harness/stream.hpp"
#include "peers/channels.hpp"

namespace {

using bench::Ends;
using bench::Items;
using bench::Kind;
using bench::Receipts;
using bench::Sample;

template <class Link>
Sample stream(std::size_t capacity, Ends ends, int pairs, int items) {
    Link link(capacity, ends, 2 * pairs);
    const auto send = [&](int count) {
        if constexpr (requires { link.send_in_loop(count); })
            if (ends == Ends::from_loop || ends == Ends::loops) return link.send_in_loop(count);
        link.send_in_thread(count);
    };
    const auto receive = [&](int count, Receipts& receipts) {
        if (ends == Ends::to_loop || ends == Ends::loops) return link.receive_in_loop(count, receipts);
        link.receive_in_thread(count, receipts);
    };
    std::function<void()> helper;
    if constexpr (requires { link.help(); })
        if (ends == Ends::threads) helper = [&] { link.help(); };
    return bench::stream(pairs, items, send, receive, helper);
}

template <class Link>
Sample within_one_loop(std::size_t capacity, int items) {
    Link link(capacity, Ends::loops, 2);
    Receipts receipts;
    Sample sample = bench::time_of(items, [&] { link.within_one_loop(items, receipts); });
    sample.latencies["item"] = receipts.latencies;
    return sample;
}

struct FutonPoster {
    FutonPoster() { loop.work_started(); }
    void run() { loop.run(); }
    template <class F>
    void post(F f) {
        loop.post(std::move(f));
    }
    void end() {
        loop.post([this] { loop.work_finished(); });
    }

    futon::EventLoop loop;
};

struct AsioPoster {
    void run() { context.run(); }
    template <class F>
    void post(F f) {
        asio::post(context, std::move(f));
    }
    void end() { work.reset(); }

    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
};

/// Posts items from one loop to another, or the same.
template <class Poster>
struct Window {
    Poster& sender;
    Poster& receiver;
    Receipts& receipts;
    int size;
    int left;
    Items items = {};

    void send() {
        const int count = std::min(size, left);
        left -= count;
        for (int i = 1; i <= count; ++i)
            receiver.post([this, item = items.next(), is_last = i == count] {
                receipts.add(item);
                if (is_last) answer();
            });
    }
    void answer() {
        if (left > 0) return sender.post([this] { send(); });
        receiver.end();
        if (&sender != &receiver) sender.end();
    }
};

/// A loop is made on the thread that runs it.
template <class Poster>
Sample posts_between_loops(std::size_t capacity, int items) {
    std::optional<Poster> sender;
    std::optional<Poster> receiver;
    std::latch ready(2);
    std::latch done(2);  // neither posts any more
    const auto send = [&](int) {
        sender.emplace();
        ready.arrive_and_wait();
        sender->run();
        done.arrive_and_wait();
        sender.reset();
    };
    const auto receive = [&](int count, Receipts& receipts) {
        receiver.emplace();
        ready.arrive_and_wait();
        Window<Poster> window{*sender, *receiver, receipts, static_cast<int>(capacity), count};
        sender->post([&] { window.send(); });
        receiver->run();
        done.arrive_and_wait();
        receiver.reset();
    };
    return bench::stream(1, items, send, receive);
}

template <class Poster>
Sample posts_within_one_loop(std::size_t capacity, int items) {
    Poster loop;
    Receipts receipts;
    Window<Poster> window{loop, loop, receipts, static_cast<int>(capacity), items};
    Sample sample = bench::time_of(items, [&] {
        window.send();
        loop.run();
    });
    sample.latencies["item"] = receipts.latencies;
    return sample;
}

}  // namespace

int main(int argc, char** argv) {
    using bench::AsioLink;
    bench::Session session(argc, argv, "15_channel");
    using ConcurrentAsio = AsioLink<bench::ConcurrentAsioChannel>;
    using PlainAsio = AsioLink<bench::PlainAsioChannel>;
    const char* const concurrent = "asio concurrent_channel";
    const char* const fibers = "boost::fibers::buffered_channel";
    for (const std::size_t capacity : {1, 64}) {
        const int items = session.pick(400, 5'000, 20'000) * (capacity == 1 ? 1 : 5);
        const bench::Point at{{"capacity", static_cast<double>(capacity)}};
        const auto add = [&]<class Link>(const char* measure, Ends ends, int pairs, const char* who, Kind kind) {
            session.add({measure, who, kind, at}, [=] { return stream<Link>(capacity, ends, pairs, items / pairs); });
        };
        const auto add_all = [&](const char* measure, Ends ends, int pairs) {
            add.operator()<bench::FutonLink>(measure, ends, pairs, "futon::Channel", Kind::ours);
            add.operator()<ConcurrentAsio>(measure, ends, pairs, concurrent, Kind::peer);
            add.operator()<bench::FiberLink>(measure, ends, pairs, fibers, Kind::peer);
        };
        add_all("channel: thread → loop", Ends::to_loop, 1);
        add.operator()<bench::DequeLink>("channel: thread → loop", Ends::to_loop, 1, "mutex + deque + post",
                                         Kind::peer);
        add_all("channel: loop → thread", Ends::from_loop, 1);
        add_all("channel: 4 → 4 threads", Ends::threads, 4);
        add.operator()<bench::DequeLink>("channel: 4 → 4 threads", Ends::threads, 4, "mutex + deque", Kind::peer);

        const char* const loops = "channel: loop → loop";
        session.add({loops, "EventLoop::post", Kind::floor, at},
                    [=] { return posts_between_loops<FutonPoster>(capacity, items); });
        session.add({loops, "asio::post", Kind::floor, at},
                    [=] { return posts_between_loops<AsioPoster>(capacity, items); });
        add_all(loops, Ends::loops, 1);

        const char* const one = "channel: within one loop";
        const int more = 10 * items;
        session.add({one, "EventLoop::post", Kind::floor, at},
                    [=] { return posts_within_one_loop<FutonPoster>(capacity, more); });
        session.add({one, "asio::post", Kind::floor, at},
                    [=] { return posts_within_one_loop<AsioPoster>(capacity, more); });
        session.add({one, "futon::Channel", Kind::ours, at},
                    [=] { return within_one_loop<bench::FutonLink>(capacity, more); });
        session.add({one, "asio channel", Kind::peer, at}, [=] { return within_one_loop<PlainAsio>(capacity, more); });
        session.add({one, concurrent, Kind::peer, at}, [=] { return within_one_loop<ConcurrentAsio>(capacity, more); });
        session.add({one, fibers, Kind::peer, at}, [=] { return within_one_loop<bench::FiberLink>(capacity, more); });
    }
    session.run(session.pick(1u, 7u, 15u));
    return session.finish();
}
