// SPDX-License-Identifier: MIT
#include "diagnostics/runtime.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <vector>

#include <futon/core/probe.hpp>

#include "diagnostics/deadlock.hpp"

namespace futon::diagnostics::detail {

Call& this_call() noexcept {
    static thread_local constinit Call call;
    return call;
}

void runtime_begins(std::string_view title) {
    ThreadRecord* const thread = this_thread();
    if (thread == nullptr) return;
    const std::scoped_lock hold(Registry::get().mutex);
    ++thread->runtimes;
    const std::size_t length = std::min(title.size(), thread->title.size() - 1);
    std::copy_n(title.begin(), length, thread->title.begin());
    thread->title[length] = '\0';
}

void runtime_ends() noexcept {
    ThreadRecord* const thread = this_thread_if_known();
    if (thread == nullptr) return;
    const std::scoped_lock hold(Registry::get().mutex);
    --thread->runtimes;
}

void memory_ended(const void* begin, std::size_t size) {
    const void* const end = static_cast<const char*>(begin) + size;
    const auto is_inside = [&](const void* address) {
        return std::greater_equal<>()(address, begin) && std::less<>()(address, end);
    };
    std::vector<const void*> ended;
    {
        Registry& registry = Registry::get();
        const std::scoped_lock hold(registry.mutex);
        for (const auto& [address, object] : registry.objects)
            if (is_inside(address)) ended.push_back(address);
        for (const auto& [address, name] : registry.names)
            if (is_inside(address)) ended.push_back(address);
    }
    for (const void* const address : ended) core::probe::ended(address);
}

void look_from_loop(const StillLoop& loop) noexcept {
    try {
        check_for_deadlock(this_actor(), MayThrow::no, &loop);
    } catch (const std::bad_alloc&) {
        return;  // it looks again later
    }
}

}  // namespace futon::diagnostics::detail
