// SPDX-License-Identifier: MIT
//
// A native thread that passes frames to JavaScript through a ring in a SharedArrayBuffer. The consumer may block or not:
// the producer need not know, for both kinds of waiter are in the same queue.
//
//     word 0   written: how many frames the producer has written
//     word 1   read:    how many the consumer has read
//     word 2…  the frames

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

#include <futon/addon.h>

namespace {

using Words = futon::addon::SharedWords<std::int32_t>;

constexpr std::size_t written = 0;
constexpr std::size_t read = 1;
constexpr std::size_t first_frame = 2;

/// Writes the squares of 1, 2, 3, … as fast as they are read.
void produce(const std::stop_token& stop, const Words& ring, std::int32_t frames) {
    const auto capacity = static_cast<std::int32_t>(ring.length() - first_frame);
    for (std::int32_t i = 0; i < frames; ++i) {
        while (true) {
            const std::int32_t seen = ring[read].load();
            if (i - seen < capacity) break;
            futon::wait(ring[read], seen, stop);  // the ring is full
            if (stop.stop_requested()) return;
        }
        ring[first_frame + static_cast<std::size_t>(i % capacity)].store((i + 1) * (i + 1));
        ring[written].store(i + 1);
        futon::notify(ring[written]);
    }
}

/// start(ring: Int32Array, frames: number): begins to produce on a thread of its own.
napi_value start(napi_env env, napi_callback_info info) {
    std::size_t count = 2;
    napi_value arguments[2] = {};
    std::int32_t frames = 0;
    napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
    std::optional<Words> ring = Words::from(env, arguments[0], "ring");
    if (!ring) return nullptr;
    if (ring->length() <= first_frame) {
        napi_throw_range_error(env, nullptr, "ring must have at least three elements");
        return nullptr;
    }
    if (napi_get_value_int32(env, arguments[1], &frames) != napi_ok) {
        napi_throw_type_error(env, nullptr, "frames must be a number");
        return nullptr;
    }

    // It ends with this environment at the latest: after that, its code might be unloaded.
    futon::addon::Thread(env, [ring = *std::move(ring), frames](const std::stop_token& stop) {
        produce(stop, ring, frames);
    }).detach();
    return nullptr;
}

/// increment(words: Int32Array, times: number): locks words[0] and increments words[1], that often, on a thread of its own;
/// then words[2] becomes 1.
napi_value increment(napi_env env, napi_callback_info info) {
    std::size_t count = 2;
    napi_value arguments[2] = {};
    std::int32_t times = 0;
    napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
    std::optional<Words> words = Words::from(env, arguments[0], "words");
    if (!words) return nullptr;
    if (words->length() < 3) {
        napi_throw_range_error(env, nullptr, "words must have at least three elements");
        return nullptr;
    }
    if (napi_get_value_int32(env, arguments[1], &times) != napi_ok) {
        napi_throw_type_error(env, nullptr, "times must be a number");
        return nullptr;
    }

    futon::addon::Thread(env, [words = *std::move(words), times](const std::stop_token& stop) {
        futon::AsyncLock& lock = futon::AsyncLock::at(words[0]);
        for (std::int32_t i = 0; i < times; ++i) {
            // Only when all is done, words[2] becomes 1. A lock that is free is locked whether or not a stop is requested.
            if (stop.stop_requested() || lock.lock(stop) != futon::WaitResult::ok) return;
            *words[1].address() += 1;
            lock.unlock();
        }
        words[2].store(1);
        futon::notify(words[2]);
    }).detach();
    return nullptr;
}

}  // namespace

NAPI_MODULE_INIT() {
    napi_value function = nullptr;
    napi_create_function(env, "start", NAPI_AUTO_LENGTH, start, nullptr, &function);
    napi_set_named_property(env, exports, "start", function);
    napi_create_function(env, "increment", NAPI_AUTO_LENGTH, increment, nullptr, &function);
    napi_set_named_property(env, exports, "increment", function);
    return exports;
}
