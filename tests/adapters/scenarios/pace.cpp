// SPDX-License-Identifier: MIT
#include "adapters/scenarios/scene.hpp"
#include "support/observed_pace.hpp"

namespace futon::test {

// Nothing is posted to futon's loop in these: what is told is what the host does.

SCENARIO_IF(PaceScenarios, ALoopTellsThatItsHostIsBusy, host.tells_sleep) {
    ObservedPace pace(Agent::current().pace());
    int turns = 0;
    bool came_at_once = true;
    std::function<void()> turn = [&] {
        came_at_once = pace.comes_at_once();
        ObservedPace::compute();
        if (++turns == 4) return host->stop();
        host->from_host(turn);
    };
    host->from_host(turn);

    run();

    EXPECT_FALSE(came_at_once);
}

SCENARIO_IF(PaceScenarios, ALoopTellsThatItsHostSleeps, host.tells_sleep) {
    ObservedPace pace(Agent::current().pace());
    const auto guard = keep_running();
    std::atomic<bool> is_idle = false;
    bool came_at_once = false;
    int turns = 0;
    std::function<void()> turn = [&] {
        ObservedPace::compute();
        if (++turns < 4) return host->from_host(turn);
        EXPECT_FALSE(pace.comes_at_once());
        is_idle = true;
        is_idle.notify_one();
    };
    host->from_host(turn);
    std::jthread observer([&] {
        is_idle.wait(false);
        came_at_once = pace.comes_at_once_soon();
        host->post([&] { host->stop(); });
    });

    run();

    observer.join();
    EXPECT_TRUE(came_at_once);
}

}  // namespace futon::test
