// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/timed_rounds.hpp"

namespace {

using futon::Channel;
using futon::select;
using futon::select_async;
using futon::timeout;
using futon::test::OwnedCoroutine;
using futon::test::TimedRounds;
using Item = std::unique_ptr<std::uint64_t>;
using Time = std::chrono::microseconds;

/// Two channels, and the sums of what was sent and received through them. Each item has another value.
class Arena {
public:
    explicit Arena(std::size_t capacity) : channels{Channel<Item>(capacity), Channel<Item>(capacity)} {}

    Item make() { return std::make_unique<std::uint64_t>(++made_); }
    void sent(std::uint64_t value) {
        sent_ += value;
        ++sent_count_;
    }
    template <class R>
    void received(const R& item) {
        if (!item) return;
        received_ += **item;
        ++received_count_;
    }
    /// Sends in one way or another; what was not sent is dropped.
    void send(Channel<Item>& channel, std::uint_fast32_t random) {
        Item item = make();
        const std::uint64_t value = *item;
        std::stop_source source;
        if (random % 7 == 0) source.request_stop();
        if (channel.send(std::move(item), {Time(random % 300), source.get_token()})) {
            sent(value);
        } else {
            EXPECT_EQ(*item, value) << "a send that fails leaves the item";
        }
    }
    void check_all_accounted() {
        for (auto& channel : channels) {
            while (const auto item = channel.try_receive()) received(item);
            EXPECT_EQ(futon::core::process_table().count(&channel), 0u);
        }
        EXPECT_EQ(sent_count_, received_count_);
        EXPECT_EQ(sent_, received_);
        EXPECT_GT(received_count_, 0u);
    }

    std::array<Channel<Item>, 2> channels;

private:
    std::atomic<std::uint64_t> made_{0};
    std::atomic<std::uint64_t> sent_{0};
    std::atomic<std::uint64_t> received_{0};
    std::atomic<std::uint64_t> sent_count_{0};
    std::atomic<std::uint64_t> received_count_{0};
};

void use_blocking(Arena& arena, unsigned seed) {
    std::mt19937 random(seed);
    TimedRounds rounds;
    while (rounds.has_another_round()) {
        auto& one = arena.channels[random() % 2];
        auto& other = arena.channels[random() % 2];
        const Time time(random() % 300);
        switch (random() % 4) {
            case 0:
                arena.send(one, random());
                break;
            case 1:
                arena.received(one.receive(time));
                break;
            case 2: {
                Item item = arena.make();
                const std::uint64_t value = *item;
                auto chosen = select(one.sending_from(item), other.receiving(), timeout(time));
                EXPECT_EQ(chosen.index() == 0, item == nullptr) << "only what is chosen is sent";
                if (chosen.index() == 0) arena.sent(value);
                if (const auto* item_of = std::get_if<1>(&chosen)) arena.received(*item_of);
                break;
            }
            default: {
                auto chosen = select(one.receiving(), other.receiving(), timeout(time));
                if (const auto* first = std::get_if<0>(&chosen)) arena.received(*first);
                if (const auto* second = std::get_if<1>(&chosen)) arena.received(*second);
            }
        }
    }
}

OwnedCoroutine use_once(Arena& arena, std::uint_fast32_t random) {
    auto& one = arena.channels[random % 2];
    auto& other = arena.channels[random / 2 % 2];
    const Time time(random % 1000);
    switch (random / 4 % 3) {
        case 0: {
            auto chosen = co_await select_async(one.receiving(), other.receiving(), timeout(time));
            if (const auto* first = std::get_if<0>(&chosen)) arena.received(*first);
            if (const auto* second = std::get_if<1>(&chosen)) arena.received(*second);
            break;
        }
        default:
            arena.received(co_await one.receive_async(time));
    }
}

futon::Promise<void> send_some(Arena& arena, std::uint_fast32_t random) {
    Item item = arena.make();
    const std::uint64_t value = *item;
    auto sent = co_await arena.channels[random % 2].send_async(std::move(item), Time(random % 1000));
    if (sent) {
        arena.sent(value);
    } else {
        EXPECT_EQ(*sent.item(), value);
    }
}

/// Coroutines that receive, some of which are destroyed wherever they stand; their loops end with others under way.
void use_loops(Arena& arena, unsigned seed) {
    std::mt19937 random(seed);
    TimedRounds rounds;
    while (rounds.has_another_round()) {
        futon::EventLoop loop;
        std::vector<OwnedCoroutine> coroutines;
        std::vector<futon::Promise<void>> senders;
        for (int i = 0; i < 4; ++i) coroutines.push_back(use_once(arena, random()));
        senders.push_back(send_some(arena, random()));
        loop.poll();
        coroutines[random() % 4].destroy();
        if (random() % 2 == 0) coroutines.pop_back();
        // A sender that is gone would not know whether its item was taken.
        for (auto& sender : senders) loop.run_until(sender);
    }
}

void run(std::size_t capacity) {
    Arena arena(capacity);
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < 3; ++i) threads.emplace_back([&, i] { use_blocking(arena, i); });
        for (unsigned i = 0; i < 2; ++i) threads.emplace_back([&, i] { use_loops(arena, 10 + i); });
    }
    arena.check_all_accounted();
}

TEST(ChannelStress, ARendezvousLosesAndDoublesNothing) {
    run(0);
}

TEST(ChannelStress, ABufferLosesAndDoublesNothing) {
    run(3);
}

}  // namespace
