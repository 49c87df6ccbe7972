// SPDX-License-Identifier: MIT
//
// 3. How long does it take two threads to hand each other the turn, to and fro?
//
// The floor is the futex itself: sleeping and waking in the kernel are most of it, so all one can do is not to add much,
// or not to sleep. std::atomic spins and yields for a while before it sleeps; its CPU time tells.

#include "baselines/words.hpp"
#include "harness/ping_pong.hpp"
#include "harness/session.hpp"

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "03_ping_pong");
    const int round_trips = session.pick(200, 2'000, 10'000);
    using Place = std::pair<const char*, bench::Placement>;
    for (const auto& [measure, placement] : {Place{"round trip on one core", bench::Placement::one_core},
                                             Place{"round trip between two cores", bench::Placement::two_cores}})
        bench::for_each_word([&]<class Word>(const char* name, bench::Kind kind) {
            session.add({measure, name, kind},
                        [=, place = placement] { return bench::ping_pong<Word>(round_trips, place); });
        });
    session.run(session.pick(3u, 9u, 17u));
    return session.finish();
}
