// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "scene.hpp"

namespace futon::fuzz {

namespace {

/// Notifies all waiters repeatedly, so that no program waits for ever. It sleeps in between: where the schedule says
/// nothing, all other agents run first.
void close(Scene& scene) {
    while (scene.running > 0) {
        for (int word = 0; word < words; ++word) scene.notify(closer, {.op = Op::notify, .word = word, .number = 3});
        explorer::sleep_until("closer", explorer::virtual_now() + std::chrono::milliseconds(1));
    }
}

void play(Scene& scene, const Program& program) {
    for (int i = 0; i < agents; ++i) {
        const Agent& agent = program.agent[i];
        if (agent.steps.empty()) continue;
        ++scene.running;
        explorer::spawn("agent " + std::to_string(i), [&scene, &agent, i] {
            if (agent.is_loop) {
                LoopActor(scene, i).play(agent);
            } else {
                ThreadActor(scene, i).play(agent);
            }
            --scene.running;
        });
    }
    explorer::spawn("closer", [&scene] { close(scene); });
    explorer::join();
    scene.check_at_rest();
}

[[noreturn]] void die(const Program& program, const History& history, const char* what,
                      const explorer::Report& report) {
    std::fprintf(stderr, "%s\n\n%s\n%s\n%s\n", what, program.to_string().c_str(), history.to_string().c_str(),
                 report.trace.c_str());
    std::abort();
}

}  // namespace

}  // namespace futon::fuzz

/// Runs the program and the schedule that the bytes encode; aborts if the library misbehaves.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace futon::fuzz;

    const Program program = Program::from_bytes(bytes, size);
    // Outside of the exploration, as a failing schedule does not return; static, as its memory is used again.
    static History history;
    history.clear();
    const futon::explorer::Options options{
        .preemptions = 1'000'000, .stale_loads = program.stale_loads, .replay = program.schedule};
    const auto report = futon::explorer::explore(options, [&] {
        Scene scene(history);
        play(scene, program);
    });
    if (!report.failure.empty()) die(program, history, report.failure.c_str(), report);
    for (int word = 0; word < words; ++word)
        if (!Reference(history, word).explains()) die(program, history, "no FIFO queue behaves like this", report);
    return 0;
}
