// SPDX-License-Identifier: MIT
//
// 4. Is a wake slower because others wait for something else?
//
// The turn of question 3, while others wait on words of their own: as sleeping threads, which every baseline can have, and
// as promises' waiters, of which there can be very many.

#include <futon/futon.hpp>

#include "baselines/words.hpp"
#include "harness/many_waiters.hpp"
#include "harness/ping_pong.hpp"
#include "harness/session.hpp"

namespace {

bench::Point waiting(std::size_t count) {
    return {{"waiters", static_cast<double>(count)}};
}

}  // namespace

int main(int argc, char** argv) {
    using Sizes = std::vector<std::size_t>;
    bench::Session session(argc, argv, "04_idle_waiters");
    const int round_trips = session.pick(200, 1'000, 10'000);

    futon::EventLoop loop(futon::CanBlock::yes);
    for (const std::size_t size :
         session.pick<Sizes>({0, 1'000}, {0, 100, 1'000, 10'000}, {0, 10, 100, 1'000, 10'000, 100'000}))
        session.add(
            {"round trip beside asynchronous waiters", "futon, 4 bytes", bench::Kind::ours, waiting(size)}, [=, &loop] {
                const bench::Crowd crowd(loop, size);
                return bench::ping_pong<bench::FutonWord<std::uint32_t>>(round_trips, bench::Placement::one_core);
            });
    session.run(session.pick(3u, 15u, 41u));

    for (const std::size_t size : session.pick<Sizes>({0, 16}, {0, 64, 200}, {0, 16, 64, 200, 1'000}))
        bench::for_each_word([&]<class Word>(const char* name, bench::Kind kind) {
            session.add({"round trip beside threads", name, kind, waiting(size)}, [=] {
                const bench::IdleThreads<Word> idle(size);
                return bench::ping_pong<Word>(size < 1'000 ? round_trips / 2 : round_trips / 20,
                                              bench::Placement::one_core);
            });
        });
    session.run(session.pick(1u, 5u, 7u));
    return session.finish();
}
