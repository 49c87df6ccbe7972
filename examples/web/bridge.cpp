// SPDX-License-Identifier: MIT
// JavaScript awaits C++, which awaits JavaScript.
#include <string>

#include <emscripten.h>

#include <futon/futon.hpp>
#include <futon/javascript.hpp>

// clang-format off
EM_JS(int, js_fetch, (const char* url), {
    return Module.futon.keep(fetch(UTF8ToString(url)).then((response) => response.text()));
});
// clang-format on

namespace {

futon::Promise<int> count_lines(std::string url) {
    const std::string text = co_await futon::from_js<std::string>(js_fetch(url.c_str()));
    int lines = 0;
    for (const char character : text) lines += character == '\n';
    co_return lines;
}

}  // namespace

// In JavaScript: await Module.futon.take(Module._count_lines_of_page())
extern "C" EMSCRIPTEN_KEEPALIVE int count_lines_of_page() {
    return futon::to_js(count_lines("index.html"));
}

int main() {
    static futon::EventLoop loop;
}
