// SPDX-License-Identifier: MIT
#include "platform/fork.hpp"

#include <cstdlib>
#include <utility>

#include <pthread.h>

namespace futon::platform {

namespace {

void register_handler(void (*handler)() noexcept) noexcept {
    if (pthread_atfork(nullptr, nullptr, handler) != 0) std::abort();  // no memory at the beginning of the program
}

}  // namespace

constinit std::uint32_t Fork::counter_ = 0;
constinit const std::uint32_t* Fork::followed_ = &counter_;

void Fork::count() noexcept {
    ++counter_;
}

void Fork::call_in_children(void (*handler)() noexcept) noexcept {
    static constinit bool is_counting = false;  // no thread yet but the first
    if (!std::exchange(is_counting, true)) register_handler(count);
    register_handler(handler);
}

}  // namespace futon::platform
