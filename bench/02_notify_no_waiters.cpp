// SPDX-License-Identifier: MIT
//
// 2. What does a notify of a word without waiters cost, and do waiters on other words matter?
//
// The floor is a sequentially consistent fence, which no notify without a lock can omit; of a change and a notify it is the change,
// which is such a barrier itself.

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include <futon/futon.hpp>

#include "harness/fresh_process.hpp"
#include "harness/many_waiters.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/words.hpp"

namespace {

using bench::Kind;
using bench::Sample;

struct Fence {
    void notify_all() { std::atomic_thread_fence(std::memory_order_seq_cst); }
};

/// Words of four bytes side by side, as in an array that threads share.
constexpr std::size_t word_count = 1024;
using Words = std::array<std::atomic<std::uint32_t>, word_count>;

template <class Word>
[[gnu::noinline]] void notify(Word& word, int operations) {
    for (int i = 0; i < operations; ++i) {
        word.notify_all();
        bench::barrier();
    }
}

/// A change of a word without waiters, and what is done to wake them.
struct ChangeAlone {
    static void run(std::atomic<std::uint32_t>& word, std::uint32_t value) { word.exchange(value); }
};
struct ChangeAndNotify {
    static void run(std::atomic<std::uint32_t>& word, std::uint32_t value) { futon::exchange_and_notify(word, value); }
};
struct ChangeThenNotify {
    static void run(std::atomic<std::uint32_t>& word, std::uint32_t value) {
        word.exchange(value);
        futon::notify(word);
    }
};
struct ChangeThenNotifyOfStd {
    static void run(std::atomic<std::uint32_t>& word, std::uint32_t value) {
        word.exchange(value);
        word.notify_all();
    }
};

template <class Change>
double change_words(int operations) {
    static Words words{};
    const auto change_each = [&] {
        for (int done = 0; done < operations;)
            for (std::size_t i = 0; i < word_count && done < operations; ++i, ++done)
                Change::run(words[i], static_cast<std::uint32_t>(done));
    };
    change_each();
    return bench::time_of(operations, change_each).values["ns"];
}

template <class Change>
Sample change_beside_waiters(std::size_t waiting, int operations) {
    Sample sample;
    sample.values["ns"] = bench::in_a_fresh_process([=] {
        futon::EventLoop loop;
        const bench::ManyWaiters waiters(loop, waiting);
        return change_words<Change>(operations);
    });
    return sample;
}

template <class Word>
Sample one_word(int operations) {
    Word word;
    notify(word, operations / 10);
    return bench::time_of(operations, [&] { notify(word, operations); });
}

/// Notifies one word after the other: a single word might happen to share its bucket with many others, or with none.
double many_words(int operations) {
    static Words words{};
    const auto notify_each = [&] {
        for (int done = 0; done < operations;)
            for (std::size_t i = 0; i < word_count && done < operations; ++i, ++done) futon::notify(words[i]);
    };
    notify_each();
    return bench::time_of(operations, notify_each).values["ns"];
}

/// In a process of its own, because the table never shrinks.
Sample beside_waiters(std::size_t waiting, int operations) {
    Sample sample;
    sample.values["ns"] = bench::in_a_fresh_process([=] {
        futon::EventLoop loop;
        const bench::ManyWaiters waiters(loop, waiting);
        return many_words(operations);
    });
    return sample;
}

template <class Word>
Sample beside_threads(std::size_t waiting, int operations) {
    const bench::IdleThreads<Word> idle(waiting);
    return one_word<Word>(operations);
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "02_notify_no_waiters");
    const int operations = session.pick(2'000, 20'000, 100'000);

    session.add({"notify, no waiters", "fence", Kind::floor}, [=] { return one_word<Fence>(operations); });
    bench::for_each_word([&]<class Word>(const char* name, Kind kind) {
        // The system call is what a library avoids here, so it is no floor.
        if (kind == Kind::floor) kind = Kind::peer;
        session.add({"notify, no waiters", name, kind}, [=] { return one_word<Word>(operations); });
    });
    session.run(session.pick(3u, 31u, 101u));

    const char* elsewhere = "notify, asynchronous waiters on other words";
    std::vector<std::size_t> sizes = session.powers_of_ten(2, 4, 6, 6);
    sizes.insert(sizes.begin(), 0);
    for (const std::size_t size : sizes) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        session.add({elsewhere, "fence", Kind::floor, at}, [=] { return one_word<Fence>(operations); });
        session.add({elsewhere, "futon, 4 bytes", Kind::ours, at}, [=] { return beside_waiters(size, operations); });
    }
    session.run(session.pick(3u, 7u, 21u));

    const char* change = "exchange and notify, asynchronous waiters on other words";
    for (const std::size_t size : sizes) {
        const bench::Point at{{"waiters", static_cast<double>(size)}};
        session.add({change, "exchange alone", Kind::floor, at},
                    [=] { return change_beside_waiters<ChangeAlone>(size, operations); });
        session.add({change, "futon::exchange_and_notify", Kind::ours, at},
                    [=] { return change_beside_waiters<ChangeAndNotify>(size, operations); });
        session.add({change, "exchange, futon::notify", Kind::ours, at},
                    [=] { return change_beside_waiters<ChangeThenNotify>(size, operations); });
        session.add({change, "exchange, std notify_all", Kind::peer, at},
                    [=] { return change_beside_waiters<ChangeThenNotifyOfStd>(size, operations); });
    }
    session.run(session.pick(3u, 7u, 21u));

    for (const std::size_t threads :
         session.pick<std::vector<std::size_t>>({0, 4}, {0, 16, 64}, {0, 16, 64, 256, 1024}))
        bench::for_each_word([&]<class Word>(const char* name, Kind kind) {
            if (kind == Kind::floor) kind = Kind::peer;
            session.add(
                {"notify, threads blocked on other words", name, kind, {{"threads", static_cast<double>(threads)}}},
                [=] { return beside_threads<Word>(threads, operations / 10); });
        });
    session.run(session.pick(1u, 3u, 5u));
    return session.finish();
}
