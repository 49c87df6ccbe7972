// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include <node_api.h>
#include <v8.h>

// Some versions define NAPI_VERSION in there, whatever the addon has chosen.
#pragma push_macro("NAPI_VERSION")
#undef NAPI_VERSION
#include <node_version.h>
#pragma pop_macro("NAPI_VERSION")

#include <futon/addon_thread.h>
#include <futon/futon.hpp>

/// For addons of Node whose threads access the words of JavaScript.
///
/// Link the addon with `futon::addon` (futon_addon.cmake). All addons that do, and the package itself, share one table
/// of wait queues. So `futon::wait`, `futon::notify` and `futon::AsyncLock` of a native thread meet `wait`,
/// `waitAsync`, `notify` and `AsyncLock` of JavaScript.
///
/// It uses N-API, except for memory that outlives its environment, which N-API does not offer. For that it needs the
/// headers of V8, which come with those of Node. They differ from version to version: an addon has to be compiled for the
/// version of Node that it runs in.
namespace futon::addon {

namespace detail {

/// The N-API type of a typed array with elements of type T.
template <class T>
inline constexpr napi_typedarray_type array_type = [] {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return is_signed ? napi_int8_array : napi_uint8_array;
    if constexpr (sizeof(T) == 2) return is_signed ? napi_int16_array : napi_uint16_array;
    if constexpr (sizeof(T) == 4) return is_signed ? napi_int32_array : napi_uint32_array;
    if constexpr (sizeof(T) == 8) return is_signed ? napi_bigint64_array : napi_biguint64_array;
}();

/// Both are the address of a handle's slot, as in Node's own implementation of N-API.
inline v8::Local<v8::Value> to_v8(napi_value value) noexcept {
    static_assert(sizeof(v8::Local<v8::Value>) == sizeof(napi_value));
    v8::Local<v8::Value> local;
    std::memcpy(static_cast<void*>(&local), &value, sizeof value);
    return local;
}

inline void throw_type_error(napi_env env, const char* argument, const char* problem) {
    const std::string message = std::string(argument) + " must be a typed array over shared memory: " + problem;
    napi_throw_type_error(env, nullptr, message.c_str());
}

/// Whether this Node is the one that the addon was compiled for; if not, an Error is pending.
inline bool is_right_node(napi_env env) {
    const napi_node_version* running = nullptr;
    if (napi_get_node_version(env, &running) != napi_ok) return false;
    if (running->major == NODE_MAJOR_VERSION) return true;
    const std::string message = "futon/addon.h: this addon was compiled for Node " +
                                std::to_string(NODE_MAJOR_VERSION) + " and runs in Node " +
                                std::to_string(running->major) +
                                "; it uses V8, so it has to be compiled again with the headers of that version";
    napi_throw_error(env, nullptr, message.c_str());
    return false;
}

}  // namespace detail

/// The elements of a typed array of JavaScript over a SharedArrayBuffer, or over the shared memory of WebAssembly, for
/// native threads.
///
/// It owns a share of the memory: copies may be passed to any thread, and may outlive the array, its buffer, and the
/// thread of JavaScript that they came from. If the memory grows, only a new SharedWords sees the new length.
///
/// Threads  any, except for `from`.
template <WaitInteger T>
class SharedWords {
public:
    using value_type = T;

    /// The elements of `array`, on its thread.
    ///
    /// Returns  nothing if it is not a typed array of T over shared memory, and then a TypeError that names `argument` is
    ///          pending; or if the addon was compiled for another major version of Node, and then an Error is that names both.
    static std::optional<SharedWords> from(napi_env env, napi_value array, const char* argument = "typedArray") {
        if (!detail::is_right_node(env)) return std::nullopt;
        bool is_typed_array = false;
        if (napi_is_typedarray(env, array, &is_typed_array) != napi_ok || !is_typed_array) {
            detail::throw_type_error(env, argument, "it is not a typed array");
            return std::nullopt;
        }
        napi_typedarray_type type{};
        std::size_t length = 0;
        void* data = nullptr;
        if (napi_get_typedarray_info(env, array, &type, &length, &data, nullptr, nullptr) != napi_ok ||
            type != detail::array_type<T>) {
            detail::throw_type_error(env, argument, "its elements are of another type");
            return std::nullopt;
        }
        const v8::Local<v8::Value> buffer = detail::to_v8(array).As<v8::TypedArray>()->Buffer();
        if (!buffer->IsSharedArrayBuffer()) {
            detail::throw_type_error(env, argument, "its buffer is not shared");
            return std::nullopt;
        }
        return SharedWords(buffer.As<v8::SharedArrayBuffer>()->GetBackingStore(), static_cast<T*>(data), length);
    }

    /// The number of elements.
    std::size_t length() const noexcept { return length_; }

    /// The element as a word. Requires `index < length()`.
    Word<T> operator[](std::size_t index) const noexcept { return Word<T>(first_[index]); }

    /// The element as a word. Throws std::out_of_range, naming index and length.
    Word<T> at(std::size_t index) const {
        if (index >= length_)
            throw std::out_of_range("futon::addon::SharedWords: index " + std::to_string(index) +
                                    " is not below the length, " + std::to_string(length_));
        return (*this)[index];
    }

    /// The primitive that lies there, at `byte_offset` from the first element, such as the semaphore of JavaScript's
    /// `new Semaphore(buffer, byteOffset)` if the array begins where its buffer does.
    ///
    ///     futon::Semaphore& permits = words.object<futon::Semaphore>(16);
    ///
    /// Throws  std::out_of_range if the offset is not a multiple of the primitive's alignment, or the primitive would end
    ///         outside the array; for a ByteChannel also std::logic_error, as `ByteChannel::at`
    template <class Primitive>
    Primitive& object(std::size_t byte_offset = 0) const {
        const std::size_t size = length_ * sizeof(T);
        if (byte_offset > size || sizeof(Primitive) > size - byte_offset ||
            (reinterpret_cast<std::uintptr_t>(first_) + byte_offset) % alignof(Primitive) != 0)
            throw std::out_of_range("futon::addon::SharedWords: no object of " + std::to_string(sizeof(Primitive)) +
                                    " bytes can lie at " + std::to_string(byte_offset) + " in " + std::to_string(size));
        std::byte* const bytes = reinterpret_cast<std::byte*>(first_) + byte_offset;
        if constexpr (std::is_same_v<Primitive, ByteChannel>) {
            return ByteChannel::at(std::span(bytes, size - byte_offset));
        } else {
            return *std::launder(reinterpret_cast<Primitive*>(bytes));
        }
    }

    /// The elements as plain memory, for callers that have synchronized by other means.
    T* data() const noexcept { return first_; }

private:
    SharedWords(std::shared_ptr<v8::BackingStore> memory, T* first, std::size_t length) noexcept
        : memory_(std::move(memory)), first_(first), length_(length) {}

    std::shared_ptr<v8::BackingStore> memory_;
    T* first_;
    std::size_t length_;
};

}  // namespace futon::addon
