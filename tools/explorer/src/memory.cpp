// SPDX-License-Identifier: MIT
#include "memory.hpp"

#include <algorithm>

namespace futon::explorer {

namespace {

bool acquires(std::memory_order order) {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order) {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
}

}  // namespace

std::vector<Memory::Store>& Memory::stores_of(const void* cell, std::uint64_t present) {
    std::vector<Store>& stores = cells_[cell];
    if (stores.empty()) {
        stores.push_back({.value = present});
        used_.push_back(&stores);
    }
    return stores;
}

std::size_t Memory::oldest_visible(int fiber, const std::vector<Store>& stores, std::memory_order order) const {
    const bool is_seq_cst = order == std::memory_order_seq_cst;
    Clock known = views_[index(fiber)].clock;
    known.join(views_[index(fiber)].fenced);
    if (is_seq_cst) known.join(seq_cst_);
    for (std::size_t i = stores.size(); i-- > 1;) {
        if (is_seq_cst && stores[i].is_seq_cst) return i;
        for (int other = 0; other < max_fibers; ++other) {
            const std::uint32_t seen_at = stores[i].seen_at[index(other)];
            if (seen_at != 0 && seen_at <= known.at[other]) return i;
        }
    }
    return 0;
}

std::size_t Memory::candidates(int fiber, const void* cell, std::uint64_t newest, std::memory_order order) {
    const std::vector<Store>& stores = stores_of(cell, newest);
    return stores.size() - oldest_visible(fiber, stores, order);
}

void Memory::acquire_from(int fiber, const Store& store, std::memory_order order) {
    View& view = views_[index(fiber)];
    (acquires(order) ? view.clock : view.pending).join(store.released);
}

std::uint64_t Memory::load(int fiber, const void* cell, std::size_t age, std::memory_order order) {
    std::vector<Store>& stores = cells_[cell];
    Store& store = stores[stores.size() - 1 - age];
    const std::uint32_t time = tick(fiber);
    if (store.seen_at[index(fiber)] == 0) store.seen_at[index(fiber)] = time;
    acquire_from(fiber, store, order);
    return store.value;
}

void Memory::append(int fiber, std::vector<Store>& stores, std::uint64_t value, std::memory_order order,
                    bool continues) {
    View& view = views_[index(fiber)];
    Store store{.value = value, .is_seq_cst = order == std::memory_order_seq_cst};
    if (continues) store.released = stores.back().released;  // a release sequence
    store.seen_at[index(fiber)] = tick(fiber);
    store.released.join(releases(order) ? view.clock : view.released);
    stores.push_back(store);
}

void Memory::store(int fiber, const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) {
    append(fiber, stores_of(cell, previous), value, order, false);
}

void Memory::modify(int fiber, const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) {
    std::vector<Store>& stores = stores_of(cell, previous);
    acquire_from(fiber, stores.back(), order);
    append(fiber, stores, value, order, true);
}

void Memory::fence(int fiber) {
    View& view = views_[index(fiber)];
    tick(fiber);
    view.clock.join(view.pending);
    seq_cst_.join(view.clock);
    view.fenced.join(seq_cst_);
    view.released = view.clock;
}

/// The others see what the fiber did before, and it sees what they did. Their own fences have no order among them: each may be the
/// first.
void Memory::heavy_fence(int fiber, int fibers) {
    fence(fiber);
    const Clock before = seq_cst_;
    Clock after = before;
    for (int other = 0; other < fibers; ++other) {
        if (other == fiber) continue;
        seq_cst_ = before;
        fence(other);
        after.join(seq_cst_);
    }
    seq_cst_ = after;
    fence(fiber);
}

void Memory::publish(int fiber, Clock& clock) {
    tick(fiber);
    clock.join(views_[index(fiber)].clock);
}

}  // namespace futon::explorer
