// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <futon/explorer.hpp>
#include <futon/futon.hpp>

#include "program.hpp"
#include "reference.hpp"

namespace futon::fuzz {

/// What the agents of a program share: the words, the lock, and the history of what happened.
class Scene {
public:
    explicit Scene(History& shared_history);

    /// Begins a wait; returns its number, which its check carries along.
    std::size_t begin_wait(int agent, const Step& step, bool is_ordered);
    core::WaitCheck check_of(std::size_t wait, const Step& step);
    Deadline deadline(std::size_t wait, const Step& step);
    std::stop_token token(const Step& step) { return step.has_stop ? stop_[step.stop].get_token() : std::stop_token(); }

    void not_enqueued(std::size_t wait) { waits_[wait].is_queued = false; }
    /// From now on, the wait may be dequeued by its owner.
    void abandon(std::size_t wait, const char* why);
    void abandon_all_of(int agent);
    void end(std::size_t wait, std::optional<WaitResult> result);

    void notify(int agent, const Step& step);
    void store(int agent, const Step& step);
    void request_stop(int agent, int stop);
    void check_result(WaitResult result, std::chrono::steady_clock::time_point deadline, const Step& step) const;

    AsyncLock& lock() { return *lock_; }
    void enter() { explorer::check(inside_++ == 0, "two are inside of the lock"); }
    void exit() { --inside_; }

    void note(int agent, int word, History::What what, std::size_t subject, const char* verb,
              std::size_t object = never, std::optional<WaitResult> result = {});
    void check_at_rest();

    History& history;
    int running = 0;  ///< agents that have not ended

private:
    /// What the history does not say about a wait.
    struct Details {
        Step step;
        std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
        bool is_queued = true;
    };

    static bool must_wait_at(void* address, std::uint64_t expected) noexcept;
    std::size_t passed(std::chrono::steady_clock::time_point time_point) const;

    // At one address in every run, so that one schedule gives one course of events.
    static int cells_[words];
    static std::optional<AsyncLock> lock_;
    static Scene* current_;

    std::stop_source stop_[stops];
    std::size_t stop_requested_at_[stops] = {never, never};
    std::vector<Details> waits_;
    int inside_ = 0;
};

/// Reports to the scene how a wait ended: as completed, or else as abandoned.
class Ending {
public:
    Ending(Scene& scene, std::size_t wait) : scene_(&scene), wait_(wait) {}
    Ending(Ending&& other) noexcept : scene_(std::exchange(other.scene_, nullptr)), wait_(other.wait_) {}
    Ending& operator=(Ending&&) = delete;
    ~Ending() {
        if (scene_ != nullptr) scene_->end(wait_, std::nullopt);
    }

    void complete(WaitResult result) { std::exchange(scene_, nullptr)->end(wait_, result); }
    std::size_t wait() const { return wait_; }

private:
    Scene* scene_;
    std::size_t wait_;
};

/// Checks that no other owner is inside of the lock during its lifetime.
class Inside {
public:
    explicit Inside(Scene& scene) : scene_(scene) {
        scene_.enter();
        explorer::point("inside", this);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() { scene_.exit(); }

private:
    Scene& scene_;
};

/// Runs the steps of an agent in order.
class Actor {
public:
    Actor(Scene& scene, int number) : scene_(scene), number_(number) {}

protected:
    /// Runs a step that any agent may do.
    void take_any(const Step& step);
    void unlock();

    Scene& scene_;
    int number_;
    std::optional<Inside> inside_;  // while it holds the lock outside of a coroutine
};

class ThreadActor : Actor {
public:
    using Actor::Actor;
    void play(const Agent& agent);

private:
    void wait(const Step& step);
};

class LoopActor : Actor {
public:
    using Actor::Actor;
    void play(const Agent& agent);

private:
    /// A promise of wait_async without a continuation.
    struct Kept {
        Ending ending;
        Promise<WaitResult> promise;
    };

    void take(EventLoop& loop, const Step& step);
    void keep_promise(const Step& step);
    void listen(bool by_then);
    void drop();
    Kept take_oldest();

    Promise<void> wait_async(Step step);
    Promise<void> await_kept(Kept kept);
    Promise<void> scoped_lock_async(Step step);
    void execute_locked(const Step& step);

    std::list<Kept> kept_;
    int locks_begun_ = 0;
    int locks_ended_ = 0;
    int locks_run_ = 0;
};

}  // namespace futon::fuzz
