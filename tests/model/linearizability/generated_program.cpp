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

constexpr Kind semaphore_kinds[] = {Kind::acquire, Kind::acquire,     Kind::acquire, Kind::acquire,
                                    Kind::acquire, Kind::try_acquire, Kind::release, Kind::release,
                                    Kind::release, Kind::release,     Kind::release, Kind::request_stop};
constexpr Kind signal_kinds[] = {
    Kind::wait_signal, Kind::wait_signal,     Kind::wait_signal, Kind::wait_signal, Kind::wait_signal,
    Kind::wait_signal, Kind::try_wait_signal, Kind::set,         Kind::set,         Kind::set,
    Kind::set,         Kind::reset,           Kind::request_stop};
constexpr Kind channel_kinds[] = {Kind::send,    Kind::send,    Kind::send,         Kind::send,
                                  Kind::send,    Kind::receive, Kind::receive,      Kind::receive,
                                  Kind::receive, Kind::receive, Kind::try_send,     Kind::try_receive,
                                  Kind::close,   Kind::send,    Kind::request_stop, Kind::receive};

constexpr Kind latch_kinds[] = {Kind::wait_signal, Kind::wait_signal, Kind::wait_signal,
                                Kind::wait_signal, Kind::wait_signal, Kind::try_wait_signal,
                                Kind::count_down,  Kind::count_down,  Kind::request_stop};
constexpr Kind shared_lock_kinds[] = {
    Kind::lock_in,     Kind::lock_in,     Kind::lock_in,     Kind::lock_in,     Kind::lock_in,     Kind::lock_in,
    Kind::try_lock_in, Kind::try_lock_in, Kind::unlock_from, Kind::unlock_from, Kind::upgrade,     Kind::upgrade,
    Kind::upgrade,     Kind::try_upgrade, Kind::downgrade,   Kind::downgrade,   Kind::request_stop};

/// Which kinds of calls a thread makes. A loop awaits where a thread blocks.
std::span<const Kind> family_kinds(Subject::Type type) {
    switch (type) {
        case Subject::Type::semaphore:
            return semaphore_kinds;
        case Subject::Type::channel:
            return channel_kinds;
        case Subject::Type::latch:
            return latch_kinds;
        case Subject::Type::shared_lock:
            return shared_lock_kinds;
        default:
            return signal_kinds;
    }
}

Kind awaited(Kind kind) {
    switch (kind) {
        case Kind::acquire:
            return Kind::acquire_async;
        case Kind::wait_signal:
            return Kind::wait_signal_async;
        case Kind::send:
            return Kind::send_async;
        case Kind::receive:
            return Kind::receive_async;
        case Kind::lock_in:
        case Kind::upgrade:
            return Kind::lock_in_async;
        default:
            return kind;
    }
}

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

/// A mode, and what is done with it; an upgrade is of one that is held upgradeable. Most are shared: else upgrades do not wait.
void choose_mode(Dice& dice, Call& call) {
    static constexpr Mode modes[] = {shared, shared, shared, upgradeable, upgradeable, exclusive};
    const bool is_upgrade = call.kind == Kind::upgrade;
    call.operand = is_upgrade ? upgradeable : modes[dice.below(std::size(modes))];
    call.desired = is_upgrade || dice.one_in(2) ? 1 : 0;
}

}  // namespace

GeneratedProgram::GeneratedProgram(std::uint64_t number, std::span<const Subject::Type> subjects) : seed(number) {
    Dice dice(seed);
    subject.type = subjects[dice.below(subjects.size())];
    const bool has_lock = subject.type == Subject::Type::lock;
    const bool has_two_words = dice.one_in(4);
    if (!subject.is_of_words()) {
        subject.amount = static_cast<int>(dice.below(3)) + (subject.type == Subject::Type::latch ? 1 : 0);
        subject.is_strict = dice.one_in(3);
    }
    int item = 0;
    for (Agent& one : agent) {
        one.is_loop = dice.one_in(2);
        one.polls = dice.one_in(2);
        const auto kinds = one.is_loop ? has_lock ? std::span<const Kind>(loop_kinds_with_lock) : loop_kinds
                           : has_lock  ? std::span<const Kind>(thread_kinds_with_lock)
                                       : thread_kinds;
        if (subject.is_of_words()) {
            for (int i = 0; i < calls; ++i) one.calls.push_back(call_from(dice, kinds, has_two_words));
            continue;
        }
        one.runs = !one.is_loop || !dice.one_in(3);
        for (int i = 0; i < calls; ++i) {
            Call call = call_from(dice, family_kinds(subject.type), false);
            // One or two permits; items that are all different.
            call.operand = subject.type == Subject::Type::channel ? ++item : 1 + call.operand;
            if (subject.type == Subject::Type::shared_lock) choose_mode(dice, call);
            if (one.is_loop) call.kind = awaited(call.kind);
            one.calls.push_back(call);
        }
    }
}

std::string GeneratedProgram::to_string() const {
    std::string text = "  about " + subject.to_string() + '\n';
    for (int i = 0; i < agents; ++i) {
        const Agent& one = agent[static_cast<std::size_t>(i)];
        text += "  agent " + std::to_string(i) + (one.is_loop ? ", a loop" : ", a thread");
        if (one.is_loop && one.polls) text += " that polls";
        if (!one.runs) text += " that does not run to the end";
        text += ':';
        for (const Call& call : one.calls) text += ' ' + call.to_string() + ';';
        text += '\n';
    }
    return text;
}

}  // namespace futon::test
