// SPDX-License-Identifier: MIT
//
// 8. How many bytes does each of very many pending waiters take?
//
// All on one word, or each on a word of its own. Bytes are those that malloc gives out, with its own overhead and the
// growth of the table, but without the word itself. Each figure comes from a copy of a process that has had no waiters,
// because a table that has grown keeps its size.

#include <cstddef>
#include <functional>
#include <utility>

#include "harness/fresh_process.hpp"
#include "harness/memory.hpp"
#include "harness/pending_waiters.hpp"
#include "harness/session.hpp"

namespace {

using bench::Kind;

/// Bytes of each waiter: `bytes_besides` and its part of what `enqueue_all()` allocates.
template <class F>
double bytes_per_waiter(std::size_t size, double bytes_besides, F&& enqueue_all) {
    const double before = bench::bytes_in_use();
    std::forward<F>(enqueue_all)();
    return bytes_besides + (bench::bytes_in_use() - before) / static_cast<double>(size);
}

double bytes_of_waiters(std::size_t size, bool is_one_word) {
    futon::EventLoop loop;
    bench::StackDepth depth;
    bench::PendingWaiters waiters(size, is_one_word, loop, depth);
    return bytes_per_waiter(size, sizeof(futon::core::AsyncWaiter), [&] { waiters.enqueue_all(); });
}

double bytes_of_promises(std::size_t size, bool is_one_word) {
    futon::EventLoop loop;
    bench::PendingWords words(size, is_one_word);
    bench::PendingPromises promises(size);
    return bytes_per_waiter(size, sizeof(futon::Promise<futon::WaitResult>), [&] { wait_all(promises, words); });
}

double bytes_of_receivers(std::size_t size) {
    asio::io_context context(1);
    bench::AsioChannel channel(context.get_executor());
    bench::StackDepth depth;
    return bytes_per_waiter(size, 0, [&] { receive_all(channel, size, depth); });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "08_bytes_per_waiter");
    for (const std::size_t size : session.powers_of_ten(2, 4, 6, 6)) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        const auto note = [&](const char* measure, const char* who, Kind kind, const std::function<double()>& bytes) {
            session.note({measure, who, kind, at}, {{"bytes", bench::in_a_fresh_process(bytes)}});
        };
        for (const bool is_one_word : {false, true}) {
            const char* measure = is_one_word ? "bytes, one shared word" : "bytes, one word each";
            note(measure, "futon, AsyncWaiter", Kind::ours, [=] { return bytes_of_waiters(size, is_one_word); });
            note(measure, "futon, promise", Kind::ours, [=] { return bytes_of_promises(size, is_one_word); });
        }
        note("bytes, one shared word", "asio channel", Kind::peer, [=] { return bytes_of_receivers(size); });
    }
    return session.finish();
}
