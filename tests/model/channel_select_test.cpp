// SPDX-License-Identifier: MIT
#include <cstddef>
#include <utility>
#include <variant>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using futon::AsyncLock;
using futon::Channel;
using futon::select;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

std::size_t waiting_at(const Channel<int>& channel) {
    return futon::core::process_table().count(&channel);
}

TEST(ModelChannelSelect, TwoSelectsThatSendToEachOtherMeet) {
    expect_holds("select(send a, receive b), select(send b, receive a)", {.preemptions = 3}, [] {
        Channel<int> a;
        Channel<int> b;
        int sent = 0;
        int received = 0;
        auto meet = [&](Channel<int>& to, Channel<int>& from) {
            auto chosen = select(to.sending(7), from.receiving());
            if (chosen.index() == 0) {
                check(bool(std::get<0>(chosen)), "it is sent");
                ++sent;
            } else {
                check(*std::get<1>(chosen) == 7, "it is received");
                ++received;
            }
        };
        spawn("one", [&] { meet(a, b); });
        spawn("other", [&] { meet(b, a); });
        futon::explorer::join();
        check(sent == 1 && received == 1, "[channel] [claim] one sends, the other receives");
        check(waiting_at(a) + waiting_at(b) == 0, "no waiter is left");
    });
}

TEST(ModelChannelSelect, TwoSelectsOverBothSidesOfOneChannelMeet) {
    expect_holds("two of select(send a, receive a)", {.preemptions = 3}, [] {
        Channel<int> a;
        int sent = 0;
        int received = 0;
        auto meet = [&] {
            auto chosen = select(a.sending(7), a.receiving());
            (chosen.index() == 0 ? sent : received) += 1;
        };
        spawn("one", meet);
        spawn("other", meet);
        futon::explorer::join();
        check(sent == 1 && received == 1, "[channel] [claim] one sends, the other receives");
        check(waiting_at(a) == 0, "no waiter is left");
    });
}

TEST(ModelChannelSelect, AThirdMeetsTheSelectThatIsLeft) {
    expect_holds("two of select(send a, receive b), two plain", {.preemptions = 2}, [] {
        Channel<int> a;
        Channel<int> b;
        int sent = 0;
        int received = 0;
        auto meet = [&] {
            auto chosen = select(a.sending(1), b.receiving());
            (chosen.index() == 0 ? sent : received) += 1;
        };
        spawn("one", meet);
        spawn("other", meet);
        spawn("receiver", [&] { check(*a.receive() == 1, "it is received"); });
        spawn("sender", [&] { check(bool(b.send(2)), "it is sent"); });
        futon::explorer::join();
        check(sent == 1 && received == 1, "[channel] each select does one thing");
    });
}

TEST(ModelChannelSelect, AnItemThatIsNotChosenIsNotTaken) {
    for (const std::size_t capacity : {0, 1})
        expect_holds("select(receive a, receive b), two senders", {.preemptions = 3}, [capacity] {
            Channel<int> a(capacity);
            Channel<int> b(capacity);
            int sum = 0;
            spawn("select", [&] {
                for (int i = 0; i < 2; ++i) {
                    const auto chosen = select(a.receiving(), b.receiving());
                    std::visit([&](const auto& received) { sum += *received; }, chosen);
                }
            });
            spawn("sender to a", [&] { check(bool(a.send(1)), "it is sent"); });
            spawn("sender to b", [&] { check(bool(b.send(2)), "it is sent"); });
            futon::explorer::join();
            check(sum == 3, "[channel] both are received");
        });
}

TEST(ModelChannelSelect, ALockThatIsNotChosenIsReleased) {
    expect_holds("select(send a, lock), a receiver, the owner", {.preemptions = 3}, [] {
        Channel<int> a;
        AsyncLock lock;
        lock.lock();
        bool is_sent = false;
        bool is_received = false;
        spawn("select", [&] {
            auto chosen = select(lock.locking(), a.sending(1));
            is_sent = chosen.index() == 1;
        });
        spawn("owner", [&] { lock.unlock(); });
        spawn("receiver", [&] {
            is_received = bool(a.try_receive());
            if (!is_received) is_received = bool(a.try_receive());
        });
        futon::explorer::join();
        check(is_sent == is_received, "[channel] an item is sent if it is received");
        check(lock.try_lock(), "the lock is free");
        lock.unlock();
    });
}

TEST(ModelChannelSelect, ASelectThatACloseEndsKeepsItsItem) {
    expect_holds("select(send a, receive b), a close, a receiver", {.preemptions = 3}, [] {
        Channel<int> a;
        Channel<int> b;
        bool is_sent = false;
        bool is_received = false;
        spawn("select", [&] {
            int item = 5;
            auto chosen = select(a.sending_from(item), b.receiving());
            is_sent = chosen.index() == 0 && std::get<0>(chosen);
        });
        spawn("closer", [&] {
            a.close();
            b.close();
        });
        spawn("receiver", [&] { is_received = bool(a.receive()); });
        futon::explorer::join();
        check(is_sent == is_received, "[channel] an item is sent if it is received");
    });
}

}  // namespace
