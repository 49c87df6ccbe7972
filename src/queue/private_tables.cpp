// SPDX-License-Identifier: MIT
#include "queue/private_tables.hpp"

#include <memory>

namespace futon::tables {

namespace {

// A table may be made before the first constructor of the program, and destroyed after its last destructor.
constinit PrivateTables the_private_tables;

}  // namespace

PrivateTables& private_tables() noexcept {
    return the_private_tables;
}

void PrivateTables::add(PrivateShards& table) noexcept {
    const platform::MutexLock hold(mutex_);
    table.next.store(first_.load());
    first_.store(&table);  // [fork] from here on it is in the list, whole
}

void PrivateTables::remove(PrivateShards& table) noexcept {
    const platform::MutexLock hold(mutex_);
    detail::Atomic<PrivateShards*>* link = &first_;
    while (link->load() != &table) link = &link->load()->next;
    link->store(table.next.load());  // [fork] from here on it is in no list
}

void PrivateTables::begin_anew() noexcept {
    std::construct_at(&mutex_);  // the old one may be held; no thread is left that could release it
    for (PrivateShards* table = first_.load(); table != nullptr; table = table->next.load())
        tables::begin_anew(table->shards);
}

}  // namespace futon::tables
