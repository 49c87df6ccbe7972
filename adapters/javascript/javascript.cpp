// SPDX-License-Identifier: MIT
#include <futon/javascript.hpp>

#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

// Newer toolchains leave out what they do not see used.
#ifdef EM_JS_DEPS
EM_JS_DEPS(futon_javascript, "$UTF8ToString,$lengthBytesUTF8,$stringToUTF8")
#endif

// clang-format off
EM_JS(void, futon_js_begin, (), {
    if (Module['futon']) return;
    const kept = new Map();
    const deferred = new Map();
    let handles = 0;
    const nextHandle = () => { handles = handles === 2147483647 ? 1 : handles + 1; return handles; };
    const keep = (value) => {
        const handle = nextHandle();
        kept.set(handle, value);
        return handle;
    };
    const take = (handle) => {
        if (!kept.has(handle)) throw new RangeError('futon: ' + handle + ' is no handle, or was taken before');
        const value = kept.get(handle);
        kept.delete(handle);
        return value;
    };
    Module['futon'] = { 'keep': keep, 'take': take };
    Module['futonDeferred'] = deferred;
    Module['futonNextHandle'] = nextHandle;
});

EM_JS(void, futon_js_then, (int handle, void* settling, int kind), {
    const give = (call, number, text) => {
        const length = lengthBytesUTF8(text);
        const at = _malloc(length + 1);
        if (at !== 0) stringToUTF8(text, at, length + 1);
        call(settling, number, at, length);
    };
    // Within a promise, so that a handle that is none is a rejection, too.
    new Promise((resolve) => resolve(Module['futon']['take'](handle))).then((value) => {
        if (kind === 2) give(_futon_js_fulfil, 0, String(value));
        else if (kind === 3) give(_futon_js_fulfil, Module['futon']['keep'](value), "");
        else give(_futon_js_fulfil, kind === 1 ? Number(value) : 0, "");
    }, (error) => give(_futon_js_reject, 0, String(error && error.message !== undefined ? error.message : error)));
});

EM_JS(int, futon_js_defer, (), {
    const number = Module['futonNextHandle']();
    const functions = {};
    functions.promise = new Promise((resolve, reject) => { functions.resolve = resolve; functions.reject = reject; });
    Module['futonDeferred'].set(number, functions);
    return number;
});

EM_JS(int, futon_js_handle, (int number), {
    return Module['futon']['keep'](Module['futonDeferred'].get(number).promise);
});

EM_JS(void, futon_js_resolve, (int deferred, int kind, double number, const char* text), {
    const functions = Module['futonDeferred'].get(deferred);
    Module['futonDeferred'].delete(deferred);
    if (kind === 0) functions.resolve();
    else if (kind === 1) functions.resolve(number);
    else if (kind === 2) functions.resolve(UTF8ToString(text));
    else functions.resolve(Module['futon']['take'](number));
});

EM_JS(void, futon_js_refuse, (int deferred, const char* text), {
    const functions = Module['futonDeferred'].get(deferred);
    Module['futonDeferred'].delete(deferred);
    functions.reject(new Error(UTF8ToString(text)));
});
// clang-format on

namespace {

using futon::detail::JavascriptSettling;

/// What JavaScript has allocated, if it could. Throws std::bad_alloc.
std::string taken(char* text, int length) {
    if (text == nullptr) throw std::bad_alloc();
    const std::unique_ptr<char, decltype(&std::free)> owned(text, &std::free);
    return {text, static_cast<std::size_t>(length)};
}

// So that JavaScript that runs before any C++ can keep promises.
const bool has_begun = (futon_js_begin(), true);

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE void futon_js_fulfil(JavascriptSettling* settling, double number, char* text, int length) {
    const std::unique_ptr<JavascriptSettling> owned(settling);
    std::string copy;
    try {
        copy = taken(text, length);
    } catch (...) {
        return owned->reject(std::current_exception());
    }
    owned->fulfil(number, std::move(copy));
}

EMSCRIPTEN_KEEPALIVE void futon_js_reject(JavascriptSettling* settling, double, char* text, int length) {
    const std::unique_ptr<JavascriptSettling> owned(settling);
    try {
        throw futon::JavascriptError(taken(text, length));
    } catch (...) {
        owned->reject(std::current_exception());
    }
}
}

namespace futon::detail {

void begin_javascript() {
    futon_js_begin();
}

void javascript_then(int handle, JavascriptSettling* settling, JavascriptKind kind) {
    futon_js_begin();
    futon_js_then(handle, settling, static_cast<int>(kind));
}

JavascriptPromise::JavascriptPromise() : number_(0) {
    futon_js_begin();
    number_ = futon_js_defer();
}

JavascriptPromise::~JavascriptPromise() {
    if (number_ != 0) reject("futon: the event loop has ended before the promise has settled");
}

int JavascriptPromise::handle() const {
    return futon_js_handle(number_);
}

void JavascriptPromise::resolve(JavascriptKind kind, const JavascriptOutcome& outcome) noexcept {
    futon_js_resolve(std::exchange(number_, 0), static_cast<int>(kind), outcome.number, outcome.text.c_str());
}

void JavascriptPromise::reject(const char* text) noexcept {
    futon_js_refuse(std::exchange(number_, 0), text);
}

}  // namespace futon::detail
