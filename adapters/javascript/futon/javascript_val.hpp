// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <emscripten/val.h>

#include <futon/javascript.hpp>

/// Any JavaScript value as the value of a promise: `from_js<emscripten::val>`, `to_js(Promise<emscripten::val>)`. Link
/// the program with -lembind.
namespace futon {

template <>
struct detail::JavascriptValue<emscripten::val> {
    static constexpr JavascriptKind kind = JavascriptKind::kept;
    static emscripten::val to_cpp(double number, std::string&&) {
        return emscripten::val::module_property("futon").call<emscripten::val>("take", static_cast<int>(number));
    }
    static JavascriptOutcome to_js(const emscripten::val& value) {
        return {static_cast<double>(emscripten::val::module_property("futon").call<int>("keep", value)), {}};
    }
};

/// As `from_js<T>(handle)`, for a promise that C++ holds as a value.
template <class T>
Promise<T> from_js(const emscripten::val& promise) {
    detail::begin_javascript();
    return from_js<T>(emscripten::val::module_property("futon").call<int>("keep", promise));
}

/// As `to_js`, but returns a value.
template <class T>
emscripten::val to_val(Promise<T> promise) {
    const int handle = to_js(std::move(promise));
    return emscripten::val::module_property("futon").call<emscripten::val>("take", handle);
}

}  // namespace futon

#include <futon/detail/end.hpp>
