// SPDX-License-Identifier: MIT
//
// 4. Is a wake slower while there are waiters on other words?
//
// The round trip of question 3 beside idle waiters, each on a word of its own: blocked threads, which every peer can
// have, and asynchronous waiters, of which there can be very many.

#include <futon/futon.hpp>

#include "harness/many_waiters.hpp"
#include "harness/ping_pong.hpp"
#include "harness/session.hpp"
#include "peers/words.hpp"

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
        session.add({"round trip beside idle asynchronous waiters", "futon, 4 bytes", bench::Kind::ours, waiting(size)},
                    [=, &loop] {
                        const bench::ManyWaiters waiters(loop, size);
                        return bench::ping_pong<bench::FutonWord<std::uint32_t>>(round_trips,
                                                                                 bench::Placement::one_core);
                    });
    session.run(session.pick(3u, 15u, 41u));

    for (const std::size_t size : session.pick<Sizes>({0, 16}, {0, 64, 200}, {0, 16, 64, 200, 1'000}))
        bench::for_each_word([&]<class Word>(const char* name, bench::Kind kind) {
            session.add({"round trip beside idle threads", name, kind, waiting(size)}, [=] {
                const bench::IdleThreads<Word> idle(size);
                return bench::ping_pong<Word>(size < 1'000 ? round_trips / 2 : round_trips / 20,
                                              bench::Placement::one_core);
            });
        });
    session.run(session.pick(1u, 5u, 7u));
    return session.finish();
}
