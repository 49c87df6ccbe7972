// SPDX-License-Identifier: MIT
//
// All copies of the library in a process use the table of the copy that the loader lists first, so that their threads
// are queued together. The loader lists objects in the order in which they are loaded, and a copy whose table is in use
// stays loaded. So every copy gets the same answer, whenever it asks, and no copy writes what another reads.

#include <array>
#include <cstdint>
#include <string_view>

#include <futon/detail/reader_slots.hpp>

#include "platform/fork.hpp"
#include "platform/shared_object.hpp"
#include "queue/copies.hpp"
#include "queue/private_tables.hpp"
#include "queue/process_table.hpp"

// This number changes with everything on which copies must agree: the layout and the virtual functions of WaitTable,
// Waiter, WaitCheck, WaiterDescription, WakeToken, WakeVisitor, QueueVisitor, Job, Executor, Agent and AgentWaiter, the meaning of
// the request of a lock's waiter, the bits of a lock's word, and the slots of readers. Only the test of differing copies sets another.
#ifndef FUTON_LAYOUT
#define FUTON_LAYOUT 18
#endif

namespace {

// Waits may begin before the first constructor of the program and end after its last destructor.
constinit futon::tables::Shards own_shards;
constinit futon::detail::ReaderSlots own_reader_slots;
constinit const futon::tables::ProcessTable own_table(own_shards);

// [fork] Each copy does this for its own shards, whether they are the common ones or not.
FUTON_EARLY const futon::platform::ChildHandler begins_anew([]() noexcept {
    futon::tables::begin_anew(own_shards);
    futon::tables::private_tables().begin_anew();
});

}  // namespace

namespace futon::tables {

/// What a copy publishes. The first three members are the same in all layouts.
struct Copy {
    const void* self;
    std::uint32_t layout;
    std::uint32_t waiter_size;  // which a probe changes
    futon::core::WaitTable* table;
    futon::Agent** (*agent_slot)() noexcept;
    const std::uint32_t* fork_counter;
    futon::detail::ReaderSlots* reader_slots;
    futon::detail::ReaderLine** (*reader_line)() noexcept;

    bool has_layout_of(const Copy& other) const noexcept {
        return layout == other.layout && waiter_size == other.waiter_size;
    }
};

}  // namespace futon::tables

extern "C" {
[[gnu::visibility("hidden")]] extern const futon::tables::Copy futon_copy;
[[gnu::used]] constinit const futon::tables::Copy futon_copy{&futon_copy,
                                                             FUTON_LAYOUT,
                                                             sizeof(futon::core::Waiter),
                                                             const_cast<futon::tables::ProcessTable*>(&own_table),
                                                             &futon::core::own_agent_slot,
                                                             &futon::platform::Fork::counter(),
                                                             &own_reader_slots,
                                                             &futon::core::own_reader_line};
}
FUTON_PUBLISH(futon_copy);

namespace {

using futon::platform::SharedObject;
using futon::tables::Copy;

// Null until this copy has asked which copy is shared. Their targets come from the loader, before any thread reads
// them.
constinit futon::detail::Atomic<const Copy*> common_copy{nullptr};
constinit futon::detail::Atomic<futon::core::WaitTable*> common_table{nullptr};

struct Found {
    const Copy* common = nullptr;
    const char* name_of_common = nullptr;

    bool has_other = false;  // a copy of another layout, before this one
    const Copy* other = nullptr;
    const char* name_of_other = nullptr;

    const char* own_name = nullptr;
};

[[gnu::cold]] void consider(void* context, const void* record, const char* name) noexcept {
    auto& found = *static_cast<Found*>(context);
    const auto* copy = static_cast<const Copy*>(record);
    if (copy == &futon_copy) found.own_name = name;
    if (copy != nullptr && copy->has_layout_of(futon_copy)) {
        if (found.common == nullptr) {
            found.common = copy;
            found.name_of_common = name;
        }
    } else if (found.own_name == nullptr && !found.has_other) {
        found.has_other = true;
        found.other = copy;
        found.name_of_other = name;
    }
}

/// The layout of a copy, in words.
class LayoutText {
public:
    [[gnu::cold]] explicit LayoutText(const Copy* copy) noexcept {
        if (copy == nullptr) {
            append("an unknown layout");
            return;
        }
        append("layout ");
        append(copy->layout);
        append(" (waiters of ");
        append(copy->waiter_size);
        append(" bytes)");
    }

    std::string_view text() const noexcept { return {text_.data(), length_}; }

private:
    [[gnu::cold]] void append(std::string_view part) noexcept {
        length_ += part.copy(text_.data() + length_, text_.size() - length_);
    }

    [[gnu::cold]] void append(std::uint32_t number) noexcept {
        // By hand: std::to_chars links a table of digits whose symbol is unique in the process, and the loader never
        // unloads an object with such a symbol.
        std::array<char, 10> digits{};
        std::size_t first = digits.size();
        do {
            digits[--first] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        append(std::string_view(digits.data() + first, digits.size() - first));
    }

    std::array<char, 64> text_;
    std::size_t length_ = 0;
};

/// Reports copies that cannot share when the later of them is loaded: else a thread would silently never wake up.
[[gnu::cold]] void tell(const Found& found) noexcept {
    constexpr const char* consequence =
        ": they share none. A thread that waits through one of them is not woken through the other. "
        "Build both with one version of futon, with the same probe, or link both with one shared library.\n";
    SharedObject::say({"futon: ", SharedObject::path_of(found.own_name != nullptr ? found.own_name : "this object"),
                       " has ", LayoutText(&futon_copy).text(), " of the wait queues, ",
                       SharedObject::path_of(found.name_of_other), " has ", LayoutText(found.other).text(),
                       consequence});
}

[[gnu::cold, gnu::noinline]] const Copy& choose() noexcept {
    Found found;
    SharedObject::visit_published(consider, &found);
    const Copy* common = found.common != nullptr ? found.common : &futon_copy;
    if (common != &futon_copy) {
        SharedObject::keep_loaded(found.name_of_common);
        futon::platform::Fork::follow(*common->fork_counter);
    }
    common_table.store(common->table, std::memory_order_relaxed);                  // as said above
    const Copy* before = common_copy.exchange(common, std::memory_order_relaxed);  // as said above
    if (before == nullptr && found.has_other) tell(found);
    return *common;
}

/// The copy whose state is shared.
const Copy& common() noexcept {
    const Copy* copy = common_copy.load(std::memory_order_relaxed);  // as said above
    return copy != nullptr ? *copy : choose();
}

// While this copy is being loaded, no thread can unload what it finds, nor use this copy.
struct AtLoad {
    AtLoad() noexcept { common(); }
};
FUTON_EARLY const AtLoad chooses_at_load;

}  // namespace

namespace futon {

tables::ProcessTable* tables::own_table_if_used() noexcept {
    const bool is_used = common_table.load(std::memory_order_relaxed) == &own_table;  // as said above
    // A constant, for no function changes a table.
    return is_used ? const_cast<ProcessTable*>(&own_table) : nullptr;
}

core::WaitTable& core::process_table() noexcept {
    if (tables::ProcessTable* const own = tables::own_table_if_used(); own != nullptr) [[likely]]
        return *own;
    core::WaitTable* const table = common_table.load(std::memory_order_relaxed);  // as said above
    return table != nullptr ? *table : *common().table;
}

Agent** core::common_agent_slot() noexcept {
    return common().agent_slot();
}

detail::ReaderSlots& core::common_reader_slots() noexcept {
    return *common().reader_slots;
}

detail::ReaderLine** core::common_reader_line() noexcept {
    return common().reader_line();
}

[[gnu::cold]] void core::keep_this_copy_loaded() noexcept {
    Found found;
    SharedObject::visit_published(consider, &found);
    if (found.own_name != nullptr) SharedObject::keep_loaded(found.own_name);
}

}  // namespace futon
