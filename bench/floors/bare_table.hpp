// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "floors/bare_lock.hpp"

namespace bench {

/// The least that wait queues in a table can do: lock, find the queue of the word, link, unlock. Words never share a
/// queue, so there is nothing to search.
class BareTable {
    struct Links {
        Links* next = nullptr;
        Links* previous = nullptr;
    };

public:
    struct NodeBase : Links {
        const std::uint32_t* word = nullptr;
    };

    /// A waiter, as large as the real one it stands for.
    template <std::size_t size>
    struct Node : NodeBase {
        std::byte rest[size - sizeof(NodeBase)] = {};
    };

    BareTable(std::size_t size, bool is_one_word)
        : queues_(is_one_word ? 1 : std::bit_ceil(size)), words_(is_one_word ? 1 : size) {}

    void enqueue(NodeBase& node, std::size_t i) {
        node.word = &words_[i % words_.size()];
        hold_.lock();
        Links& end = queue_of(node);
        if (end.next == nullptr) end.next = end.previous = &end;
        node.next = &end;
        node.previous = end.previous;
        end.previous->next = &node;
        end.previous = &node;
        hold_.unlock();
    }

    void dequeue(NodeBase& node) {
        hold_.lock();
        node.next->previous = node.previous;
        node.previous->next = node.next;
        Links& end = queue_of(node);
        if (end.next == &end) end.next = nullptr;
        hold_.unlock();
    }

private:
    /// Adjacent words must not have adjacent queues, or consecutive operations would share cache lines.
    Links& queue_of(const NodeBase& node) {
        std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(node.word) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 32)) * 0x9e3779b97f4a7c15u;
        return queues_[(mixed >> 32) & (queues_.size() - 1)];
    }

    std::vector<Links> queues_;
    std::vector<std::uint32_t> words_;
    BareLock hold_;
};

}  // namespace bench
