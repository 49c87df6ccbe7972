// SPDX-License-Identifier: MIT
// A dump beside threads at full speed: it stops none of them for longer than it takes to copy a part.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "diagnostics/snapshot.hpp"
#include "reports.hpp"
#include "support/scale.hpp"

namespace {

using futon::AsyncLock;
using futon::diagnostics::detail::SeenObject;
using futon::diagnostics::detail::Snapshot;
using futon::diagnostics::detail::snapshot_part;
using futon::diagnostics::detail::take_snapshot;

class DumpInParts : public futon::test::Reports {
protected:
    DumpInParts() { futon::diagnostics::keep_places(futon::diagnostics::Places::waits); }
    ~DumpInParts() override { futon::diagnostics::keep_places(futon::diagnostics::Places::all); }

    /// Threads that lock a few locks as fast as they can, and make some that end at once, until this ends.
    class Crowd {
    public:
        explicit Crowd(std::array<AsyncLock, 3>& locks) {
            for (std::size_t i = 0; i < 4; ++i)
                threads_.emplace_back([this, &locks, i] {
                    for (std::size_t round = i; !is_over_; ++round) {
                        const std::scoped_lock hold(locks[round % locks.size()]);
                        AsyncLock own;
                        const std::scoped_lock inner(own);
                    }
                });
        }
        Crowd(const Crowd&) = delete;
        ~Crowd() { is_over_ = true; }

    private:
        std::atomic<bool> is_over_{false};
        std::vector<std::jthread> threads_;
    };

    static const SeenObject* object_at(const Snapshot& seen, const void* address) {
        const auto found = std::find_if(seen.objects.begin(), seen.objects.end(),
                                        [&](const SeenObject& object) { return object.address == address; });
        return found == seen.objects.end() ? nullptr : &*found;
    }
};

TEST_F(DumpInParts, CopiesFewRecordsInOneHoldOfItsMutex) {
    const auto count = static_cast<std::size_t>(futon::test::scaled(100'000));
    const auto held = std::make_unique<AsyncLock[]>(count);
    for (std::size_t i = 0; i < count; ++i) {
        futon::name(held[i], "number " + std::to_string(i));
        ASSERT_TRUE(held[i].try_lock());
    }
    std::array<AsyncLock, 3> busy;
    {
        const Crowd crowd(busy);
        for (int round = 0; round < 3; ++round) {
            const Snapshot seen = take_snapshot();

            EXPECT_GE(seen.most_at_once, snapshot_part);
            EXPECT_LE(seen.most_at_once, 2 * snapshot_part);
            EXPECT_TRUE(std::is_sorted(
                seen.objects.begin(), seen.objects.end(),
                [](const SeenObject& one, const SeenObject& other) { return one.address < other.address; }));
            std::size_t found = 0;
            for (const SeenObject& object : seen.objects) {
                if (object.address < &held[0] || object.address > &held[count - 1]) continue;
                ASSERT_EQ(object.name,
                          "number " + std::to_string(static_cast<const AsyncLock*>(object.address) - &held[0]));
                ASSERT_EQ(object.holders.size(), 1U) << object.name;
                ASSERT_EQ(object.waiters.size(), 0U) << object.name;
                ++found;
            }
            EXPECT_EQ(found, count);
        }
    }
    for (std::size_t i = count; i-- > 0;) held[i].unlock();
    EXPECT_TRUE(reports().empty()) << text();
}

TEST_F(DumpInParts, IsRightForEachPrimitive) {
    std::array<AsyncLock, 3> busy;
    std::size_t with_waiters = 0;
    const Crowd crowd(busy);
    while (with_waiters < 20) {
        const Snapshot seen = take_snapshot();
        for (const AsyncLock& lock : busy) {
            const SeenObject* const object = object_at(seen, &lock);
            if (object == nullptr) continue;
            ASSERT_LE(object->holders.size(), 1U) << "an exclusive lock";
            for (const auto& waiter : object->waiters)
                for (const auto& holder : object->holders)
                    ASSERT_NE(waiter.id, holder.id) << "holds it and waits for it";
            with_waiters += object->waiters.empty() ? 0 : 1;
        }
    }
}

}  // namespace
