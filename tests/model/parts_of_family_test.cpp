// SPDX-License-Identifier: MIT
// Releases and closes that work in parts. In the explorer two waiters are very many. [parts]
#include <optional>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using futon::Channel;
using futon::ChannelResult;
using futon::Fairness;
using futon::Semaphore;
using futon::SharedLock;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// A member of a select that has ended, and has not left its queues yet.
class OverMember final : public futon::core::Waiter {
public:
    explicit OverMember(const void* address) : Waiter(InGroup{}) {
        const futon::core::WaitCheck always{const_cast<void*>(address), 0,
                                            [](void*, std::uint64_t) noexcept { return true; }};
        futon::core::process_table().enqueue(*this, always);
    }
    ~OverMember() override { futon::core::process_table().dequeue(*this, futon::WaitResult::cancelled); }

private:
    bool claim() noexcept override { return false; }
    void deliver() noexcept override { check(false, "[claim] it is dropped"); }
};

/// The close has taken none yet when it lets others in: so no owner waits for it.
TEST(ModelPartsOfFamily, WhoSeesThatAChannelIsClosedMayDestroyIt) {
    expect_holds("a close of two members that are over and a receiver, which sees it", {.preemptions = 3}, [] {
        std::optional<Channel<int>> channel(std::in_place, 0);
        futon::EventLoop loop(futon::CanBlock::yes);
        const OverMember first(&*channel);
        const OverMember second(&*channel);
        std::optional received(futon::promise_of(channel->receiving()));
        spawn("closer", [&] { channel->close(); });
        futon::explorer::point("look", &channel);
        if (!channel->is_closed()) futon::explorer::join();
        received.reset();
        channel.emplace(0);

        auto later = futon::promise_of(channel->receiving());
        futon::explorer::join();
        check(!channel->is_closed(), "[last-touch] a close does not touch the channel once it says that it is closed");
        check(bool(channel->try_send(7)), "[parts] and ends none that is queued at its address later");
        check(*loop.run_until(std::move(later)) == 7, "who waits receives");
    });
}

TEST(ModelPartsOfFamily, ACloseEndsEachThatIsQueuedAndLosesNoItem) {
    expect_holds("three receivers, a sender, a close", {.preemptions = 2}, [] {
        Channel<int> channel(0);
        int received = 0;
        int closed = 0;
        for (int i = 0; i < 3; ++i)
            spawn("receiver", [&] {
                const auto item = channel.receive();
                (item ? received : closed) += 1;
            });
        bool is_sent = false;
        spawn("sender", [&] { is_sent = bool(channel.try_send(1)); });
        channel.close();
        check(channel.try_receive().result() == ChannelResult::closed, "it is closed");
        futon::explorer::join();
        check(received == (is_sent ? 1 : 0), "what is sent is received");
        check(received + closed == 3, "all others are told");
    });
}

/// A sender that has seen that receivers wait looks for one between two parts.
TEST(ModelPartsOfFamily, NoneIsMetThatAClosingChannelHasLeft) {
    expect_holds("three receivers in order, a close, a sender that tries", {.preemptions = 2}, [] {
        Channel<int> channel(0);
        futon::EventLoop loop(futon::CanBlock::yes);
        auto first = futon::promise_of(channel.receiving());
        auto second = futon::promise_of(channel.receiving());
        auto third = futon::promise_of(channel.receiving());
        spawn("closer", [&] { channel.close(); });
        spawn("sender", [&] { static_cast<void>(channel.try_send(1)); });
        futon::explorer::join();
        const bool has_first = bool(loop.run_until(std::move(first)));
        const bool has_other = bool(loop.run_until(std::move(second))) | bool(loop.run_until(std::move(third)));
        check(has_first || !has_other, "[fifo] who has waited longest receives what is sent");
    });
}

TEST(ModelPartsOfFamily, ReleasesThatMeetServeAllThatTheyCan) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("three waiters, a big one, two releases", {.preemptions = 1}, [fairness] {
            Semaphore semaphore(0, fairness);
            for (int i = 0; i < 3; ++i) spawn("waiter", [&] { semaphore.acquire(); });
            spawn("big", [&] { semaphore.acquire(2); });
            spawn("releaser", [&] { semaphore.release(4); });
            semaphore.release();
            futon::explorer::join();
            check(semaphore.available() == 0, "no permit is lost, none is made");
            check(futon::core::process_table().count(&semaphore) == 0, "no waiter is queued");
        });
}

TEST(ModelPartsOfFamily, AReleaseOfReadersLetsAllOfThemInAndTheWriterBehindThem) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("three readers, a writer, an unlock", {.preemptions = 1}, [fairness] {
            SharedLock lock(fairness);
            lock.lock();
            int readers = 0;
            for (int i = 0; i < 3; ++i)
                spawn("reader", [&] {
                    lock.lock_shared();
                    ++readers;
                    lock.unlock_shared();
                });
            spawn("writer", [&] {
                lock.lock();
                lock.unlock();
            });
            lock.unlock();
            futon::explorer::join();
            check(readers == 3, "each has read");
            check(lock.try_lock(), "the lock is free in the end");
            lock.unlock();
        });
}

}  // namespace
