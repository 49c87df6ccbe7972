// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include <futon/detail/stop_token.hpp>
#include <futon/sync/channel.hpp>

namespace futon {

/// The range of a thread's successive receives. See `Channel::items`.
template <class T>
class Channel<T>::Items {
public:
    /// An input iterator: each increment receives, blocking if need be.
    class Iterator {
    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;

        explicit Iterator(Items& items) : items_(&items) { ++*this; }
        T& operator*() const noexcept { return *items_->item_; }
        T* operator->() const noexcept { return &*items_->item_; }
        Iterator& operator++() {
            items_->receive();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const Iterator& it, std::default_sentinel_t) noexcept { return it.is_at_end(); }

    private:
        bool is_at_end() const noexcept { return !items_->item_; }

        Items* items_;
    };

    Items(Channel& channel, std::stop_token stop) noexcept : channel_(channel), stop_(std::move(stop)) {}

    /// Receives the first item.
    Iterator begin() { return Iterator(*this); }
    std::default_sentinel_t end() const noexcept { return {}; }

private:
    void receive() {
        item_.reset();
        if (stop_.stop_requested()) return;  // else it would not end while items keep coming
        if (auto received = channel_.receive(stop_)) item_.emplace(*std::move(received));
    }

    Channel& channel_;
    std::stop_token stop_;
    std::optional<T> item_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
