// SPDX-License-Identifier: MIT
#include "scene.hpp"

#include <algorithm>

#include <futon/explorer/kernel.hpp>

namespace futon::fuzz {

int Scene::cells_[words];
std::optional<AsyncLock> Scene::lock_;
Scene* Scene::current_ = nullptr;

Scene::Scene(History& shared_history) : history(shared_history) {
    current_ = this;
    for (int& cell : cells_) cell = 0;
    lock_.emplace();
    waits_.reserve(most_steps);
}

void Scene::note(int agent, int word, History::What what, std::size_t subject, const char* verb, std::size_t object,
                 std::optional<WaitResult> result) {
    history.events.push_back({what, subject, agent, word, explorer::virtual_now(), verb, object, result});
}

std::size_t Scene::begin_wait(int agent, const Step& step, bool is_ordered) {
    history.waits.push_back({.agent = agent, .word = step.word, .is_ordered = is_ordered});
    waits_.push_back({.step = step});
    return waits_.size() - 1;
}

core::WaitCheck Scene::check_of(std::size_t wait, const Step& step) {
    return {&cells_[step.word], wait << 8 | static_cast<std::uint64_t>(step.number & 1), must_wait_at};
}

/// Asked under the queue's lock, so that the event of enqueueing is exact; and before that without it, when nothing is
/// enqueued yet.
bool Scene::must_wait_at(void* address, std::uint64_t expected) noexcept {
    if (Word<int>(*static_cast<int*>(address)).load() != static_cast<int>(expected & 1)) return false;
    if (explorer::held_locks() == 0) return true;
    const std::size_t number = expected >> 8;
    Wait& wait = current_->history.waits[number];
    wait.enqueued_at = current_->history.events.size();
    current_->note(wait.agent, wait.word, History::What::enqueues, number, "is enqueued as", number);
    return true;
}

Deadline Scene::deadline(std::size_t wait, const Step& step) {
    if (!step.has_deadline) return Deadline::never();
    const Deadline deadline(std::chrono::milliseconds(step.milliseconds));
    waits_[wait].deadline = deadline.time_point();
    return deadline;
}

/// The first event before which `time_point` may have passed.
std::size_t Scene::passed(std::chrono::steady_clock::time_point time_point) const {
    const auto before = [time_point](const History::Event& event) { return event.now < time_point; };
    return static_cast<std::size_t>(std::ranges::partition_point(history.events, before) - history.events.begin());
}

void Scene::abandon(std::size_t wait, const char* why) {
    std::size_t& from = history.waits[wait].dequeued_from;
    from = std::min(from, history.events.size() + 1);
    const Wait& abandoned = history.waits[wait];
    note(abandoned.agent, abandoned.word, History::What::other, wait, why, wait);
}

void Scene::abandon_all_of(int agent) {
    for (std::size_t i = 0; i < history.waits.size(); ++i)
        if (history.waits[i].agent == agent && history.waits[i].outcome == Outcome::pending) abandon(i, "abandons");
}

void Scene::check_result(WaitResult result, std::chrono::steady_clock::time_point deadline, const Step& step) const {
    if (result == WaitResult::timed_out)
        explorer::check(deadline <= explorer::virtual_now(), "timed out before the deadline");
    if (result == WaitResult::cancelled)
        explorer::check(step.has_stop && stop_requested_at_[step.stop] != never, "cancelled without a stop request");
}

void Scene::end(std::size_t number, std::optional<WaitResult> result) {
    Wait& wait = history.waits[number];
    const Details& details = waits_[number];
    explorer::check(wait.outcome == Outcome::pending, "a wait ends twice");
    wait.ended_at = history.events.size();
    note(wait.agent, wait.word, History::What::ends, number, result ? "ends" : "is abandoned", number, result);

    if (result) check_result(*result, details.deadline, details.step);
    const std::size_t stopped = details.step.has_stop ? stop_requested_at_[details.step.stop] : never;
    if (!details.is_queued || wait.enqueued_at == never || result == WaitResult::not_equal) {
        explorer::check(result != WaitResult::ok, "woken, but never queued");
        explorer::check(wait.enqueued_at == never || result != WaitResult::not_equal, "queued, but not equal");
        wait.outcome = Outcome::not_enqueued;
    } else if (!result) {
        wait.outcome = Outcome::abandoned;
        wait.dequeued_from = std::min({wait.dequeued_from, stopped, passed(details.deadline)});
    } else if (*result == WaitResult::ok) {
        wait.outcome = Outcome::ok;
    } else {
        wait.outcome = Outcome::given_up;
        wait.dequeued_from = *result == WaitResult::timed_out ? passed(details.deadline) : stopped;
    }
}

void Scene::notify(int agent, const Step& step) {
    const std::size_t number = history.notifies.size();
    history.notifies.push_back({.agent = agent, .word = step.word, .count = step.count()});
    note(agent, step.word, History::What::notifies, number, "notifies word", static_cast<std::size_t>(step.word));
    const std::size_t result = futon::notify(Word<int>(cells_[step.word]), step.count());
    history.notifies[number].result = result;
    note(agent, step.word, History::What::has_notified, number, "has notified", result);
}

void Scene::store(int agent, const Step& step) {
    note(agent, step.word, History::What::other, never, "stores at word", static_cast<std::size_t>(step.word));
    Word<int>(cells_[step.word]).store(step.number & 1);
}

void Scene::request_stop(int agent, int stop) {
    std::size_t& at = stop_requested_at_[stop];
    at = std::min(at, history.events.size() + 1);
    note(agent, 0, History::What::other, never, "requests stop", static_cast<std::size_t>(stop));
    stop_[stop].request_stop();
}

void Scene::check_at_rest() {
    std::size_t woken = 0;
    std::size_t ok = 0;
    std::size_t abandoned = 0;
    for (const Notify& notify : history.notifies) woken += notify.result;
    for (const Wait& wait : history.waits) {
        explorer::check(wait.outcome != Outcome::pending, "a wait does not end");
        ok += wait.outcome == Outcome::ok;
        abandoned += wait.outcome == Outcome::abandoned;
    }
    explorer::check(ok <= woken && woken <= ok + abandoned, "the sum of notify's results is not the number of ok");
    for (int& cell : cells_)
        explorer::check(core::process_table().count(&cell) == 0, "a waiter is left in a word's queue");
    explorer::check(core::process_table().count(&*lock_) == 0, "a waiter is left in the lock's queue");
    explorer::check(inside_ == 0 && lock_->try_lock(), "the lock is held at the end");
}

}  // namespace futon::fuzz
