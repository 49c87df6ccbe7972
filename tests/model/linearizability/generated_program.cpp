// SPDX-License-Identifier: MIT
#include "generated_program.hpp"

#include <algorithm>
#include <random>
#include <span>

#include <futon/atomics.hpp>

namespace futon::test {

namespace {

// A kind that is listed twice comes twice as often.
constexpr Kind thread_kinds[] = {
    Kind::wait,   Kind::wait,  Kind::wait, Kind::wait,     Kind::notify,           Kind::notify,      Kind::notify,
    Kind::notify, Kind::store, Kind::load, Kind::exchange, Kind::compare_exchange, Kind::request_stop};
constexpr Kind loop_kinds[] = {Kind::wait_async, Kind::wait_async, Kind::wait_async,       Kind::wait_async,
                               Kind::wait_async, Kind::wait_async, Kind::notify,           Kind::notify,
                               Kind::notify,     Kind::exchange,   Kind::compare_exchange, Kind::request_stop};
constexpr Kind thread_kinds_with_lock[] = {Kind::lock,   Kind::lock, Kind::lock,   Kind::try_lock, Kind::unlock,
                                           Kind::unlock, Kind::wait, Kind::notify, Kind::exchange, Kind::request_stop};
constexpr Kind loop_kinds_with_lock[] = {Kind::scoped_lock_async,
                                         Kind::scoped_lock_async,
                                         Kind::scoped_lock_async,
                                         Kind::try_lock,
                                         Kind::unlock,
                                         Kind::wait_async,
                                         Kind::notify,
                                         Kind::request_stop};

/// The same numbers for the same seed, whatever the standard library.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t count) { return random_() % count; }
    bool one_in(std::size_t count) { return below(count) == 0; }

private:
    std::mt19937_64 random_;
};

Call call_from(Dice& dice, std::span<const Kind> kinds, bool has_two_words) {
    static constexpr std::size_t counts[] = {1, 1, 1, 2, 2, everyone, everyone, 0};
    static constexpr DeadlineKind deadlines[] = {DeadlineKind::never, DeadlineKind::never, DeadlineKind::never,
                                                 DeadlineKind::soon,  DeadlineKind::soon,  DeadlineKind::passed};
    Call call;
    call.kind = kinds[dice.below(kinds.size())];
    call.word = has_two_words && dice.one_in(2) ? 1 : 0;
    const bool is_wait = call.kind == Kind::wait || call.kind == Kind::wait_async;
    const bool is_rarely_one = is_wait || call.kind == Kind::compare_exchange;
    call.operand = dice.one_in(is_rarely_one ? 5 : 2) ? 1 : 0;  // the words are 0 at first
    call.desired = 1 - call.operand;
    call.count = counts[dice.below(std::size(counts))];
    call.deadline = deadlines[dice.below(std::size(deadlines))];
    call.has_stop = dice.one_in(3);
    return call;
}

}  // namespace

GeneratedProgram::GeneratedProgram(std::uint64_t number) : seed(number) {
    Dice dice(seed);
    const bool has_lock = dice.one_in(3);
    const bool has_two_words = dice.one_in(4);
    for (Agent& one : agent) {
        one.is_loop = dice.one_in(2);
        one.polls = dice.one_in(2);
        const auto kinds = one.is_loop ? has_lock ? std::span<const Kind>(loop_kinds_with_lock) : loop_kinds
                           : has_lock  ? std::span<const Kind>(thread_kinds_with_lock)
                                       : thread_kinds;
        for (int i = 0; i < calls; ++i) one.calls.push_back(call_from(dice, kinds, has_two_words));
    }
}

std::string GeneratedProgram::to_string() const {
    std::string text;
    for (int i = 0; i < agents; ++i) {
        const Agent& one = agent[static_cast<std::size_t>(i)];
        text += "  agent " + std::to_string(i) + (one.is_loop ? ", a loop" : ", a thread");
        if (one.is_loop && one.polls) text += " that polls";
        text += ':';
        for (const Call& call : one.calls) text += ' ' + call.to_string() + ';';
        text += '\n';
    }
    return text;
}

}  // namespace futon::test
