// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/uv.hpp>

#include "adapters/host.hpp"
#include "support/gtest.hpp"

namespace futon::test {

/// A libuv loop of its own.
class UvHost : public AgentHost<UvHost> {
public:
    static constexpr bool ends_by_itself = true;
    static constexpr bool may_end_first = false;  // uv_loop_close refuses
    static constexpr bool may_end_in_job = true;
    static constexpr bool nests = false;
    static constexpr bool tells_sleep = true;

    UvHost() {
        EXPECT_EQ(uv_loop_init(&uv_), 0);
        begin_loop();
    }
    ~UvHost() {
        end_loop();
        while (uv_run(&uv_, UV_RUN_DEFAULT) != 0) {
        }
        EXPECT_EQ(uv_loop_close(&uv_), 0);
    }

    void run() { uv_run(&uv_, UV_RUN_DEFAULT); }
    void stop() { uv_stop(&uv_); }
    void turn() { uv_run(&uv_, UV_RUN_NOWAIT); }
    /// Once in each turn, which timers that are due at once are not.
    void from_host(std::function<void()> f) {
        auto* const idle = new uv_idle_t;
        uv_idle_init(&uv_, idle);
        idle->data = new std::function<void()>(std::move(f));
        uv_idle_start(idle, [](uv_idle_t* of) { finish(of); });
    }
    void from_timer(std::function<void()> f, std::chrono::milliseconds time) {
        auto* const timer = new uv_timer_t;
        uv_timer_init(&uv_, timer);
        timer->data = new std::function<void()>(std::move(f));
        uv_timer_start(
            timer, [](uv_timer_t* of) { finish(of); }, static_cast<std::uint64_t>(time.count()), 0);
    }
    void begin_loop() { loop_.emplace(&uv_); }
    void end_loop() { loop_.reset(); }
    uv::Loop& loop() { return *loop_; }
    uv_loop_t* uv() { return &uv_; }

private:
    template <class Handle>
    static void finish(Handle* handle) {
        auto* const f = static_cast<std::function<void()>*>(handle->data);
        if constexpr (std::is_same_v<Handle, uv_idle_t>) uv_idle_stop(handle);
        (*f)();
        delete f;
        uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* of) { delete reinterpret_cast<Handle*>(of); });
    }

    uv_loop_t uv_;
    std::optional<uv::Loop> loop_;
};

}  // namespace futon::test
