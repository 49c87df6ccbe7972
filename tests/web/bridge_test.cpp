// SPDX-License-Identifier: MIT
// Promises of JavaScript and of futon as one another.
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include <emscripten.h>

#include <futon/javascript_val.hpp>

#include "web/harness.hpp"

namespace {

using futon::EventLoop;
using futon::from_js;
using futon::JavascriptError;
using futon::make_promise;
using futon::Promise;
using futon::to_js;
using futon::test::expect;
using futon::test::next_task;

// clang-format off
EM_JS(int, later_number, (double value), { return Module.futon.keep(new Promise((resolve) => setTimeout(resolve, 1, value))); });
EM_JS(int, later_text, (), { return Module.futon.keep(new Promise((resolve) => setTimeout(resolve, 1, 'Grüße' + String.fromCharCode(0) + '.'))); });
EM_JS(int, later_error, (), {
    return Module.futon.keep(new Promise((resolve, reject) => setTimeout(() => reject(new Error('it said no')), 1)));
});
// No memory is left for the next thing that JavaScript asks memory for.
EM_JS(int, later_text_without_memory, (), {
    const allocate = _malloc;
    _malloc = () => { _malloc = allocate; return 0; };
    return Module.futon.keep(Promise.resolve('a text'));
});
EM_JS(int, no_promise, (), { return Module.futon.keep(5); });
// What JavaScript sees of a promise: its value, and an error's text.
EM_JS(int, seen_by_javascript, (int handle), {
    return Module.futon.keep(Module.futon.take(handle).then((value) => typeof value + ' ' + value, (error) => error.name + ' ' + error.message));
});
EM_JS(int, taking_twice_is_refused, (int handle), {
    Module.futon.take(handle);
    try { Module.futon.take(handle); } catch (error) { return error instanceof RangeError ? 1 : 0; }
    return 0;
});
// clang-format on

Promise<std::string> seen(int handle) {
    return from_js<std::string>(seen_by_javascript(handle));
}

template <class T>
Promise<T> fails() {
    throw std::runtime_error("it failed");
    co_return T();
}

FUTON_WEB_TEST(PromisesOfJavascriptAreAwaited) {
    expect(co_await from_js<double>(later_number(0.5)) == 0.5, "a number");
    expect(co_await from_js<int>(later_number(-3)) == -3, "an integer");
    expect(co_await from_js<std::string>(later_text()) == std::string("Gr\u00fc\u00dfe\0.", 9), "a string");
    expect(co_await from_js<int>(no_promise()) == 5, "what is no promise");
    co_await from_js<void>(later_number(1));
}

FUTON_WEB_TEST(ANumberThatAnIntegerCannotHoldIsConvertedAsJavascriptDoes) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    expect(co_await from_js<int>(later_number(nan)) == 0, "not a number");
    expect(co_await from_js<int>(later_number(std::numeric_limits<double>::infinity())) == 0, "infinity");
    expect(co_await from_js<int>(later_number(4294967295.0)) == -1, "modulo 2^32");
    expect(co_await from_js<unsigned>(later_number(-1)) == 4294967295u, "below zero");
    expect(co_await from_js<int>(later_number(-2.9)) == -2, "without its fraction");
    expect(co_await from_js<bool>(later_number(0.5)), "not zero");
    expect(!co_await from_js<bool>(later_number(nan)), "not a number is false");
    expect(std::isnan(co_await from_js<double>(later_number(nan))), "what holds it");
}

FUTON_WEB_TEST(ARejectionIsAJavascriptError) {
    std::string text;
    try {
        co_await from_js<int>(later_error());
    } catch (const JavascriptError& error) {
        text = error.what();
    }
    expect(text == "it said no", "with its text");
}

FUTON_WEB_TEST(ATextForWhichThereIsNoMemoryIsAFailedAllocation) {
    bool is_thrown = false;
    try {
        co_await from_js<std::string>(later_text_without_memory());
    } catch (const std::bad_alloc&) {
        is_thrown = true;
    }
    expect(is_thrown, "and nothing is written");
}

FUTON_WEB_TEST(JavascriptAwaitsPromises) {
    auto [number, number_source] = make_promise<double>();
    auto [text, text_source] = make_promise<std::string>();
    auto [nothing, nothing_source] = make_promise<void>();
    auto of_number = seen(to_js(std::move(number)));
    auto of_text = seen(to_js(std::move(text)));
    auto of_nothing = seen(to_js(std::move(nothing)));
    number_source.fulfil(2.5);
    text_source.fulfil("Grüße");
    nothing_source.fulfil();

    expect(co_await of_number == "number 2.5", "a number");
    expect(co_await of_text == "string Grüße", "a string");
    expect(co_await of_nothing == "undefined undefined", "nothing");
    expect(co_await seen(to_js(fails<int>())) == "Error it failed", "an exception");
}

FUTON_WEB_TEST(APromiseThatIsDroppedByItsLoopIsRejected) {
    int handle = 0;
    {
        EventLoop loop;
        auto [inner, inner_source] = make_promise<int>();
        handle = to_js(std::move(inner));
    }
    const std::string text = co_await seen(handle);

    expect(text.starts_with("Error "), "it does not stay pending");
}

FUTON_WEB_TEST(AHandleStandsForItsPromiseOnce) {
    expect(taking_twice_is_refused(later_number(1)) == 1, "taken twice");
    const int handle = later_number(1);
    expect(co_await from_js<int>(handle) == 1, "the first time");
    std::string text;
    try {
        co_await from_js<int>(handle);
    } catch (const JavascriptError& error) {
        text = error.what();
    }
    expect(text.find("is no handle, or was taken before") != std::string::npos, "the second time");
}

FUTON_WEB_TEST(AnyValueOfJavascriptCrosses) {
    emscripten::val object = emscripten::val::object();
    object.set("answer", 42);
    const emscripten::val promise = emscripten::val::global("Promise").call<emscripten::val>("resolve", object);
    const emscripten::val seen_object = co_await from_js<emscripten::val>(promise);
    expect(seen_object.strictlyEquals(object), "the same object comes to C++");

    auto [inner, source] = make_promise<emscripten::val>();
    const emscripten::val outer = futon::to_val(std::move(inner));
    expect(outer.instanceof (emscripten::val::global("Promise")), "a promise of JavaScript");
    source.fulfil(object);
    expect((co_await from_js<emscripten::val>(outer))["answer"].as<int>() == 42, "and back");

    expect(co_await from_js<int>(emscripten::val(7)) == 7, "a value that is no promise");
}

}  // namespace
