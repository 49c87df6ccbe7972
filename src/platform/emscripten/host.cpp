// SPDX-License-Identifier: MIT
#include "platform/host.hpp"

#include <emscripten/em_js.h>

// Newer toolchains leave out functions that they do not see used.
#ifdef EM_JS_DEPS
EM_JS_DEPS(futon_host, "$UTF8ToString")
#endif

namespace futon::platform {

namespace {

// clang-format off
// Thrown in a task of its own: so `window.onerror` sees it, or Node ends, and the caller goes on.
EM_JS(void, futon_throw_later, (const char* text), {
    const error = new Error(UTF8ToString(text));
    setTimeout(() => { throw error; });
});
// clang-format on

}  // namespace

void Host::report(const std::exception_ptr& exception) noexcept {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        futon_throw_later(error.what());
    } catch (...) {
        futon_throw_later("futon::EventLoop: an exception that is no std::exception");
    }
}

}  // namespace futon::platform
