// SPDX-License-Identifier: MIT
#include "diagnostics/lock_order.hpp"

#include <algorithm>

#include <futon/diagnostics.hpp>

#include "diagnostics/report.hpp"

// The orders in which callers lock. Where a caller locks B while it holds A, there is an edge from A to B, kept with the places
// of the first time. A path back from B to A means that callers may deadlock that have not yet: if they are not the same caller,
// and no other lock keeps them apart.
namespace futon::diagnostics::detail {

namespace {

struct Finder {
    const void* goal;
    std::vector<std::pair<const void*, const Edge*>> path;  // each step leads to this lock
    std::vector<const void*> visited;

    bool find(const void* at) {
        if (at == goal) return true;
        visited.push_back(at);
        const auto found = Registry::get().orders.find(at);
        if (found == Registry::get().orders.end()) return false;
        for (const auto& [next, edge] : found->second) {
            if (std::find(visited.begin(), visited.end(), next) != visited.end()) continue;
            path.emplace_back(next, &edge);
            if (find(next)) return true;
            path.pop_back();
        }
        return false;
    }
};

bool have_common(const std::vector<const void*>& some, const std::vector<const void*>& others) {
    return std::any_of(some.begin(), some.end(),
                       [&](const void* one) { return std::find(others.begin(), others.end(), one) != others.end(); });
}

/// Which of the coroutines that had this frame it is; 0 if it is of another library, or a thread.
std::uint64_t serial_of(const Actor& actor) {
    const auto known = Registry::get().coroutines.find(actor.task);
    return known == Registry::get().coroutines.end() ? 0 : known->second.serial;
}

/// A coroutine may have ended since, and its frame be another one's.
std::string text_of(const Edge& edge) {
    if (edge.actor.task == nullptr) return text_of(edge.actor);
    std::string text =
        "coroutine " + edge.id.substr(1) + " of the loop of " + text_of(Actor{edge.actor.thread, nullptr});
    if (edge.serial != 0 && edge.serial != serial_of(edge.actor) && !text.ends_with("ended"))
        text += ", which has ended";
    return text;
}

}  // namespace

Inversion note_order(const void* address, const Holder& holder) {
    Inversion inversion;
    Registry& registry = Registry::get();
    // What the caller holds: few locks, of which the order is kept by the time.
    std::vector<std::pair<const void*, const Holder*>> held;
    if (const auto locks = registry.held.find(key_of(holder.actor)); locks != registry.held.end())
        for (const void* const lock : locks->second) {
            const auto& holders = registry.objects[lock].holders;
            const auto own = std::find_if(holders.begin(), holders.end(),
                                          [&](const Holder& other) { return other.actor == holder.actor; });
            if (own != holders.end() && own->is_certain) held.emplace_back(lock, &*own);
        }
    for (const auto& [first, first_holder] : held) {
        if (first == address) continue;
        auto& edges = registry.orders[first];
        if (edges.contains(address)) continue;
        Edge edge{holder.actor, id_of(holder.actor), serial_of(holder.actor), first_holder->place, holder.place, {}};
        for (const auto& [gate, unused] : held)
            if (gate != first && gate != address) edge.gates.push_back(gate);
        Finder finder{first, {}, {}};
        if (finder.find(address)) {
            bool may_meet = true;
            for (const auto& [lock, step] : finder.path) may_meet = may_meet && !have_common(step->gates, edge.gates);
            // A thread, that is: coroutines come and go at one address.
            const bool is_one_caller = holder.actor.task == nullptr &&
                                       std::all_of(finder.path.begin(), finder.path.end(), [&](const auto& step) {
                                           return step.second->actor == holder.actor;
                                       });
            if (may_meet && !is_one_caller && inversion.steps.empty()) {
                inversion.steps.push_back(
                    {text_of(holder.actor), text_of(first), text_of(address), edge.first, edge.second});
                const void* from = address;
                for (const auto& [lock, step] : finder.path) {
                    inversion.steps.push_back(
                        {text_of(*step), text_of(from), text_of(lock), step->first, step->second});
                    from = lock;
                }
                inversion.are_async_locks =
                    is_async_lock(address) && std::all_of(finder.path.begin(), finder.path.end(),
                                                          [](const auto& step) { return is_async_lock(step.first); });
            }
        }
        edges.emplace(address, std::move(edge));
        registry.orders_to[address].push_back(first);
    }
    return inversion;
}

void report(const Inversion& inversion) noexcept {
    if (inversion.steps.empty()) return;
    std::string text = "orders of locking that may deadlock";
    for (const Inversion::Step& step : inversion.steps) {
        text += "\n  " + step.actor + (step.actor.ends_with("ended") ? ", locked " : " locked ") + step.second;
        if (const std::string where = text_of(step.second_place); !where.empty()) text += " at " + where;
        text += "\n    while it held " + step.first;
        if (const std::string where = text_of(step.first_place); !where.empty()) text += ", locked at " + where;
    }
    text += "\n  What to do: choose one order for all callers";
    text += inversion.are_async_locks ? ", or lock together with futon::lock_all." : ".";
    report_later(What::order, std::move(text));
}

void forget_order(const void* address) noexcept {
    Registry& registry = Registry::get();
    registry.orders.erase(address);
    const auto to = registry.orders_to.find(address);
    if (to == registry.orders_to.end()) return;
    for (const void* const first : to->second)
        if (const auto edges = registry.orders.find(first); edges != registry.orders.end())
            edges->second.erase(address);
    registry.orders_to.erase(to);
}

}  // namespace futon::diagnostics::detail
