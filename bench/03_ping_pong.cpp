// SPDX-License-Identifier: MIT
//
// 3. How long does a round trip take in which two threads wake each other?
//
// The floor is the futex itself: blocking and waking in the kernel are most of the cost, so a library can only add
// little, or avoid blocking. std::atomic spins and yields for a while before it blocks, which its CPU time shows.

#include "harness/ping_pong.hpp"
#include "harness/session.hpp"
#include "peers/words.hpp"

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
