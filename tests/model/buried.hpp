// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <new>
#include <utility>

#include <futon/explorer.hpp>

namespace futon::test {

/// Something that its last user destroys while other fibers may still be about to return from it. [last-touch]
template <class T>
class Buried {
public:
    template <class... Args>
    explicit Buried(Args&&... args) : object_(::new (static_cast<void*>(storage_)) T(std::forward<Args>(args)...)) {}

    T* operator->() noexcept { return object_; }
    T& operator*() noexcept { return *object_; }

    /// The end of the object. What writes to it from then on is noticed.
    void bury() noexcept {
        object_->~T();
        std::ranges::fill(storage_, static_cast<unsigned char>(0xdd));
        is_buried_ = true;
    }

    /// Ends the schedule as a failure unless it was buried, and nothing has written to it since.
    void check_untouched() const {
        explorer::check(is_buried_, "its last user has destroyed it");
        const bool is_untouched = std::ranges::all_of(storage_, [](unsigned char byte) { return byte == 0xdd; });
        explorer::check(is_untouched, "[last-touch] nothing writes to what its last user has destroyed");
    }

private:
    alignas(T) unsigned char storage_[sizeof(T)];
    T* object_;
    bool is_buried_ = false;
};

}  // namespace futon::test
