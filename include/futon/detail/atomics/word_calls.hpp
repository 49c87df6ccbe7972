// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>

#include <futon/agent.hpp>
#include <futon/core/atomic.hpp>
#include <futon/core/queue/wait_check.hpp>
#include <futon/detail/export.hpp>
#include <futon/limits.hpp>
#include <futon/wait_result.hpp>
#include <futon/word.hpp>

// What the functions of atomics.hpp call.
namespace futon {

class WaitAsyncResult;
class WordWait;

namespace detail {

FUTON_API WaitResult wait(const core::WaitCheck& check, const Limits& limits);
FUTON_API std::size_t notify(const void* address, std::size_t count) noexcept;
FUTON_API WaitAsyncResult wait_async(WordWait&& op, const Limits& limits, Agent& agent);

template <WaitValue T>
Word<T> word_of(Word<T> word) noexcept {
    return word;
}
template <WaitValue T>
Word<T> word_of(core::Atomic<T>& word) noexcept {
    return word;
}

}  // namespace detail

}  // namespace futon

#include <futon/detail/end.hpp>
