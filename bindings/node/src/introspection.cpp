// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <futon/atomics.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/sync/async_lock.hpp>

#include "arguments.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

/// KINDS of lib/introspection.js has the same order.
enum class Kind : std::uint8_t { native, wait, wait_async, lock, lock_async };

/// By their texts: each copy of the library in the process has its own.
bool is_same(const char* operation, const char* other) noexcept {
    return std::strcmp(operation, other) == 0;
}

Kind kind_of(const core::WaiterDescription& waiter) noexcept {
    if (waiter.thread < 0) return Kind::native;
    const bool is_blocked = waiter.kind == core::WaiterDescription::Kind::thread;
    if (is_same(waiter.operation, AsyncLock::Locking::name)) return is_blocked ? Kind::lock : Kind::lock_async;
    return is_blocked ? Kind::wait : Kind::wait_async;
}

/// The names of the operations that waiters wait for, each once. They are copied: a name is valid only during the visit,
/// for the addon that it belongs to may be unloaded.
class Names {
public:
    /// The place of the name; -1 if it is empty, or if there is no room for another one.
    int place_of(const char* name) noexcept {
        if (*name == '\0') return -1;
        for (std::size_t i = 0; i < count_; ++i)
            if (std::strncmp(names_[i].data(), name, max_length) == 0) return static_cast<int>(i);
        if (count_ == names_.size()) return -1;
        std::snprintf(names_[count_].data(), names_[count_].size(), "%s", name);  // a longer one is cut
        return static_cast<int>(count_++);
    }

    std::size_t count() const noexcept { return count_; }
    const char* operator[](std::size_t i) const noexcept { return names_[i].data(); }

private:
    static constexpr std::size_t max_length = 63;

    std::array<std::array<char, max_length + 1>, 32> names_;
    std::size_t count_ = 0;
};

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
    const Names& operations() const noexcept { return operations_; }

    void visit(const void* address, const core::Waiter& waiter) noexcept override {
        ++seen_;
        if (numbers_.capacity() - numbers_.size() < numbers_per_waiter) return;
        const core::WaiterDescription description = waiter.describe();
        numbers_.push_back(static_cast<double>(reinterpret_cast<std::uintptr_t>(address)));
        numbers_.push_back(static_cast<double>(kind_of(description)));
        numbers_.push_back(static_cast<double>(description.thread));
        numbers_.push_back(operations_.place_of(description.operation));
    }

private:
    static constexpr std::size_t numbers_per_waiter = 4;

    std::vector<double> numbers_;
    Names operations_;
    std::size_t seen_ = 0;
};

/// A typed array, for a program may have put setters on Array.prototype. Returns false in a thread that is being terminated.
bool to_array(napi_env env, const std::vector<double>& numbers, napi_value* array) noexcept {
    void* memory = nullptr;
    napi_value buffer = nullptr;
    if (napi_create_arraybuffer(env, numbers.size() * sizeof(double), &memory, &buffer) != napi_ok) return false;
    std::copy(numbers.begin(), numbers.end(), static_cast<double*>(memory));
    return napi_create_typedarray(env, napi_float64_array, numbers.size(), buffer, 0, array) == napi_ok;
}

/// Defines the property, which calls no setter of Object.prototype. Returns false in a thread that is being terminated.
bool define(napi_env env, napi_value object, const char* name, napi_value value) noexcept {
    const napi_property_descriptor property{name, nullptr, nullptr, nullptr, nullptr, value, napi_default, nullptr};
    return napi_define_properties(env, object, 1, &property) == napi_ok;
}

}  // namespace

napi_value waiters(napi_env env, napi_callback_info info) {
    const void* address = address_in(environment_of(env, info).mailbox());
    Notes notes;
    do {
        notes.make_room();
        if (address != nullptr) {
            core::table_for(address).visit(address, notes);
        } else {
            core::process_table().visit_all(notes);
        }
    } while (!notes.has_all());

    napi_value result = nullptr;
    napi_value numbers = nullptr;
    must(napi_create_object(env, &result), "napi_create_object");
    if (!to_array(env, notes.numbers(), &numbers) || !define(env, result, "numbers", numbers)) return nullptr;
    for (std::size_t i = 0; i < notes.operations().count(); ++i) {
        char place[8];
        napi_value name = nullptr;
        std::snprintf(place, sizeof place, "%u", static_cast<unsigned>(i));
        must(napi_create_string_utf8(env, notes.operations()[i], NAPI_AUTO_LENGTH, &name), "napi_create_string_utf8");
        if (!define(env, result, place, name)) return nullptr;
    }
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
