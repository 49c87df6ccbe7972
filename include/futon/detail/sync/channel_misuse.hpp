// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <type_traits>

#include <futon/sync/channel.hpp>

namespace futon {

/// A specialization, so that the sentence is all that the compiler says.
template <class T>
    requires std::is_reference_v<T>
class Channel<T> {
    static_assert(!std::is_reference_v<T>,
                  "futon::Channel<T>: it cannot hold references; give it pointers, or std::reference_wrapper");

public:
    explicit Channel(std::size_t = 0) {}
};

}  // namespace futon

#include <futon/detail/end.hpp>
