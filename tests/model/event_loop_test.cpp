// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using futon::model::spawn;
using futon::test::expect_holds;

TEST(ModelEventLoop, AStopMayBeFollowedByTheEndOfTheLoop) {
    expect_holds("stop, end of the loop", {.preemptions = 3}, [] {
        futon::EventLoop* made = nullptr;
        int ready = 0;
        spawn("loop", [&] {
            futon::EventLoop own;
            made = &own;
            futon::Word(ready).store(1);
            futon::notify(futon::Word(ready));
            int never = 0;
            auto waiting = futon::wait_async(futon::Word(never), 0).promise();
            own.run();
        });
        spawn("stopper", [&] {
            futon::wait(futon::Word(ready), 0);
            made->stop();
        });
        futon::model::join();
    });
}

}  // namespace
