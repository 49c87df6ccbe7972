// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <futon/core/queue/wait_table.hpp>

namespace futon::test {

/// A table of a fixed size, with queues of its own: the small contract and nothing more.
class SmallTable final : public core::WaitQueues {
public:
    explicit SmallTable(std::size_t capacity) : capacity_(capacity) {}

    using core::WaitQueues::enqueue;
    core::EnqueueResult enqueue(core::Waiter& waiter, const core::WaitCheck& check,
                                core::Place place) noexcept override {
        const std::scoped_lock hold(mutex_);
        if (!check.must_wait()) return core::EnqueueResult::not_needed;
        if (queued_.size() == capacity_) return core::EnqueueResult::no_memory;
        using Access = core::WaiterAccess;
        Access::address(waiter).store(check.address);
        Access::state(waiter).store(Access::State::waiting);
        queued_.emplace(find(check.address, place, waiter.request().word), check.address, &waiter);
        return core::EnqueueResult::queued;
    }

    bool dequeue(core::Waiter& waiter, WaitResult result) noexcept override {
        const std::scoped_lock hold(mutex_);
        const auto place = find(waiter);
        if (place == queued_.end()) return false;
        leave(waiter, result);
        queued_.erase(place);
        return true;
    }

    bool is_queued(core::Waiter& waiter) noexcept override {
        const std::scoped_lock hold(mutex_);
        return find(waiter) != queued_.end();
    }

    bool must_wait(const core::WaitCheck& check) noexcept override {
        const std::scoped_lock hold(mutex_);
        return check.must_wait();
    }

    std::size_t notify(const void* address, std::size_t count) noexcept override {
        std::vector<core::Waiter*> taken;
        {
            const std::scoped_lock hold(mutex_);
            std::erase_if(queued_, [&](const auto& entry) {
                if (entry.first != address || taken.size() == count) return false;
                core::Waiter& waiter = *entry.second;
                const bool is_taken = !core::WaiterAccess::is_in_group(waiter) || core::WaiterAccess::claim(waiter);
                leave(waiter, is_taken ? WaitResult::ok : WaitResult::cancelled);
                if (is_taken) taken.push_back(&waiter);
                return true;
            });
        }
        for (core::Waiter* waiter : taken) core::WaitTable::deliver(*waiter);
        return taken.size();
    }

    /// How many waiters are queued, at all addresses.
    std::size_t size() {
        const std::scoped_lock hold(mutex_);
        return queued_.size();
    }

    /// Changes the room that is left.
    void set_capacity(std::size_t capacity) {
        const std::scoped_lock hold(mutex_);
        capacity_ = capacity;
    }

private:
    using Queued = std::vector<std::pair<const void*, core::Waiter*>>;

    static void leave(core::Waiter& waiter, WaitResult result) noexcept {
        using Access = core::WaiterAccess;
        Access::result(waiter) = result;
        Access::state(waiter).store(Access::State::idle);
    }

    /// Before which entry a waiter belongs that is enqueued there.
    Queued::iterator find(const void* address, core::Place place, std::uint64_t request) {
        if (place == core::Place::tail) return queued_.end();
        return std::find_if(queued_.begin(), queued_.end(), [&](const auto& entry) {
            if (entry.first != address) return false;
            if (place == core::Place::by_request) return entry.second->request().word >= request;
            return place == core::Place::head || entry.second->request().word > request;
        });
    }

    Queued::iterator find(core::Waiter& waiter) {
        return std::find_if(queued_.begin(), queued_.end(), [&](const auto& entry) { return entry.second == &waiter; });
    }

    std::mutex mutex_;
    std::size_t capacity_;
    Queued queued_;
};

}  // namespace futon::test
