// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <utility>

#include <futon/asio.hpp>
#include <futon/futon.hpp>

#include "adapters/asio/asio_handlers.hpp"
#include "support/gtest.hpp"

namespace {

using futon::AsyncLock;
using futon::asio::error_code;
using futon::test::OnLock;
namespace net = futon::asio::net;

/// An executor of a context, whose post may throw.
struct Throwing {
    net::io_context& query(net::execution::context_t) const noexcept { return *context; }
    static constexpr net::execution::blocking_t::never_t query(net::execution::blocking_t) noexcept { return {}; }
    template <class F>
    void execute(F f) const {
        if (*throws) throw std::runtime_error("post");
        net::post(*context, std::move(f));
    }
    bool operator==(const Throwing&) const noexcept = default;

    net::io_context* context;
    const bool* throws;
};

TEST(AsioThrowingPost, WhatWasDoneAtOnceIsGivenBackAndTheCallerIsTold) {
    net::io_context context;
    bool throws = true;
    AsyncLock lock;
    EXPECT_THROW(futon::asio::async(Throwing{&context, &throws}, lock.locking(),
                                    OnLock([](error_code, AsyncLock::Guard) { FAIL(); })),
                 std::runtime_error);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(AsioThrowingPost, WhatIsUndoneByItsOperationAloneIsGivenBackToo) {
    net::io_context context;
    bool throws = true;
    futon::Semaphore semaphore(2);
    EXPECT_THROW(futon::asio::async(Throwing{&context, &throws}, semaphore.acquiring(2),
                                    futon::test::OnWait([](error_code, futon::WaitResult) { FAIL(); })),
                 std::runtime_error);
    EXPECT_TRUE(semaphore.try_acquire(2));
}

/// Begins a wait whose wake-up cannot be posted. Within the child of the death test: a child has none of its parent's waiters.
void wake_in_vain() {
    net::io_context context;
    bool throws = false;
    AsyncLock lock;
    lock.lock();
    futon::asio::async(Throwing{&context, &throws}, lock.locking(), OnLock([](error_code, AsyncLock::Guard) {}));
    throws = true;
    lock.unlock();
}

TEST(AsioThrowingPostDeathTest, OfAPendingWaitEndsTheProgram) {
    EXPECT_DEATH(wake_in_vain(), "post does not throw while a wait is pending");
}

}  // namespace
