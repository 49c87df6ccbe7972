// SPDX-License-Identifier: MIT
// A program's own primitive, of an arbiter and an operation: each report knows it, if it calls the probe where futon's locks do.
#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

#include <futon/core/operation/arbiter.hpp>
#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "reports.hpp"
#include "support/waiting.hpp"

namespace bank {

namespace core = futon::core;

/// What one caller at a time may open.
class Vault {
    struct Rules {
        using Word = std::uint32_t;
        static bool can_serve(core::ResourceState free, std::uint64_t) noexcept { return free != 0; }
        static core::ResourceState taken(core::ResourceState, std::uint64_t) noexcept { return 0; }
        static core::ResourceState returned(core::ResourceState, std::uint64_t) noexcept { return 1; }
        static bool may_serve(core::ResourceState free) noexcept { return free != 0; }
    };
    using Arbiter = core::Arbiter<Rules>;

public:
    class Opening;
    struct Close {
        void operator()(Vault* vault) const noexcept { vault->close(); }
    };
    using Open = std::unique_ptr<Vault, Close>;

    Vault() noexcept : arbiter_(1, futon::Fairness::strict) {}

    Opening opening() noexcept;
    void close() noexcept;

private:
    Arbiter arbiter_;
};

class Vault::Opening : public Arbiter::Request {
public:
    using Result = Open;
    static constexpr const char* name = "bank::Vault::open";

    explicit Opening(Vault& vault) noexcept : Request(vault.arbiter_, 1), vault_(&vault) {}

    Open result(core::Ending ending) noexcept {
        end();
        if (core::to_wait_result(ending) != futon::WaitResult::ok) return nullptr;
        core::probe::acquired(key(), core::probe::Hold::lock);
        return Open(vault_);
    }

private:
    Vault* vault_;
};

inline Vault::Opening Vault::opening() noexcept {
    return Opening(*this);
}

inline void Vault::close() noexcept {
    core::probe::releasing(arbiter_.key(), core::probe::Hold::lock);
    arbiter_.give_back(1);
}

}  // namespace bank

namespace {

using namespace std::chrono_literals;
using bank::Vault;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;
using futon::test::until;

class OwnPrimitive : public futon::test::Reports {
protected:
    static std::string dumped() {
        std::ostringstream out;
        futon::diagnostics::dump(out);
        return out.str();
    }
};

TEST_F(OwnPrimitive, IsShownWithItsKindItsNameItsHolderAndItsWaiters) {
    Vault vault;
    futon::name(vault, "gold");
    Vault::Open open = futon::block(vault.opening());
    EventLoop loop;
    const auto wait = [&]() -> Promise<void> { const Vault::Open later = co_await futon::await(vault.opening()); };
    const Promise<void> promise = wait();

    const std::string text = dumped();

    EXPECT_NE(text.find("bank::Vault \"gold\""), std::string::npos) << text;
    EXPECT_NE(text.find("held by thread"), std::string::npos) << text;
    EXPECT_NE(text.find("waited for by coroutine"), std::string::npos) << text;
    EXPECT_NE(text.find("in bank::Vault::open"), std::string::npos) << text;
    open.reset();
    loop.run();
    EXPECT_EQ(dumped().find("gold"), std::string::npos) << dumped();
}

TEST_F(OwnPrimitive, ADeadlockOfAThreadAndACoroutine) {
    Vault vault;
    AsyncLock lock;
    EventLoop loop;
    std::latch both(2);
    std::atomic<int> thrown{0};
    std::jthread thread([&] {
        const std::scoped_lock hold(lock);
        both.arrive_and_wait();
        try {
            const Vault::Open open = futon::block(vault.opening());
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    });
    const auto open_and_lock = [&]() -> Promise<void> {
        const Vault::Open open = co_await futon::await(vault.opening());
        both.arrive_and_wait();
        try {
            const AsyncLock::Guard inner = co_await lock.scoped_lock_async();
        } catch (const DeadlockFound&) {
            ++thrown;
        }
    };
    const Promise<void> promise = open_and_lock();
    loop.run();
    thread.join();

    EXPECT_EQ(thrown, 1);
    EXPECT_EQ(count(What::deadlock), 1U) << text();
    EXPECT_NE(text().find("bank::Vault at"), std::string::npos) << text();
}

TEST_F(OwnPrimitive, ADeadlockOfASelect) {
    Vault vault, other;
    const Vault::Open open = futon::block(vault.opening());
    const Vault::Open opened = futon::block(other.opening());

    EXPECT_THROW(static_cast<void>(futon::select(vault.opening(), other.opening())), DeadlockFound);
}

TEST_F(OwnPrimitive, OrdersStallsAndAbandonedHolds) {
    Vault vault;
    AsyncLock lock;
    {
        const std::scoped_lock hold(lock);
        const Vault::Open open = futon::block(vault.opening());
    }
    std::thread([&] {
        const Vault::Open open = futon::block(vault.opening());
        const std::scoped_lock hold(lock);
    }).join();
    EXPECT_EQ(count(What::order), 1U) << text();

    futon::diagnostics::watch({.hold = 5ms, .wait = 5ms});
    Vault::Open open = futon::block(vault.opening());
    std::jthread waiting([&] { const Vault::Open later = futon::block(vault.opening()); });
    until([&] { return count(What::long_hold) != 0 && count(What::long_wait) != 0; });
    futon::diagnostics::watch({});
    open.reset();
    waiting.join();
    EXPECT_NE(text().find("has waited for bank::Vault"), std::string::npos) << text();

    futon::diagnostics::watch({.abandoned = true});
    std::thread([&] { static_cast<void>(futon::block(vault.opening()).release()); }).join();
    EXPECT_EQ(count(What::abandoned_hold), 1U) << text();
    EXPECT_NE(text().find("has ended while it held bank::Vault"), std::string::npos) << text();
}

// Its loop is in a job, so that it is offered the vault: what has not run for a while is passed by threads.
TEST_F(OwnPrimitive, AnExpiredOffer) {
    futon::diagnostics::watch({.offers = true});
    Vault vault;
    Vault::Open open = futon::block(vault.opening());
    std::latch is_in_job(1), may_end(1);
    std::jthread thread([&] {
        EventLoop loop;
        const auto take = [&]() -> Promise<void> { const Vault::Open later = co_await futon::await(vault.opening()); };
        const auto block = [&]() -> Promise<void> {
            co_await futon::sleep_for(0ms);
            is_in_job.count_down();
            may_end.wait();
        };
        const Promise<void> taken = take();
        const Promise<void> blocked = block();
        loop.run();
    });
    is_in_job.wait();

    until([&] {
        open.reset();
        open = futon::block(vault.opening());  // when the offer has expired
        return count(What::expired_offer) > 0;
    });

    EXPECT_NE(text().find("bank::Vault"), std::string::npos) << text();
    EXPECT_NE(text().find("was kept for a waiter of the loop of thread"), std::string::npos) << text();
    may_end.count_down();
    open.reset();
}

}  // namespace
