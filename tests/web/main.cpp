// SPDX-License-Identifier: MIT
#include <cstdio>
#include <exception>
#include <memory>

#include <emscripten.h>

#include "web/harness.hpp"

// clang-format off
EM_JS(void, futon_test_say, (const char* line), {
    const text = UTF8ToString(line);
    if (typeof process == 'object') console.log(text);
    else fetch('/log', { method: 'POST', body: text });
});
EM_JS(void, futon_test_end, (int failures), {
    if (typeof process == 'object') process.exit(failures === 0 ? 0 : 1);
    else fetch('/end', { method: 'POST', body: String(failures) });
});
// What nothing catches is counted. In Node Emscripten listens, too, and would end the program.
EM_JS(void, futon_test_listen, (), {
    Module['reportedErrors'] = 0;
    const report = (error) => {
        ++Module['reportedErrors'];
        if (!String(error).includes('expected')) console.error(error);
    };
    if (typeof process == 'object') {
        process.removeAllListeners('uncaughtException');
        process.on('uncaughtException', report);
    } else {
        addEventListener('error', (event) => {
            event.preventDefault();
            report(event.message);
        });
    }
});
EM_JS(int, futon_test_reported, (), {
    const count = Module['reportedErrors'];
    Module['reportedErrors'] = 0;
    return count;
});
EM_JS(void, futon_test_later, (void* source), { setTimeout(() => _futon_test_task(source)); });
EM_JS(int, futon_test_is_wanted, (const char* name), {
    return UTF8ToString(name).includes(Module['only'] || (typeof process == 'object' && process.argv[2]) || "");
});
// clang-format on

namespace futon::test {

namespace {

WebTest* first = nullptr;
WebTest** end = &first;
int failures = 0;
bool has_failed = false;

Promise<void> run_all() {
    for (const WebTest* test = first; test != nullptr; test = test->next) {
        if (futon_test_is_wanted(test->name) == 0) continue;
        has_failed = false;
        try {
            co_await test->run();
        } catch (const std::exception& error) {
            expect(false, error.what());
        }
        expect(take_reported_errors() == 0, "no error is reported");
        if (has_failed) ++failures;
        futon_test_say((std::string(has_failed ? "FAIL  " : "ok    ") + test->name).c_str());
    }
}

}  // namespace

WebTest::WebTest(const char* test_name, Promise<void> (*test)()) noexcept : name(test_name), run(test) {
    *end = this;
    end = &next;
}

EventLoop& web_loop() {
    static EventLoop loop;
    return loop;
}

void expect(bool holds, const char* what) {
    if (holds) return;
    has_failed = true;
    futon_test_say((std::string("      does not hold: ") + what).c_str());
}

Promise<void> next_task() {
    auto [promise, source] = make_promise<void>();
    futon_test_later(new PromiseSource<void>(std::move(source)));
    return std::move(promise);
}

int take_reported_errors() {
    return futon_test_reported();
}

}  // namespace futon::test

extern "C" EMSCRIPTEN_KEEPALIVE void futon_test_task(futon::PromiseSource<void>* source) {
    const std::unique_ptr<futon::PromiseSource<void>> owned(source);
    owned->fulfil();
}

int main() {
    futon_test_listen();
    futon::EventLoop& loop = futon::test::web_loop();
    loop.run_then(futon::test::run_all(), [] {
        futon_test_say(futon::test::failures == 0 ? "All passed" : "Some have failed");
        futon_test_end(futon::test::failures);
    });
}
