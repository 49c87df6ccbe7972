// SPDX-License-Identifier: MIT
#include "fibers.hpp"

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

// Of the address sanitizer, where it is linked.
extern "C" [[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* begin, std::size_t size);

namespace futon::explorer {

namespace {

constexpr std::size_t stack_size = 256 * 1024;

/// Hands out the one stack that each fiber has, for as long as the process lives.
class KeptStack {
public:
    explicit KeptStack(int fiber) : fiber_(static_cast<std::size_t>(fiber)) {}

    boost::context::stack_context allocate() {
        static std::array<std::unique_ptr<std::byte[]>, max_fibers> stacks;
        if (stacks[fiber_] == nullptr) stacks[fiber_] = std::make_unique_for_overwrite<std::byte[]>(stack_size);
        // What the last fiber's outermost frames have poisoned: they are left by a jump.
        if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(stacks[fiber_].get(), stack_size);
        boost::context::stack_context stack;
        stack.size = stack_size;
        stack.sp = stacks[fiber_].get() + stack_size;
        return stack;
    }
    void deallocate(boost::context::stack_context&) noexcept {}

private:
    std::size_t fiber_;
};

}  // namespace

void Fibers::start(int fiber, std::function<int()> body) {
    const auto index = static_cast<std::size_t>(fiber);
    bodies_[index] = std::move(body);
    contexts_[index] = Context(std::allocator_arg, KeptStack(fiber), [this, index](Context&& from) {
        arrive(std::move(from));
        current_ = bodies_[index]();
        previous_ = outside;
        return std::move(contexts_[static_cast<std::size_t>(current_)]);
    });
}

void Fibers::switch_to(int next) {
    previous_ = std::exchange(current_, next);
    Context from = std::move(contexts_[static_cast<std::size_t>(next)]).resume();
    arrive(std::move(from));
}

/// All that a context has is on its stack, which is kept.
void Fibers::abandon(int fiber) {
    ::new (static_cast<void*>(&contexts_[static_cast<std::size_t>(fiber)])) Context();
}

/// Keeps the context of the fiber that switched here, where the next switch to it finds it. One that has ended leaves none.
void Fibers::arrive(Context&& from) {
    if (from) contexts_[static_cast<std::size_t>(previous_)] = std::move(from);
}

}  // namespace futon::explorer
