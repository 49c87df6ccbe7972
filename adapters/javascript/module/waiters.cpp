// SPDX-License-Identifier: MIT
#include "waiters.hpp"

#include <cstddef>
#include <string_view>

#include <futon/core/queue/wait_table.hpp>
#include <futon/sync/async_lock.hpp>

namespace futon::javascript {

namespace {

/// Notes the waiters that it visits, as far as there is room, and counts all, so that the next visit has enough room.
class Notes final : public core::QueueVisitor {
public:
    void make_room() {
        seen.clear();
        seen.reserve(count_ + 16);
        count_ = 0;
    }

    bool has_all() const noexcept { return seen.size() == count_; }

    void visit(const void* address, const core::Waiter& waiter) noexcept override {
        ++count_;
        if (seen.size() == seen.capacity()) return;
        const core::WaiterDescription description = waiter.describe();
        seen.push_back({address, description.operation, description.thread,
                        description.kind == core::WaiterDescription::Kind::thread});
    }

    std::vector<SeenWaiter> seen;

private:
    std::size_t count_ = 0;
};

}  // namespace

std::vector<SeenWaiter> waiters_at(const void* address) {
    Notes notes;
    do {
        notes.make_room();
        if (address != nullptr) {
            core::table_for(address).visit(address, notes);
        } else {
            core::process_table().visit_all(notes);
        }
    } while (!notes.has_all());
    for (SeenWaiter& seen : notes.seen)
        if (std::string_view(seen.operation) == AsyncLock::Locking::name) seen.holder = acquisition_of(seen.address);
    return std::move(notes.seen);
}

}  // namespace futon::javascript
