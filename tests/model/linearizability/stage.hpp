// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <stop_token>

#include <futon/explorer.hpp>
#include <futon/futon.hpp>

#include "generated_program.hpp"
#include "history.hpp"

namespace futon::test {

/// What the agents of a program share; and the closer, one more agent, which wakes all waiters whenever all others could be at
/// a standstill, so that every program comes to its end.
class Stage {
public:
    Stage(History& history, const Subject& subject);
    ~Stage();
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    // The history, whose order the explorer must take for part of the state.
    std::size_t invoke(int agent, const Call& call);
    void promise(std::size_t operation);
    template <class Result>
    void respond(std::size_t operation, Result result) {
        explorer::touch(&history_);
        history_.respond(operation, result);
        if (!subject_.is_of_words()) call_closer_at_standstill();
    }
    void begin_end(int agent);
    bool has_responded(std::size_t operation) const { return history_.operations()[operation].responded != never; }

    static Word<int> word(const Call& call) { return cells_[call.word]; }
    static AsyncLock& lock();

    // The subject of the program, if it is one of these.
    static Semaphore& semaphore();
    static Event& event();
    static AutoResetEvent& auto_reset_event();
    static Channel<int>& channel();
    static Latch& latch();
    static SharedLock& shared_lock();
    Subject::Type type() const { return subject_.type; }

    std::stop_source& stop() { return stop_; }
    std::stop_token token(const Call& call) const { return call.has_stop ? stop_.get_token() : std::stop_token(); }

    /// Whether a latch may be counted down by this: all calls together never count below zero.
    bool may_count_down(int n) const;

    /// That the word has the value. A waiter that is about to be enqueued tells the closer.
    core::WaitCheck check_of(const Call& call);

    /// Says whether an agent is where it could wait for ever.
    void set_waiting(int agent, bool is_waiting);
    void end(int agent);

    /// What the closer does.
    void close();

    void check_at_rest();

private:
    static constexpr int closer = GeneratedProgram::agents;

    void call_closer_at_standstill();
    void notify_everyone(int word);
    void close_subject();
    void check_subject_at_rest() const;

    // In one place in every schedule, so that the lines are in the same buckets.
    static int cells_[words];
    static Stage* current_;

    History& history_;
    const Subject subject_;
    std::stop_source stop_;
    std::array<bool, GeneratedProgram::agents> is_waiting_{};
    int running_ = GeneratedProgram::agents;
    bool is_called_ = false;
};

}  // namespace futon::test
