// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <algorithm>

#include <futon/atomics.hpp>

namespace futon::fuzz {

namespace {

constexpr std::size_t most_decisions = 48;

constexpr Op thread_ops[] = {Op::wait,   Op::wait,  Op::lock,         Op::unlock,
                             Op::notify, Op::store, Op::request_stop, Op::try_lock};
constexpr Op loop_ops[] = {Op::wait_async,     Op::wait_async, Op::keep_promise,
                           Op::keep_promise,   Op::listen,     Op::drop,
                           Op::run_until,      Op::poll,       Op::scoped_lock_async,
                           Op::execute_locked, Op::notify,     Op::store,
                           Op::try_lock,       Op::unlock,     Op::sleep,
                           Op::request_stop};

constexpr const char* names[] = {"wait",   "lock",      "wait_async",   "keep_promise",   "listen",
                                 "drop",   "run_until", "poll",         "execute_locked", "scoped_lock_async",
                                 "notify", "store",     "request_stop", "try_lock",       "unlock",
                                 "sleep"};

bool bit(std::uint8_t byte, int number) {
    return ((byte >> number) & 1) != 0;
}

/// The bytes of an input; zeros after its end.
class Reader {
public:
    Reader(const std::uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {}

    bool is_at_end() const { return next_ == size_; }
    std::uint8_t take() { return is_at_end() ? std::uint8_t{0} : bytes_[next_++]; }

private:
    const std::uint8_t* bytes_;
    std::size_t size_;
    std::size_t next_ = 0;
};

Step step_from(bool is_loop, std::uint8_t what, std::uint8_t how) {
    Step step;
    step.op = is_loop ? loop_ops[(what >> 2) & 15] : thread_ops[(what >> 2) & 7];
    if (!is_loop && bit(what, 5) && step.op == Op::unlock) step.op = Op::sleep;
    step.word = bit(what, 6) ? 1 : 0;
    step.variant = bit(what, 7);
    step.number = how & 3;
    step.has_deadline = bit(how, 2);
    step.has_stop = bit(how, 3);
    step.milliseconds = (how >> 4) & 3;
    step.stop = bit(how, 6) ? 1 : 0;
    // Most waits expect the initial value of the words.
    if (step.op != Op::notify && step.op != Op::store) step.number = step.number == 3 ? 1 : 0;
    return step;
}

/// Each byte gives a number of decisions their default, and the next one another value.
std::string schedule_from(Reader& reader) {
    std::string schedule = "0";
    schedule.reserve(most_decisions * 32 + 1);
    for (std::size_t i = 0; i < most_decisions && !reader.is_at_end(); ++i) {
        const std::uint8_t byte = reader.take();
        for (int plain = byte & 15; plain > 0; --plain) schedule += ".0";
        schedule += '.';
        schedule += static_cast<char>('0' + std::min(1 + (byte >> 5), 5));
    }
    return schedule;
}

std::string text_of(const Step& step) {
    std::string text = names[static_cast<std::size_t>(step.op)];
    const std::string word = "word " + std::to_string(step.word);
    switch (step.op) {
        case Op::wait:
        case Op::wait_async:
        case Op::keep_promise:
            text += " " + word + " while " + std::to_string(step.number);
            break;
        case Op::notify:
            text += " " + word + (step.number == 3 ? ", everyone" : ", " + std::to_string(step.count()));
            break;
        case Op::store:
            return text + " " + word + " = " + std::to_string(step.number & 1);
        case Op::request_stop:
            return text + " " + std::to_string(step.stop);
        case Op::sleep:
            return text + " " + std::to_string(step.milliseconds) + " ms";
        case Op::execute_locked:
            return text + (step.variant ? ", waiting inside at " + word : "");
        case Op::listen:
            return text + (step.variant ? " by then" : " by co_await");
        case Op::scoped_lock_async:
            break;
        default:
            return text;
    }
    if (step.op == Op::notify) return text;
    if (step.has_deadline) text += ", for " + std::to_string(step.milliseconds) + " ms";
    if (step.has_stop) text += ", until stop " + std::to_string(step.stop);
    return text;
}

}  // namespace

std::size_t Step::count() const {
    return number == 3 ? everyone : static_cast<std::size_t>(number == 0 ? 1 : number == 1 ? 2 : 0);
}

Program Program::from_bytes(const std::uint8_t* bytes, std::size_t size) {
    Reader reader(bytes, size);
    Program program;
    const std::uint8_t kinds = reader.take();
    const std::uint8_t ends = reader.take();
    for (int i = 0; i < agents; ++i) {
        program.agent[i].steps.reserve(most_steps);  // here and below: under the sanitizer, allocations cost most
        program.agent[i].is_loop = bit(kinds, i);
        program.agent[i].ends_early = bit(ends, i);
        program.agent[i].promises_outlive_loop = bit(ends, i + 4);
    }
    program.stale_loads = bit(kinds, 7) ? 2 : 0;
    for (std::size_t steps = reader.take() % (most_steps + 1); steps > 0 && !reader.is_at_end(); --steps) {
        const std::uint8_t what = reader.take();
        const std::uint8_t how = reader.take();
        Agent& agent = program.agent[what & 3];
        agent.steps.push_back(step_from(agent.is_loop, what, how));
    }
    program.schedule = schedule_from(reader);
    return program;
}

std::string Program::to_string() const {
    std::string text;
    for (int i = 0; i < agents; ++i) {
        text += "agent " + std::to_string(i) + (agent[i].is_loop ? ", an event loop" : ", a thread");
        if (agent[i].is_loop && agent[i].ends_early) text += " that ends early";
        if (agent[i].is_loop && agent[i].promises_outlive_loop) text += ", before its promises";
        text += '\n';
        for (const Step& step : agent[i].steps) text += "    " + text_of(step) + '\n';
    }
    if (stale_loads > 0) text += std::to_string(stale_loads) + " stale loads\n";
    return text + "schedule " + schedule + '\n';
}

}  // namespace futon::fuzz
