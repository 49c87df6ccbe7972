// SPDX-License-Identifier: MIT
// The optional members of operations that fit. Those that do not are in tests/compile_fail: hook_*.cpp.

#include <cstdint>

#include <futon/core/operation/operation.hpp>

#include "support/gtest.hpp"

namespace {

namespace core = futon::core;

/// Has one of each, as authors write them, and nothing that can be derived from.
struct EachHook final {
    void left() noexcept {}
    std::uint64_t request() const noexcept { return 0; }
    bool try_spinning() noexcept { return false; }
    bool is_likely_to_wait() const noexcept { return false; }
    void joins(core::SelectGroup&, std::uint32_t) noexcept {}
    core::WaitQueues& table() const noexcept { return core::process_table(); }
    void queued() noexcept {}
    void moved(std::uint64_t, bool) noexcept {}
    bool outlasts(core::Ending) noexcept { return false; }
    bool has_outlasted() const noexcept { return false; }
    core::Place place(core::Enqueueing) const noexcept { return core::Place::tail; }
    static constexpr bool wake_is_final = false;
    static constexpr bool polls_for_wake_up = false;
};

/// The same, open to derivation.
struct OpenHooks {
    void left() noexcept {}
    bool outlasts(core::Ending) noexcept { return false; }
    bool has_outlasted() const noexcept { return false; }
};

/// Overloads one of a pair, which hides its name in a final class, not its function.
struct OverloadedHook final {
    bool outlasts(core::Ending) noexcept { return false; }
    bool outlasts(int) noexcept { return false; }
    bool has_outlasted() const noexcept { return false; }
};

struct NoHooks final {};

TEST(OperationHooks, OfFinalClassesAndOthersFit) {
    static_assert(core::OperationHooks<EachHook>::fit());
    static_assert(core::OperationHooks<OpenHooks>::fit());
    static_assert(core::OperationHooks<OverloadedHook>::fit());
    static_assert(core::OperationHooks<NoHooks>::fit());
}

}  // namespace
