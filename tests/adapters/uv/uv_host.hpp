// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
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
    void from_host(std::function<void()> f) {
        auto* const timer = new uv_timer_t;
        uv_timer_init(&uv_, timer);
        timer->data = new std::function<void()>(std::move(f));
        uv_timer_start(timer, &on_timer, 0, 0);
    }
    void begin_loop() { loop_.emplace(&uv_); }
    void end_loop() { loop_.reset(); }
    uv::Loop& loop() { return *loop_; }
    uv_loop_t* uv() { return &uv_; }

private:
    static void on_timer(uv_timer_t* timer) {
        auto* const f = static_cast<std::function<void()>*>(timer->data);
        (*f)();
        delete f;
        uv_close(reinterpret_cast<uv_handle_t*>(timer),
                 [](uv_handle_t* handle) { delete reinterpret_cast<uv_timer_t*>(handle); });
    }

    uv_loop_t uv_;
    std::optional<uv::Loop> loop_;
};

}  // namespace futon::test
