// SPDX-License-Identifier: MIT
#include <cstdint>

#include <futon/core.hpp>

// As an author writes it who takes `left` for a function of the ending: nothing would call it.
struct Acquiring final {
    using Result = bool;
    static constexpr const char* name = "acquire";

    const void* key() const noexcept { return word; }
    bool try_now() noexcept { return false; }
    futon::core::WaitCheck check() const noexcept {
        return {word, 0, [](void*, std::uint64_t) noexcept { return true; }};
    }
    bool woken(futon::core::WakeToken) noexcept { return true; }
    void give_back(futon::core::WakeToken) noexcept {}
    bool result(futon::core::Ending) noexcept { return true; }
    void left(futon::core::Ending) noexcept {}

    std::uint32_t* word;
};

bool acquire(std::uint32_t& word) {
    return futon::core::block(Acquiring{&word});
}
