// SPDX-License-Identifier: MIT
// Promises, while memory is refused: each settles, or its call says that there is none.
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/futon.hpp>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/promises.hpp"
#include "support/refused_waits.hpp"
#include "support/settling.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::PromiseSource;
using futon::test::broken;
using futon::test::NoAllocationFails;
using futon::test::refuse_each_allocation;
using futon::test::run_to_the_end;
using futon::test::succeeds;

/// A promise, and the source that settles it; made where no memory is refused.
struct Pair {
    Pair() : Pair(futon::make_promise<int>()) {}
    explicit Pair(std::pair<Promise<int>, PromiseSource<int>> made)
        : promise(std::move(made.first)), source(std::move(made.second)) {}
    Promise<int> promise;
    PromiseSource<int> source;
};

/// How promises have settled: each of them once.
struct Settled {
    int values = 0;
    int refused = 0;
    int others = 0;

    template <class T>
    Promise<void> listen(Promise<T> promise) {
        try {
            co_await std::move(promise);
            ++values;
        } catch (const std::bad_alloc&) {
            ++refused;
        } catch (const std::exception&) {
            ++others;
        }
    }
    int all() const noexcept { return values + refused + others; }
};

TEST(RefusedPromises, ThenSettlesOrIsRefused) {
    refuse_each_allocation([] {
        EventLoop loop;
        Settled settled;
        Pair pair;
        int calls = 0;
        std::optional<Promise<int>> then;
        std::optional<Promise<int>> then_promise;
        const bool has_then =
            succeeds([&] { then.emplace(pair.promise.then([&](int value) { return ++calls, value; })); });
        const bool has_other = succeeds([&] {
            then_promise.emplace(pair.promise.then([&](int value) -> Promise<int> {
                ++calls;
                co_await futon::sleep_for(0ms);
                co_return value;
            }));
        });
        EXPECT_TRUE(succeeds([&] { pair.source.fulfil(7); }));
        if (has_then) static_cast<void>(settled.listen(*std::move(then)));
        if (has_other) static_cast<void>(settled.listen(*std::move(then_promise)));
        run_to_the_end(loop);

        EXPECT_EQ(settled.all(), has_then + has_other);
        EXPECT_EQ(settled.others, 0);
        EXPECT_LE(settled.values, calls);
    });
}

/// Settles three promises, one of them with an exception if `is_one_rejected`, after `combine` was called with them.
template <class Combine>
void combine_three(bool is_one_rejected, Combine combine) {
    refuse_each_allocation([&] {
        EventLoop loop;
        Settled settled;
        std::vector<Pair> pairs(3);
        using Combined = decltype(combine(pairs));
        std::optional<Combined> combined;
        const bool is_combined = succeeds([&] { combined.emplace(combine(pairs)); });
        if (is_combined) static_cast<void>(settled.listen(*std::move(combined)));
        combined.reset();
        for (int i = 0; Pair & pair : pairs) {
            EXPECT_TRUE(succeeds([&] {
                if (i == 0 && is_one_rejected) {
                    const NoAllocationFails here;
                    pair.source.reject(broken());
                } else {
                    pair.source.fulfil(i);
                }
            }));
            ++i;
        }
        run_to_the_end(loop);

        EXPECT_EQ(settled.all(), is_combined ? 1 : 0);
        EXPECT_TRUE(is_one_rejected || settled.others == 0);
    });
}

TEST(RefusedPromises, AllSettlesOrIsRefused) {
    for (const bool is_one_rejected : {false, true}) {
        combine_three(is_one_rejected, [](std::vector<Pair>& pairs) {
            return futon::all(std::move(pairs[0].promise), std::move(pairs[1].promise), std::move(pairs[2].promise));
        });
        combine_three(is_one_rejected, [](std::vector<Pair>& pairs) {
            std::vector<Promise<int>> promises;
            for (Pair& pair : pairs) promises.push_back(std::move(pair.promise));
            return futon::all(std::move(promises));
        });
    }
}

TEST(RefusedPromises, RaceSettlesOrIsRefused) {
    for (const bool is_one_rejected : {false, true}) {
        combine_three(is_one_rejected, [](std::vector<Pair>& pairs) {
            return futon::race(std::move(pairs[0].promise), std::move(pairs[1].promise), std::move(pairs[2].promise));
        });
        combine_three(is_one_rejected, [](std::vector<Pair>& pairs) {
            std::vector<Promise<int>> promises;
            for (Pair& pair : pairs) promises.push_back(std::move(pair.promise));
            return futon::race(std::move(promises));
        });
    }
}

TEST(RefusedPromises, AreFulfilledOrRejectedAtOnceOrRefused) {
    refuse_each_allocation([] {
        EventLoop loop;
        Settled settled;
        std::optional<Promise<std::string>> fulfilled;
        std::optional<Promise<void>> rejected;
        const std::string text(100, 'x');
        int made = succeeds([&] { fulfilled.emplace(futon::fulfilled(text)); });
        made += succeeds([&] { rejected.emplace(futon::rejected<void>(broken())); });
        if (fulfilled) static_cast<void>(settled.listen(*std::move(fulfilled)));
        if (rejected) static_cast<void>(settled.listen(*std::move(rejected)));
        run_to_the_end(loop);
        EXPECT_EQ(settled.all(), made);
    });
}

TEST(RefusedPromises, ASourceSettlesItsPromiseFromAnyThreadOrSaysThatItDidNot) {
    refuse_each_allocation([] {
        EventLoop loop;
        Settled settled;
        std::vector<std::pair<Promise<std::string>, PromiseSource<std::string>>> made;
        made.reserve(2);
        for (int i = 0; i < 2; ++i) succeeds([&] { made.push_back(futon::make_promise<std::string>()); });
        for (auto& [promise, source] : made) static_cast<void>(settled.listen(std::move(promise)));
        const std::string text(100, 'x');
        const auto settle = [&](PromiseSource<std::string>& source) {
            if (!succeeds([&] { source.fulfil(text); })) source.fulfil("");
        };
        if (!made.empty()) settle(made[0].second);
        if (made.size() > 1) std::thread([&] { settle(made[1].second); }).join();
        run_to_the_end(loop);

        EXPECT_EQ(settled.values, static_cast<int>(made.size()));
    });
}

TEST(RefusedPromises, ADroppedSourceRejectsItsPromise) {
    refuse_each_allocation([] {
        EventLoop loop;
        Settled settled;
        std::optional<Pair> here(std::in_place);
        std::optional<Pair> there(std::in_place);
        static_cast<void>(settled.listen(std::move(here->promise)));
        static_cast<void>(settled.listen(std::move(there->promise)));

        EXPECT_TRUE(succeeds([&] { here.reset(); }));
        std::thread([&] { EXPECT_TRUE(succeeds([&] { auto source = std::move(there->source); })); }).join();
        run_to_the_end(loop);

        EXPECT_EQ(settled.others + settled.refused, 2);
    });
}

TEST(RefusedPromises, ASelectTakesWhatSettlesOrIsRefused) {
    refuse_each_allocation([] {
        EventLoop loop;
        Settled settled;
        Pair first;
        Pair second;
        const auto select = [&]() -> Promise<void> {
            const auto chosen = co_await futon::select_async(futon::settled(first.promise),
                                                             futon::settled(second.promise), futon::timeout(1h));
            EXPECT_EQ(chosen.index(), 1u);
        };
        std::optional<Promise<void>> promise;
        const bool is_begun = succeeds([&] { promise.emplace(select()); });
        if (is_begun) static_cast<void>(settled.listen(*std::move(promise)));
        EXPECT_TRUE(succeeds([&] { second.source.fulfil(2); }));
        EXPECT_TRUE(succeeds([&] { first.source.fulfil(1); }));
        run_to_the_end(loop);

        EXPECT_EQ(settled.values + settled.refused, is_begun ? 1 : 0);
    });
}

}  // namespace
