// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <futon/core/wait_table.hpp>

#include "arguments.hpp"
#include "blocked_call.hpp"
#include "functions.hpp"
#include "pending_wait.hpp"

namespace futon::node {

namespace {

/// KINDS of lib/introspection.js has the same order.
enum class Kind : std::uint8_t { foreign, wait, wait_async, lock, lock_async };

/// Notes the waiters that it visits, as far as there is room, and counts all, so that the next visit has enough room.
class Notes final : public core::QueueVisitor {
public:
    void make_room() {
        numbers_.clear();
        numbers_.reserve(numbers_per_waiter * (seen_ + 16));
        seen_ = 0;
    }

    bool has_all() const noexcept { return numbers_.size() == numbers_per_waiter * seen_; }
    const std::vector<double>& numbers() const noexcept { return numbers_; }

    void visit(const void* address, const core::Waiter& waiter) noexcept override {
        ++seen_;
        if (numbers_.capacity() - numbers_.size() < numbers_per_waiter) return;
        if (const auto* pending = dynamic_cast<const PendingWait*>(&waiter)) {
            note(address, pending->is_for_lock() ? Kind::lock_async : Kind::wait_async, &pending->environment());
        } else if (const auto* blocked = dynamic_cast<const BlockedCall*>(&waiter)) {
            note(address, blocked->is_for_lock() ? Kind::lock : Kind::wait, &blocked->environment());
        } else {
            note(address, Kind::foreign, nullptr);
        }
    }

private:
    static constexpr std::size_t numbers_per_waiter = 3;

    void note(const void* address, Kind kind, const Environment* environment) noexcept {
        numbers_.push_back(static_cast<double>(reinterpret_cast<std::uintptr_t>(address)));
        numbers_.push_back(static_cast<double>(kind));
        numbers_.push_back(environment != nullptr ? environment->thread_id() : -1);
    }

    std::vector<double> numbers_;
    std::size_t seen_ = 0;
};

}  // namespace

napi_value waiters(napi_env env, napi_callback_info info) {
    const void* address = address_in(environment_of(env, info).mailbox());
    core::WaitTable& table = core::process_table();
    Notes notes;
    do {
        notes.make_room();
        if (address != nullptr) {
            table.visit(address, notes);
        } else {
            table.visit_all(notes);
        }
    } while (!notes.has_all());

    // A typed array: a program may have put setters on Array.prototype.
    const std::vector<double>& numbers = notes.numbers();
    void* memory = nullptr;
    napi_value buffer = nullptr;
    napi_value result = nullptr;
    must(napi_create_arraybuffer(env, numbers.size() * sizeof(double), &memory, &buffer), "napi_create_arraybuffer");
    std::copy(numbers.begin(), numbers.end(), static_cast<double*>(memory));
    must(napi_create_typedarray(env, napi_float64_array, numbers.size(), buffer, 0, &result), "napi_create_typedarray");
    return result;
}

napi_value address_of(napi_env env, napi_callback_info info) {
    std::size_t count = 1;
    napi_value array = nullptr;
    void* data = nullptr;
    void* address = nullptr;
    must(napi_get_cb_info(env, info, &count, &array, nullptr, &data), "napi_get_cb_info");
    if (napi_get_typedarray_info(env, array, nullptr, nullptr, &address, nullptr, nullptr) != napi_ok)
        address = nullptr;
    static_cast<Environment*>(data)->mailbox().address = static_cast<double>(reinterpret_cast<std::uintptr_t>(address));
    return nullptr;
}

}  // namespace futon::node
