// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <new>
#include <utility>

namespace futon::detail {

/// Room for a `T` that may be there, and stays where it is. What a std::optional is, without all that it has for copies and
/// moves, which is compiled for each type anew.
template <class T>
class Maybe {
public:
    Maybe() noexcept {}  // NOLINT(modernize-use-equals-default): there is no value in the union yet
    Maybe(const Maybe&) = delete;
    Maybe& operator=(const Maybe&) = delete;
    ~Maybe() { reset(); }

    /// Makes it in place, after the end of the one before.
    template <class... Arguments>
    T& emplace(Arguments&&... arguments) {
        reset();
        ::new (static_cast<void*>(&value_)) T(std::forward<Arguments>(arguments)...);
        is_there_ = true;
        return value_;
    }

    void reset() noexcept {
        if (std::exchange(is_there_, false)) value_.~T();
    }

    explicit operator bool() const noexcept { return is_there_; }
    T* operator->() noexcept { return &value_; }
    T& operator*() noexcept { return value_; }

private:
    union {
        T value_;
    };
    bool is_there_ = false;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
