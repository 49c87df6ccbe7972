// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "diagnostics/sampling.hpp"
#include "reports.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::diagnostics::Observe;

/// The number after `"key":` in what `metrics` or `dump_json` has of the object of this name.
std::uint64_t count_of(const std::string& name, const std::string& key) {
    std::ostringstream out;
    futon::diagnostics::dump_json(out);
    const std::string text = out.str();
    const std::size_t object = text.find("\"name\":\"" + name + '"');
    if (object == std::string::npos) return 0;
    const std::size_t at = text.find("\"" + key + "\":", object);
    return std::stoull(text.substr(at + key.size() + 3));
}

/// How many holds were timed.
std::uint64_t holds_of(const std::string& name) {
    std::ostringstream out;
    futon::diagnostics::dump_json(out);
    const std::string text = out.str();
    const std::size_t times = text.find("\"hold_ns\":{\"count\":", text.find("\"name\":\"" + name + '"'));
    return std::stoull(text.substr(times + 19));
}

std::string profile() {
    std::ostringstream out;
    futon::diagnostics::write_profile(out);
    return out.str();
}

std::string dump() {
    std::ostringstream out;
    futon::diagnostics::dump(out);
    return out.str();
}

class Profile : public futon::test::Reports {
protected:
    ~Profile() override { futon::diagnostics::observe(Observe::everything); }
};

TEST_F(Profile, OfEachSampleIsExact) {
    for (const Observe what : {Observe::everything, Observe::samples}) {
        futon::diagnostics::observe(what, 1);
        std::array<AsyncLock, 5> locks;
        std::array<std::uint64_t, 5> counts{};
        for (std::size_t i = 0; i < locks.size(); ++i) futon::name(locks[i], "drawn " + std::to_string(i));
        std::minstd_rand random(7);
        for (int i = 0; i < 2000; ++i) {
            const std::size_t outer = random() % locks.size(), inner = random() % locks.size();
            const std::scoped_lock hold(locks[outer]);
            ++counts[outer];
            if (inner > outer && locks[inner].try_lock()) {
                ++counts[inner];
                locks[inner].unlock();
            }
        }
        for (std::size_t i = 0; i < locks.size(); ++i) {
            EXPECT_EQ(count_of("drawn " + std::to_string(i), "acquisitions"), counts[i]);
            EXPECT_EQ(count_of("drawn " + std::to_string(i), "contended"), 0U);
            EXPECT_EQ(holds_of("drawn " + std::to_string(i)), counts[i]);
        }
    }
    EXPECT_NE(profile().find("drawn 4"), std::string::npos) << profile();
    EXPECT_TRUE(reports().empty()) << text();
}

TEST_F(Profile, OfFewSamplesScales) {
    futon::diagnostics::observe(Observe::samples, 10);
    AsyncLock lock;
    futon::name(lock, "scaled");
    // Periods of two, four and five, which a fixed distance of the samples would miss.
    AsyncLock other;
    futon::name(other, "other");
    for (int i = 0; i < 200'000; ++i) {
        lock.lock();
        lock.unlock();
        if (i % 4 != 0) continue;
        other.lock();
        other.unlock();
    }

    // Ten standard deviations, of draws that are the same in each run.
    EXPECT_NEAR(static_cast<double>(count_of("scaled", "acquisitions")), 200'000, 14'000);
    EXPECT_NEAR(static_cast<double>(count_of("other", "acquisitions")), 50'000, 7'000);
    EXPECT_EQ(holds_of("scaled"), count_of("scaled", "acquisitions"));
    EXPECT_NE(profile().find("estimates: one of 10"), std::string::npos);
}

TEST_F(Profile, TimesAHoldThatAnotherThreadReleases) {
    futon::diagnostics::observe(Observe::samples, 1);
    AsyncLock lock;
    futon::name(lock, "passed on");
    lock.lock();
    std::jthread([&] { lock.unlock(); }).join();
    EXPECT_EQ(holds_of("passed on"), 1U);
}

TEST_F(Profile, HasTheWaitsOfItsSamples) {
    futon::diagnostics::observe(Observe::samples, 1);
    AsyncLock lock;
    futon::name(lock, "waited for");
    lock.lock();
    futon::EventLoop loop;
    const auto wait = [&]() -> futon::Promise<void> { const auto guard = co_await lock.scoped_lock_async(); };
    const futon::Promise<void> promise = wait();
    lock.unlock();
    loop.run();
    EXPECT_EQ(count_of("waited for", "acquisitions"), 2U);
    EXPECT_EQ(count_of("waited for", "contended"), 1U);
}

/// Windows that the test opens and closes. In them everything is a sample, and counts for sixteen.
class SampleWindows : public Profile {
protected:
    static constexpr std::uint32_t weight = 16;
    static constexpr std::int64_t second = 1'000'000'000;

    SampleWindows() { futon::diagnostics::detail::set_mode(weight, true, begin_); }

    /// All at one time: the windows were a sixteenth of the time, as is expected at first.
    void open() { open_at(0, 1000 * second); }
    void close() { close_at(0); }

    void open_at(std::int64_t time, std::int64_t length) {
        const std::scoped_lock hold(futon::diagnostics::detail::Registry::get().mutex);
        futon::diagnostics::detail::open_window(begin_ + time, length);
    }

    void close_at(std::int64_t time) {
        const std::scoped_lock hold(futon::diagnostics::detail::Registry::get().mutex);
        futon::diagnostics::detail::close_window(begin_ + time);
    }

    static bool is_wanted() { return futon::diagnostics::detail::is_wanted(); }

    const std::int64_t begin_ = futon::diagnostics::detail::now();
};

TEST_F(SampleWindows, ShowWhatBeginsInThem) {
    AsyncLock lock;
    futon::name(lock, "in windows");
    const auto use = [&] {
        lock.lock();
        lock.unlock();
        EXPECT_TRUE(lock.try_lock());
        lock.unlock();
    };
    use();
    EXPECT_FALSE(is_wanted());
    EXPECT_EQ(count_of("in windows", "acquisitions"), 0U);
    open();
    use();
    EXPECT_TRUE(is_wanted());
    close();
    use();
    EXPECT_FALSE(is_wanted());
    EXPECT_EQ(count_of("in windows", "acquisitions"), 2 * weight);
    EXPECT_EQ(holds_of("in windows"), 2 * weight);
}

TEST_F(SampleWindows, SeeAHoldToItsEnd) {
    AsyncLock begun_before, begun_within;
    futon::name(begun_before, "before");
    futon::name(begun_within, "within");
    begun_before.lock();
    open();
    begun_within.lock();
    begun_before.unlock();
    close();
    EXPECT_TRUE(is_wanted());
    begun_within.unlock();
    EXPECT_FALSE(is_wanted());
    EXPECT_EQ(holds_of("within"), weight);
    EXPECT_EQ(count_of("before", "acquisitions"), 0U);
}

TEST_F(SampleWindows, SeeAThreadsWaitToItsEnd) {
    AsyncLock lock;
    futon::name(lock, "waited for");
    lock.lock();
    open();
    std::jthread waiter([&] {
        lock.lock();
        lock.unlock();
    });
    futon::test::until_waiting(lock, 1);
    close();
    EXPECT_TRUE(is_wanted());
    lock.unlock();
    waiter.join();
    EXPECT_FALSE(is_wanted());
    EXPECT_EQ(count_of("waited for", "acquisitions"), weight);
    EXPECT_EQ(count_of("waited for", "contended"), weight);
    EXPECT_EQ(holds_of("waited for"), weight);
}

TEST_F(SampleWindows, DoNotShowAWaitThatBeganBefore) {
    AsyncLock lock;
    futon::name(lock, "early");
    lock.lock();
    std::jthread waiter([&] { lock.lock(); });
    futon::test::until_waiting(lock, 1);
    open();
    close();
    lock.unlock();
    waiter.join();
    lock.unlock();
    EXPECT_FALSE(is_wanted());
    EXPECT_EQ(count_of("early", "acquisitions"), 0U);
    EXPECT_EQ(count_of("early", "contended"), 0U);
}

TEST_F(SampleWindows, CountForTheTimeThatTheyTook) {
    AsyncLock lock;
    futon::name(lock, "stretched");
    open();
    close_at(1000 * second);
    open_at(2000 * second, -2000 * second);
    lock.lock();
    lock.unlock();
    EXPECT_EQ(count_of("stretched", "acquisitions"), 2U);
    EXPECT_FALSE(is_wanted()) << "the sample finds that its window is over";
}

TEST_F(Profile, HasSamplesOfWindowsInTime) {
    futon::diagnostics::observe(Observe::samples, 100);
    AsyncLock lock;
    futon::name(lock, "often");
    while (count_of("often", "acquisitions") == 0)
        for (int i = 0; i < 1000; ++i) {
            lock.lock();
            lock.unlock();
        }
    EXPECT_NE(profile().find("estimates: one of 100"), std::string::npos);
}

TEST_F(Profile, ForgetsCallersWhenTheModeChanges) {
    AsyncLock seen, unseen;
    futon::SharedLock shared;
    seen.lock();
    shared.lock_shared();
    futon::diagnostics::observe(Observe::samples, 1);
    EXPECT_EQ(dump().find("held by"), std::string::npos) << dump();
    unseen.lock();
    seen.unlock();
    futon::diagnostics::observe(Observe::everything);
    unseen.unlock();
    shared.unlock_shared();
    // Neither is known as held: so it is no deadlock.
    seen.lock();
    unseen.lock();
    EXPECT_NE(dump().find("held by"), std::string::npos);
    unseen.unlock();
    seen.unlock();
    EXPECT_EQ(dump().find("held by"), std::string::npos) << dump();
    EXPECT_TRUE(reports().empty()) << text();
    EXPECT_THROW(futon::diagnostics::observe(Observe::samples, 0), std::invalid_argument);
}

TEST_F(Profile, MayChangeItsModeAmidACrowd) {
    constexpr int threads = 16;
    std::array<AsyncLock, 4> locks;
    futon::SharedLock shared;
    futon::Semaphore permits(3);
    std::atomic<int> running{threads};
    std::vector<std::jthread> crowd;
    for (int i = 0; i < threads; ++i)
        crowd.emplace_back([&, i] {
            std::minstd_rand random(static_cast<unsigned>(i) + 1);
            for (int round = 0; round < 1000; ++round) {
                const std::scoped_lock hold(locks[random() % 4]);
                if (random() % 2 == 0) {
                    const std::shared_lock read(shared);
                } else {
                    const auto some = permits.scoped_acquire(1 + random() % 3);
                }
            }
            --running;
        });
    std::size_t longest = 0;
    for (std::uint32_t i = 0; running > 0; ++i) {
        // From 64 on with windows of time.
        futon::diagnostics::observe(i % 2 == 0 ? Observe::samples : Observe::everything, 1 + i % 4 * 32);
        std::ostringstream out;
        futon::diagnostics::dump(out);
        futon::diagnostics::dump_json(out);
        futon::diagnostics::metrics(out);
        futon::diagnostics::write_profile(out);
        longest = std::max(longest, out.str().size());
    }
    crowd.clear();
    EXPECT_GT(longest, 100U);
    EXPECT_TRUE(reports().empty()) << text();
    EXPECT_EQ(dump().find("held by"), std::string::npos) << dump();
    EXPECT_EQ(dump().find("waited for"), std::string::npos) << dump();
}

TEST_F(Profile, KeepsNothingOfLocksThatHaveEnded) {
    const auto objects = [] {
        std::ostringstream out;
        futon::diagnostics::dump_json(out);
        const std::string text = out.str();
        std::size_t count = 0;
        for (std::size_t at = 0; (at = text.find("\"address\":", at)) != std::string::npos; ++at) ++count;
        return count;
    };
    for (const Observe what : {Observe::everything, Observe::samples}) {
        futon::diagnostics::observe(what, 2);
        const std::size_t before = objects();
        for (int i = 0; i < 1'000'000; ++i) {
            // On the heap, each at an address for a while.
            AsyncLock lock;
            if (i % 8 == 0) {
                lock.lock();
                lock.unlock();
            }
        }
        EXPECT_EQ(objects(), before);
    }
}

}  // namespace
