// SPDX-License-Identifier: MIT
#include "diagnostics/deadlock.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include <futon/diagnostics.hpp>

#include "diagnostics/registry.hpp"
#include "diagnostics/report.hpp"
#include "diagnostics/runtime.hpp"

// A deadlock: callers that wait for each other, so that none of them goes on.
//
// A caller is stuck if it waits, no deadline and no stop ends that, and each of its waits (a select has several) is for a primitive
// that a stuck caller holds, or for the end of a coroutine that is stuck: a promise that this coroutine alone settles, or a scope
// that it is a child of. A coroutine is stuck, too, while the thread of its loop is blocked and stuck. The largest set of
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
        std::vector<const WaitRecord*> waits;
        bool is_stuck = true;
    };

    std::vector<Node> nodes;
    std::unordered_map<const void*, std::size_t> numbers;  // of the nodes, by their actors' keys
    bool has_still_loop = false;                           // of the first node

    std::size_t node_of(const Actor& actor) {
        const auto [found, is_new] = numbers.try_emplace(key_of(actor), nodes.size());
        if (!is_new) return found->second;
        Node node{actor, {}};
        const bool is_still = nodes.empty() && has_still_loop;
        Registry::get().for_each_wait(actor, [&](WaitRecord& wait) {
            if (!wait.is_task || actor.task != nullptr || is_still) node.waits.push_back(&wait);
        });
        nodes.push_back(std::move(node));
        return nodes.size() - 1;
    }

    /// What must happen before a wait can end: the release of a holder, or the end of a coroutine.
    struct Need {
        Actor actor;
        const Holder* holder = nullptr;
        const Coroutine* coroutine = nullptr;
    };

    template <class Function>
    static void for_each_need(const WaitRecord& wait, Function function) {
        const Registry& registry = Registry::get();
        if (wait.is_promise) {
            const auto settlers = registry.settlers.find(wait.address);
            if (settlers == registry.settlers.end()) return;
            for (const void* const frame : settlers->second.frames)
                if (const auto found = registry.coroutines.find(frame); found != registry.coroutines.end())
                    function(Need{{found->second.thread, frame}, nullptr, &found->second});
            return;
        }
        const auto found = registry.objects.find(wait.address);
        if (found == registry.objects.end()) return;
        // An upgrade waits for readers alone: its caller may be one, too, besides its upgradeable hold.
        for (const Holder& holder : found->second.holders)
            if ((!wait.is_upgrade || holder.hold == Hold::shared) && holder.is_certain && holder.ended.empty() &&
                holder.hold != Hold::permits)
                function(Need{holder.actor, &holder, nullptr});
    }

    /// Calls the function with each caller that must go on before that can happen: the thread of its loop, and itself. The thread
    /// is the first, for the circle through it is the shorter one.
    template <class Function>
    static void for_each_blocker(const Need& need, Function function) {
        if (need.actor.task != nullptr) function(Actor{need.actor.thread, nullptr});
        function(need.actor);
    }

    bool is_stuck(const Actor& actor) const {
        const auto found = numbers.find(key_of(actor));
        return found != numbers.end() && nodes[found->second].is_stuck;
    }

    /// Whether one of its needs is not met for ever; or all of them are not, where one may do: of a promise that is made of several.
    bool is_waiting_in_vain(const WaitRecord& wait) const {
        if (wait.is_limited) return false;
        std::size_t needs = 0, in_vain = 0;
        for_each_need(wait, [&](const Need& need) {
            bool is_in_vain = false;
            for_each_blocker(need, [&](const Actor& actor) { is_in_vain = is_in_vain || is_stuck(actor); });
            ++needs;
            in_vain += is_in_vain ? 1 : 0;
        });
        const Registry& registry = Registry::get();
        const auto settlers = wait.is_promise ? registry.settlers.find(wait.address) : registry.settlers.end();
        const bool is_any = settlers != registry.settlers.end() && settlers->second.is_any;
        return in_vain != 0 && (!is_any || (in_vain == needs && registry.forgotten == 0));
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
            const std::vector<const WaitRecord*> waits = nodes[i].waits;
            for (const WaitRecord* const wait : waits)
                for_each_need(*wait, [this](const Need& need) {
                    for_each_blocker(need, [this](const Actor& actor) { static_cast<void>(node_of(actor)); });
                });
        }
        bool has_changed = true;
        while (has_changed) {
            has_changed = false;
            // From the last on, which others have led to: what it decides of them is decided in the same round.
            for (std::size_t i = nodes.size(); i-- > 0;) {
                Node& node = nodes[i];
                if (!node.is_stuck) continue;
                const bool is_stuck = !node.waits.empty() &&
                                      std::all_of(node.waits.begin(), node.waits.end(),
                                                  [&](const WaitRecord* wait) { return is_waiting_in_vain(*wait); });
                if (is_stuck) continue;
                node.is_stuck = false;
                has_changed = true;
            }
        }
        return nodes.front().is_stuck && std::all_of(peers.begin(), peers.end(),
                                                     [&](const Actor& peer) { return nodes[node_of(peer)].is_stuck; });
    }

    /// A cycle from the first caller back to it: each waits for what the next one holds, or for its end. Empty if it only waits for
    /// those who deadlock.
    struct Link {
        std::size_t node;
        const WaitRecord* wait;
        Need need;           // the next one's, or of a coroutine whose loop's thread is the next one
        bool is_of_blocked;  // the latter
    };
    std::vector<Link> cycle() {
        std::vector<Link> path;
        std::vector<bool> is_visited(nodes.size(), false);
        return leads_back(0, path, is_visited) ? path : std::vector<Link>{};
    }

    bool leads_back(std::size_t at, std::vector<Link>& path, std::vector<bool>& is_visited) {
        is_visited[at] = true;
        bool is_found = false;
        for (const WaitRecord* const wait : nodes[at].waits)
            for_each_need(*wait, [&](const Need& need) {
                for_each_blocker(need, [&](const Actor& actor) {
                    if (is_found) return;
                    const auto found = numbers.find(key_of(actor));
                    if (found == numbers.end()) return;
                    const std::size_t next = found->second;
                    if (!nodes[next].is_stuck || (next != 0 && is_visited[next])) return;
                    path.push_back({at, wait, need, !(actor == need.actor)});
                    is_found = next == 0 || leads_back(next, path, is_visited);
                    if (!is_found) path.pop_back();
                });
            });
        return is_found;
    }
};

/// What is said of one link, taken under the mutex. Places are given names outside of it.
struct Said {
    std::string actor, operation, object, next, blocked;
    Place wait_place, next_place;
    std::int64_t waits_for = 0, held_for = 0;
    bool is_end = false;  // the wait is for the end of a coroutine
    bool is_async_lock = false;
};

Said said_of(const Search& search, const Search::Link& link, std::int64_t time) {
    const Actor& waiter = search.nodes[link.node].actor;
    const bool is_promise = link.wait->is_task && waiter.task == nullptr;
    Said said{(is_promise ? "a promise of the loop of " : "") + text_of(waiter),
              link.wait->operation,
              text_of(link.wait->address),
              "",
              link.is_of_blocked ? text_of(Actor{link.need.actor.thread, nullptr}) : "",
              link.wait->place,
              {},
              time - link.wait->since};
    if (link.need.holder != nullptr) {
        said.next = text_of(*link.need.holder);
        said.next_place = link.need.holder->place;
        said.held_for = time - link.need.holder->since;
        said.is_async_lock = is_async_lock(link.wait->address);
    } else {
        said.next = text_of(link.need.actor);
        said.next_place = link.need.coroutine->place;
        said.is_end = true;
    }
    return said;
}

std::string lines_of(const Said& said) {
    std::string text = "\n  " + said.actor + " waits in " + said.operation;
    if (!said.is_end) text += " for " + said.object;
    if (const std::string where = text_of(said.wait_place); !where.empty()) text += ", called at " + where;
    text += ", for " + text_of(said.waits_for);
    const std::string where = text_of(said.next_place);
    if (said.is_end) {
        text += "\n    until " + said.next + " has ended";
        if (!where.empty()) text += ", called at " + where;
    } else {
        text += "\n    held by " + said.next + ", for " + text_of(said.held_for);
        if (!where.empty()) text += ", acquired at " + where;
    }
    if (!said.blocked.empty()) text += "\n    which cannot go on while " + said.blocked + ", its loop's thread, waits";
    return text;
}

const char* advice_for(const std::vector<Said>& all) {
    if (std::any_of(all.begin(), all.end(), [](const Said& said) { return !said.blocked.empty(); }))
        return all.size() == 1
                   ? "\n  What to do: block no loop's thread for what a coroutine of that loop holds, but await "
                     "it in a coroutine."
                   : "\n  What to do: let all callers acquire them in one order, and block no loop's thread while "
                     "a coroutine of that loop holds what others wait for.";
    if (std::any_of(all.begin(), all.end(), [](const Said& said) { return said.is_end; }))
        return "\n  What to do: release what a coroutine needs before you wait for its end, or let it end first.";
    if (all.size() == 1)
        return "\n  What to do: futon's locks are not recursive. Release it first, or split the function in one that "
               "locks and one that expects the lock to be held.";
    return std::all_of(all.begin(), all.end(), [](const Said& said) { return said.is_async_lock; })
               ? "\n  What to do: let all callers lock in one order, or lock together with futon::lock_all."
               : "\n  What to do: let all callers acquire them in one order.";
}

/// Whether others may wait for this caller. Else its wait closes no circle: so a chain of coroutines, each of which begins the next
/// one, is not searched through from each of them.
bool is_waited_for(const Actor& actor) {
    if (actor.task == nullptr) return true;  // the coroutines of its loop do
    const Registry& registry = Registry::get();
    if (registry.held.contains(actor.task)) return true;
    const auto known = registry.coroutines.find(actor.task);
    if (known == registry.coroutines.end()) return false;
    return std::ranges::any_of(std::array{known->second.promise, known->second.whole}, [&](const void* promise) {
        const WaitRecord* wait = Registry::get().waits_at(promise);
        while (wait != nullptr && (wait->address != promise || !wait->is_promise)) wait = wait->next_at_address;
        return wait != nullptr;
    });
}

}  // namespace

void check_for_deadlock(const Actor& actor, MayThrow may_throw, const StillLoop* loop) {
    std::vector<Said> all;
    {
        Registry& registry = Registry::get();
        const std::scoped_lock hold(registry.mutex);
        if (!is_waited_for(actor)) return;
        Search search;
        search.has_still_loop = loop != nullptr;
        if (!search.run(actor)) return;
        if (loop != nullptr && !loop->is_still())
            return;  // last: what the others have sent before they were stuck is there by now
        const std::vector<Search::Link> cycle = search.cycle();
        if (cycle.empty()) return;
        // Several of a deadlock may be queued before the first of them looks. It alone reports: the others see that its wait ends.
        for (const WaitRecord* const wait : search.nodes.front().waits)
            const_cast<WaitRecord*>(wait)->is_limited = true;
        const std::int64_t time = now();
        for (const Search::Link& link : cycle) all.push_back(said_of(search, link, time));
    }
    const bool is_of_one_loop = all.size() == 1 && loop != nullptr;
    std::string text = is_of_one_loop ? "a deadlock: a loop's promises wait for what its own callbacks hold"
                       : all.size() == 1 && !all.front().blocked.empty()
                           ? "a deadlock: a thread waits for a coroutine of its own loop"
                       : all.size() == 1 && !all.front().is_end ? "a deadlock: a caller waits for what it holds itself"
                       : all.size() == 1                        ? "a deadlock: a coroutine waits for its own end"
                                         : "a deadlock of " + std::to_string(all.size()) + " callers";
    for (const Said& said : all) text += lines_of(said);
    text += is_of_one_loop
                ? "\n  What to do: let all functions of the loop lock in one order, and none wait for what it holds."
                : advice_for(all);
    if (may_throw == MayThrow::yes) {
        report(What::deadlock, std::move(text));
    } else {
        report_only(What::deadlock, std::move(text));
    }
}

}  // namespace futon::diagnostics::detail
