// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "baselines/bare_lock.hpp"

namespace bench {

/// The least that a line in a table can do: lock, find the place that belongs to the word, link, unlock. Places are never
/// shared, so nothing is ever searched for.
class BareTable {
    struct Links {
        Links* next = nullptr;
        Links* previous = nullptr;
    };

public:
    struct NodeBase : Links {
        const std::uint32_t* word = nullptr;
    };

    /// A waiter, as large as those that it stands for.
    template <std::size_t size>
    struct Node : NodeBase {
        std::byte rest[size - sizeof(NodeBase)] = {};
    };

    BareTable(std::size_t size, bool is_one_word)
        : places_(is_one_word ? 1 : std::bit_ceil(size)), words_(is_one_word ? 1 : size) {}

    void enqueue(NodeBase& node, std::size_t i) {
        node.word = &words_[i % words_.size()];
        hold_.lock();
        Links& end = place_of(node);
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
        Links& end = place_of(node);
        if (end.next == &end) end.next = nullptr;
        hold_.unlock();
    }

private:
    /// Words side by side must not have places side by side, or it would be a table of nothing but neighbours.
    Links& place_of(const NodeBase& node) {
        std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(node.word) * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ (mixed >> 32)) * 0x9e3779b97f4a7c15u;
        return places_[(mixed >> 32) & (places_.size() - 1)];
    }

    std::vector<Links> places_;
    std::vector<std::uint32_t> words_;
    BareLock hold_;
};

}  // namespace bench
