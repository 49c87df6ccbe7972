// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include <emscripten/em_js.h>

#include "measure.hpp"

namespace futon::bench {

// clang-format off
EM_JS(void, futon_bench_say, (const char* line), {
    const text = UTF8ToString(line);
    if (typeof process == 'object') console.log(text);
    else fetch('/log', { method: 'POST', body: text });
});
EM_JS(int, futon_bench_is_of_turns, (), { return Module['only'] === 'turns' ? 1 : 0; });
EM_JS(void, futon_bench_end, (), {
    if (typeof process == 'object') process.exit(0);
    else fetch('/end', { method: 'POST', body: '0' });
});
// clang-format on

void say(const char* subject, const char* text) {
    futon_bench_say((std::string(subject) + ": " + text).c_str());
}

void say(const char* subject, const char* rival, const Comparison& comparison) {
    char text[200];
    if (comparison.theirs.empty()) {
        std::snprintf(text, sizeof text, "%.1f us", median(comparison.ours));
    } else {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < comparison.ours.size(); ++i)
            ratios.push_back(comparison.ours[i] / comparison.theirs[i]);
        std::snprintf(text, sizeof text, "%.1f us; by %s %.1f us; ratio %.2f (of %zu blocks, from %.2f to %.2f)",
                      median(comparison.ours), rival, median(comparison.theirs), median(ratios), ratios.size(),
                      *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
    }
    say(subject, text);
}

namespace {

Promise<void> measure_all() {
    if (futon_bench_is_of_turns() != 0) {
        co_await measure_turns();
        co_return;
    }
    co_await measure_page_and_thread();
    co_await measure_two_threads();
    co_await measure_frames();
}

}  // namespace

}  // namespace futon::bench

int main() {
    static futon::EventLoop loop;
    loop.run_then(futon::bench::measure_all(), [] { futon::bench::futon_bench_end(); });
}
