// SPDX-License-Identifier: MIT
#include "loop/reused_memory.hpp"

#include <futon/agent.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/loop/reused_memory.hpp>
#include <futon/detail/this_thread.hpp>

#include "platform/memory_checker.hpp"

namespace futon::detail {

const char ReusedMemory::this_copy = 0;

ReusedMemory::~ReusedMemory() {
    for (std::size_t kind = 0; kind < kinds; ++kind)
        while (void* const block = take(kind)) ::operator delete(block);
}

void ReusedMemory::serve(Agent& agent) noexcept {
    if (!platform::is_heap_watched()) agent.memory_ = this;
}

ReusedMemory* ReusedMemory::of_this_thread() noexcept {
    const Agent* const agent = this_agent();
    ReusedMemory* const memory = agent == nullptr ? nullptr : agent->memory_;
    return memory != nullptr && memory->copy_ == &this_copy ? memory : nullptr;
}

void* allocate_reused(std::size_t size) {
    const std::size_t kind = ReusedMemory::kind_of(size);
    if (kind == ReusedMemory::kinds) return ::operator new(size);
    ReusedMemory* const memory = ReusedMemory::of_this_thread();
    void* const block = memory == nullptr ? nullptr : memory->take(kind);
    return block != nullptr ? block : ::operator new(ReusedMemory::size_of(kind));
}

void free_reused(void* memory, std::size_t size) noexcept {
    core::probe::memory_freed(memory);
    const std::size_t kind = ReusedMemory::kind_of(size);
    ReusedMemory* const reused = kind == ReusedMemory::kinds ? nullptr : ReusedMemory::of_this_thread();
    if (reused == nullptr || !reused->keep(memory, kind)) ::operator delete(memory);
}

}  // namespace futon::detail
