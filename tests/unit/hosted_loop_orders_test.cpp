// SPDX-License-Identifier: MIT
//
// A host that does what a script says, in every order: whatever is to run, the host is certain to call. [alarm]
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <futon/core/loop/hosted_loop.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scripted_host.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::core::HostedLoop;
using Host = futon::test::ScriptedHost;
using Loop = futon::test::LoopOfHost;

/// One run of a script: each step is done by what comes first, the test or a job.
class Script {
public:
    explicit Script(std::string steps) : steps_(std::move(steps)) {}

    void run() {
        while (next_ < steps_.size()) act();
        while (!is_left_ && ran_ < posted_) {
            if (!check()) return;
            host_.turn();
        }
        if (is_left_) {
            EXPECT_EQ(ran_, ran_before_end_) << steps_;
            EXPECT_TRUE(host_.is_gone) << steps_;
        }
        far_.reset();
        loop_.reset();
        EXPECT_EQ(alive_.use_count(), 1) << steps_;
    }

private:
    auto job() {
        ++posted_;
        return [this, alive = alive_] { ++ran_; };
    }

    auto acting_job() {
        ++posted_;
        return [this, alive = alive_] {
            ++ran_;
            act();
            act();
        };
    }

    void act() {
        if (next_ == steps_.size()) return;
        const char step = steps_[next_++];
        if (step == 't') {
            host_.turn();
        } else if (!is_left_) {
            do_step(step);
        }
        check();
    }

    void do_step(char step) {
        const auto now = Clock::now();
        switch (step) {
            case 'p':
                return loop_->post(job());
            case 'j':
                return loop_->post(acting_job());
            case 'o':
                std::jthread([&] { loop_->post(job()); });
                return;
            case 'd':
                loop_->post_at(now - 1s, job());
                return;
            case 'a':
                loop_->post_at(now - 1s, acting_job());
                return;
            case 'f':
                return arm_far(now + 2h);
            case 'n':
                return arm_far(now + 1h);
            case 'c':
                return cancel();
            case 'e':
                break;
            default:
                FAIL() << step;
        }
        is_left_ = true;
        ran_before_end_ = ran_;
        loop_.reset();
    }

    void arm_far(Clock::time_point time) {
        cancel();
        far_time_ = time;
        far_ = loop_->post_at(time, [alive = alive_] { ADD_FAILURE(); });
    }

    void cancel() {
        if (std::exchange(far_time_, Host::unarmed) != Host::unarmed) {
            EXPECT_TRUE(far_->cancel());
        }
    }

    /// The host is certain to call in time. Between the steps, jobs of an outer turn included.
    bool check() const {
        if (is_left_ || host_.is_woken) return true;
        const bool is_near = host_.timer <= Clock::now() + 1min;
        const bool is_certain = ran_ == posted_ ? host_.timer <= far_limit() : is_near;
        EXPECT_TRUE(is_certain) << steps_ << " after " << next_ << " steps";
        return is_certain;
    }

    Clock::time_point far_limit() const { return far_time_ == Host::unarmed ? Host::unarmed : far_time_ + 1min; }

    const std::string steps_;
    std::size_t next_ = 0;
    int posted_ = 0;
    int ran_ = 0;
    int ran_before_end_ = 0;
    bool is_left_ = false;
    const std::shared_ptr<int> alive_ = std::make_shared<int>(0);
    Host host_;
    std::unique_ptr<Loop, HostedLoop::Ender> loop_{new Loop(host_)};
    Clock::time_point far_time_ = Host::unarmed;
    std::optional<futon::TimerHandle> far_;
};

/// All scripts of a length.
void run_all(const std::string& steps, std::size_t length, const std::string& begun = "") {
    if (begun.size() == length) return Script(begun).run();
    for (const char step : steps) {
        if (testing::Test::HasFailure()) return;
        run_all(steps, length, begun + step);
    }
}

TEST(HostedLoopOrders, TheHostIsCertainToCall) {
    run_all("pjdafnct", 5);
}

TEST(HostedLoopOrders, AlsoForWhatOtherThreadsPost) {
    run_all("pjoant", 4);
}

TEST(HostedLoopOrders, NothingRunsOnceItIsEnded) {
    run_all("pjdante", 5);
}

}  // namespace
