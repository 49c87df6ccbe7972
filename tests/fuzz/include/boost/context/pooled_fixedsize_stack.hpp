// SPDX-License-Identifier: MIT
#pragma once

// Stands in the place of Boost's, for the explorer within the fuzzer: an input makes a new explorer, and under the address
// sanitizer a new pool of stacks costs more than the whole schedule. These stacks are kept from one to the next.

#include <cstddef>
#include <vector>

#include <sanitizer/asan_interface.h>
#include <boost/context/stack_context.hpp>

namespace boost::context {

class pooled_fixedsize_stack {
public:
    explicit pooled_fixedsize_stack(std::size_t) {}

    stack_context allocate() {
        if (free().empty()) free().push_back(static_cast<char*>(::operator new(stack_size)));
        stack_context stack;
        stack.size = stack_size;
        stack.sp = free().back() + stack_size;
        free().pop_back();
        return stack;
    }

    void deallocate(stack_context& stack) noexcept {
        char* bottom = static_cast<char*>(stack.sp) - stack_size;
        // What the last fiber's frames have poisoned: its outermost ones are left by a jump.
        __asan_unpoison_memory_region(bottom, stack_size);
        free().push_back(bottom);
    }

private:
    static constexpr std::size_t stack_size = 256 * 1024;

    static std::vector<char*>& free() {
        static auto& stacks = *new std::vector<char*>;  // never destroyed, so that they are no leak
        return stacks;
    }
};

}  // namespace boost::context
