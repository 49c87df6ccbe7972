// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <futon/promise.hpp>
#include <futon/promise_source.hpp>

/// Converts promises between JavaScript and futon. Link futon::javascript.
///
///     const futon::Promise<int> answer = futon::from_js<int>(handle);    // a promise of JavaScript
///     const int ours = futon::to_js(compute());                          // a promise for JavaScript
///
/// Each side refers to a promise of the other by a number, a *handle*, which can be used once. JavaScript has two
/// functions for handles: on the main thread from the start, on another thread from its first call of a function of
/// this header.
///
///     Module.futon.keep(value)    returns a handle of a promise or another value
///     Module.futon.take(handle)   returns the promise or value; the handle is used up
///
/// Values are nothing, numbers (floating point, bool, integers of up to 32 bits) and strings; with
/// <futon/javascript_val.hpp> any value. A JavaScript number becomes an integer as by its own bit operations: without
/// its fraction, modulo 2^32. A value that is not a number, such as `undefined`, becomes NaN if T can hold that, else
/// 0.
namespace futon {

/// What a JavaScript promise was rejected with: the text of the error.
class JavascriptError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

namespace detail {

/// How a value crosses the boundary.
enum class JavascriptKind : int { nothing, number, text, kept };

/// The listener of a JavaScript promise. JavaScript calls one of the two functions, once.
class JavascriptSettling {
public:
    virtual ~JavascriptSettling() = default;
    virtual void fulfil(double number, std::string text) = 0;
    virtual void reject(std::exception_ptr exception) = 0;
};

/// A number, the handle of a kept value, or a text.
struct JavascriptOutcome {
    double number = 0;
    std::string text;
};

template <class T>
struct JavascriptValue {
    static_assert(
        !std::is_same_v<T, T>,
        "futon: a value that crosses to or from JavaScript is void, a number of up to 32 bits or of floating point, "
        "or std::string; see <futon/javascript_val.hpp>");
};

template <>
struct JavascriptValue<void> {
    static constexpr JavascriptKind kind = JavascriptKind::nothing;
};

template <class T>
    requires(std::floating_point<T> || (std::integral<T> && sizeof(T) <= 4))
struct JavascriptValue<T> {
    static constexpr JavascriptKind kind = JavascriptKind::number;
    static T to_cpp(double number, std::string&&) {
        if constexpr (std::floating_point<T>) {
            return static_cast<T>(number);
        } else if constexpr (std::same_as<T, bool>) {
            return number < 0 || number > 0;  // false for NaN
        } else {
            if (!std::isfinite(number)) return 0;
            return static_cast<T>(static_cast<std::int64_t>(std::fmod(number, 4294967296.0)));
        }
    }
    static JavascriptOutcome to_js(T value) { return {static_cast<double>(value), {}}; }
};

template <>
struct JavascriptValue<std::string> {
    static constexpr JavascriptKind kind = JavascriptKind::text;
    static std::string to_cpp(double, std::string&& text) { return std::move(text); }
    static JavascriptOutcome to_js(std::string value) { return {0, std::move(value)}; }
};

template <class T>
class JavascriptSettlingOf final : public JavascriptSettling {
public:
    explicit JavascriptSettlingOf(PromiseSource<T>&& source) noexcept : source_(std::move(source)) {}

    void fulfil(double number, std::string text) override {
        if constexpr (std::is_void_v<T>) {
            source_.fulfil();
        } else {
            source_.fulfil(JavascriptValue<T>::to_cpp(number, std::move(text)));
        }
    }
    void reject(std::exception_ptr exception) override { source_.reject(std::move(exception)); }

private:
    PromiseSource<T> source_;
};

/// Makes sure that this thread's JavaScript has the functions for handles.
void begin_javascript();

/// Makes JavaScript settle the listener, and destroy it, once the handle's promise has settled.
void javascript_then(int handle, JavascriptSettling* settling, JavascriptKind kind);

/// A JavaScript promise that C++ settles; rejected if it is dropped first.
class JavascriptPromise {
public:
    JavascriptPromise();
    JavascriptPromise(JavascriptPromise&& other) noexcept : number_(std::exchange(other.number_, 0)) {}
    JavascriptPromise& operator=(JavascriptPromise&&) = delete;
    ~JavascriptPromise();

    /// A new handle.
    int handle() const;

    void resolve(JavascriptKind kind, const JavascriptOutcome& outcome) noexcept;
    void reject(const char* text) noexcept;

private:
    int number_;  // under which JavaScript keeps its functions
};

template <class T>
Promise<void> settle_javascript(Promise<T> promise, JavascriptPromise settled) {
    try {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(promise);
            settled.resolve(JavascriptKind::nothing, {});
        } else {
            const JavascriptOutcome outcome = JavascriptValue<T>::to_js(co_await std::move(promise));
            settled.resolve(JavascriptValue<T>::kind, outcome);
        }
    } catch (const std::exception& error) {
        settled.reject(error.what());
    } catch (...) {
        settled.reject("an exception that is no std::exception");
    }
}

}  // namespace detail

/// Turns the JavaScript promise of a handle into a promise of this thread's agent, which settles in a turn of the loop.
/// A value that is not a promise counts as a fulfilled one.
///
/// Settles  with JavascriptError if the JavaScript promise is rejected, or if the handle is invalid or used up
/// Threads  the thread whose JavaScript made the handle
/// Throws   NoExecutor; std::bad_alloc
template <class T>
Promise<T> from_js(int handle) {
    auto [promise, source] = make_promise<T>();
    detail::javascript_then(handle, new detail::JavascriptSettlingOf<T>(std::move(source)),
                            detail::JavascriptValue<T>::kind);
    return std::move(promise);
}

/// Returns a handle of a JavaScript promise that settles as this one does: `Module.futon.take(handle)`. An exception
/// becomes an Error with its text. If the loop ends first, the JavaScript promise is rejected.
///
/// Threads  the thread of the promise's agent
/// Throws   NoExecutor; std::bad_alloc
template <class T>
int to_js(Promise<T> promise) {
    detail::JavascriptPromise settled;
    const int handle = settled.handle();
    static_cast<void>(detail::settle_javascript(std::move(promise), std::move(settled)));
    return handle;
}

}  // namespace futon

#include <futon/detail/end.hpp>
