// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <cstddef>
#include <memory>

namespace futon::asio::detail {

/// The room for one posted job, within the wait that posts it: a wake-up allocates nothing if the executor uses the
/// allocator associated with the posted function. Asio deallocates a job before it runs it. The second job that a
/// strand posts has no room here.
struct PostRoom {
    static constexpr std::size_t size = 96;
    alignas(std::max_align_t) std::byte bytes[size];
    std::atomic_flag is_taken{};
};

template <class T>
struct PostAllocator {
    using value_type = T;

    explicit PostAllocator(PostRoom& posted) noexcept : room(&posted) {}
    template <class U>
    PostAllocator(const PostAllocator<U>& other) noexcept : room(other.room) {}

    static constexpr bool fits = sizeof(T) <= PostRoom::size && alignof(T) <= alignof(std::max_align_t);

    T* allocate(std::size_t n) {
        if (fits && n == 1 && !room->is_taken.test_and_set(std::memory_order_acquire))  // with the release below
            return reinterpret_cast<T*>(room->bytes);
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept {
        if (static_cast<void*>(p) == room->bytes) {
            room->is_taken.clear(std::memory_order_release);  // with the acquire above
        } else {
            std::allocator<T>().deallocate(p, n);
        }
    }
    template <class U>
    bool operator==(const PostAllocator<U>& other) const noexcept {
        return room == other.room;
    }

    PostRoom* room;
};

}  // namespace futon::asio::detail

#include <futon/detail/end.hpp>
