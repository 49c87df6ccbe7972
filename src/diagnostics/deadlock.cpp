// SPDX-License-Identifier: MIT
#include "diagnostics/deadlock.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <futon/diagnostics.hpp>

#include "diagnostics/registry.hpp"
#include "diagnostics/report.hpp"
#include "diagnostics/runtime.hpp"

// A deadlock: callers that wait for each other, so that none of them goes on.
//
// A caller is stuck if it waits, no deadline and no stop ends that, and each of its waits (a select has several) is for a primitive
// that a stuck caller holds. A coroutine is stuck, too, while the thread of its loop is blocked and stuck. The largest set of
// callers for which that holds is found by leaving out those for which it does not, until none is left out.
//
// Each caller looks after its waiters are queued, and what it sees is under one lock: so the last one of a deadlock sees all of it.
// A holder is entered after it has acquired and taken out before it releases, and a waiter is entered while it is queued only: so
// no deadlock is seen where there is none, unless what a caller holds is released by another one that is not known to hold it.
//
// What the promises of a loop wait for keeps none of its callbacks from running. So they count only where the loop itself looks, and
// nothing else can wake it: see runtime.hpp.
namespace futon::diagnostics::detail {

namespace {

struct Search {
    struct Node {
        Actor actor;
        std::vector<const Stamp*> waits;
        bool is_stuck = true;
    };

    std::vector<Node> nodes;
    bool has_still_loop = false;  // of the first node

    std::size_t node_of(const Actor& actor) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].actor == actor) return i;
        Node node{actor, {}};
        const bool is_still = nodes.empty() && has_still_loop;
        Registry::get().for_each_wait(actor, [&](Stamp& stamp) {
            if (!stamp.is_task || actor.task != nullptr || is_still) node.waits.push_back(&stamp);
        });
        nodes.push_back(std::move(node));
        return nodes.size() - 1;
    }

    /// Which callers must go on before this one can end its wait at `address`.
    static const std::vector<Holder>* holders_at(const void* address) {
        const auto found = Registry::get().objects.find(address);
        return found == Registry::get().objects.end() ? nullptr : &found->second.holders;
    }

    /// Calls the function with each caller that must go on before the holder can release: itself, and the thread of its loop.
    template <class Function>
    static void for_each_blocker(const Holder& holder, Function function) {
        if (!holder.is_certain || holder.hold == Hold::permits) return;
        function(holder.actor);
        if (holder.actor.task != nullptr) function(Actor{holder.actor.thread, nullptr});
    }

    /// The index of the stuck caller because of which the holder will not release; the number of nodes if there is none.
    std::size_t stuck_of(const Holder& holder) const {
        std::size_t result = nodes.size();
        for_each_blocker(holder, [&](const Actor& actor) {
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (nodes[i].actor == actor && nodes[i].is_stuck) result = i;
        });
        return result;
    }

    bool is_waiting_in_vain(const Stamp& wait) {
        if (wait.is_limited) return false;
        const std::vector<Holder>* const holders = holders_at(wait.address);
        if (holders == nullptr) return false;
        return std::any_of(holders->begin(), holders->end(),
                           [&](const Holder& holder) { return stuck_of(holder) != nodes.size(); });
    }

    /// The other threads whose loops run programs of another language.
    static std::vector<Actor> peers_of(const Actor& actor) {
        std::vector<Actor> peers;
        for (ThreadRecord* thread = Registry::get().last_thread; thread != nullptr; thread = thread->next)
            if (thread->runtimes > 0 && !thread->has_ended && thread != actor.thread)
                peers.push_back({thread, nullptr});
        return peers;
    }

    /// Whether `start` is stuck.
    bool run(const Actor& start) {
        node_of(start);
        const std::vector<Actor> peers = has_still_loop ? peers_of(start) : std::vector<Actor>{};
        for (const Actor& peer : peers) node_of(peer);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const std::vector<const Stamp*> waits = nodes[i].waits;
            for (const Stamp* const wait : waits)
                if (const std::vector<Holder>* const holders = holders_at(wait->address))
                    for (const Holder& holder : *holders)
                        for_each_blocker(holder, [this](const Actor& actor) { static_cast<void>(node_of(actor)); });
        }
        bool has_changed = true;
        while (has_changed) {
            has_changed = false;
            for (Node& node : nodes) {
                if (!node.is_stuck) continue;
                const bool is_stuck =
                    !node.waits.empty() && std::all_of(node.waits.begin(), node.waits.end(),
                                                       [&](const Stamp* wait) { return is_waiting_in_vain(*wait); });
                if (is_stuck) continue;
                node.is_stuck = false;
                has_changed = true;
            }
        }
        return nodes.front().is_stuck && std::all_of(peers.begin(), peers.end(),
                                                     [&](const Actor& peer) { return nodes[node_of(peer)].is_stuck; });
    }

    /// A cycle from the first caller back to it: each waits for what the next one holds. Empty if it only waits for those who
    /// deadlock.
    struct Link {
        std::size_t node;
        const Stamp* wait;
        const Holder* holder;  // the next one's
    };
    std::vector<Link> cycle() {
        std::vector<Link> path;
        std::vector<bool> is_visited(nodes.size(), false);
        return leads_back(0, path, is_visited) ? path : std::vector<Link>{};
    }

    bool leads_back(std::size_t at, std::vector<Link>& path, std::vector<bool>& is_visited) {
        is_visited[at] = true;
        for (const Stamp* const wait : nodes[at].waits)
            for (const Holder& holder : *holders_at(wait->address)) {
                bool is_found = false;
                for_each_blocker(holder, [&](const Actor& actor) {
                    if (is_found) return;
                    const auto next = static_cast<std::size_t>(
                        std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.actor == actor; }) -
                        nodes.begin());
                    if (next == nodes.size() || !nodes[next].is_stuck || (next != 0 && is_visited[next])) return;
                    path.push_back({at, wait, &holder});
                    is_found = next == 0 || leads_back(next, path, is_visited);
                    if (!is_found) path.pop_back();
                });
                if (is_found) return true;
            }
        return false;
    }
};

/// What is said of one link, taken under the mutex. Places are given names outside of it.
struct Said {
    std::string actor, operation, object, holder;
    Place wait_place, hold_place;
    std::int64_t waits_for = 0, held_for = 0;
};

}  // namespace

void check_for_deadlock(const StillLoop* loop) {
    std::vector<Said> said;
    {
        Registry& registry = Registry::get();
        const std::scoped_lock hold(registry.mutex);
        const Actor self = this_actor();
        Search search;
        search.has_still_loop = loop != nullptr;
        if (!search.run(self)) return;
        if (loop != nullptr && !loop->is_still())
            return;  // last: what the others have sent before they were stuck is there by now
        const std::vector<Search::Link> cycle = search.cycle();
        if (cycle.empty()) return;
        // Several of a deadlock may be queued before the first of them looks. It alone reports: the others see that its wait ends.
        for (const Stamp* const wait : search.nodes.front().waits) const_cast<Stamp*>(wait)->is_limited = true;
        const std::int64_t time = now();
        for (const Search::Link& link : cycle) {
            const Search::Node& node = search.nodes[link.node];
            const bool is_promise = link.wait->is_task && node.actor.task == nullptr;
            said.push_back({(is_promise ? "a promise of the loop of " : "") + text_of(node.actor), link.wait->operation,
                            text_of(link.wait->address), text_of(link.holder->actor), link.wait->place,
                            link.holder->place, time - link.wait->since, time - link.holder->since});
        }
    }
    const bool is_of_one_loop = said.size() == 1 && loop != nullptr;
    std::string text = is_of_one_loop     ? "a deadlock: a loop's promises wait for what its own callbacks hold"
                       : said.size() == 1 ? "a deadlock: a caller waits for what it holds itself"
                                          : "a deadlock of " + std::to_string(said.size()) + " callers";
    for (const Said& one : said) {
        text += "\n  " + one.actor + " waits in " + one.operation + " for " + one.object;
        if (const std::string where = text_of(one.wait_place); !where.empty()) text += ", called at " + where;
        text += ", for " + text_of(one.waits_for);
        text += "\n    held by " + one.holder + ", for " + text_of(one.held_for);
        if (const std::string where = text_of(one.hold_place); !where.empty()) text += ", acquired at " + where;
    }
    text +=
        is_of_one_loop
            ? "\n  What to do: let all functions of the loop lock in one order, and none wait for what it holds."
        : said.size() == 1
            ? "\n  What to do: futon's locks are not recursive. Release it first, or split the function in one that "
              "locks and one that expects the lock to be held."
            : "\n  What to do: let all callers lock in one order, or lock together with futon::lock_all.";
    report(What::deadlock, std::move(text));
}

}  // namespace futon::diagnostics::detail
