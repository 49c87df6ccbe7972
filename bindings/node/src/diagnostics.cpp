// SPDX-License-Identifier: MIT
// The diagnostics of the addon, which only its second binary has: see docs/diagnostics.md.

#include <futon/diagnostics.hpp>

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "diagnosis.hpp"
#include "diagnostics/report.hpp"
#include "environment.hpp"

namespace futon::node {

namespace {

namespace detail = diagnostics::detail;

/// What the threads of the process share. Never destroyed: threads may end after the static objects.
struct Process {
    std::mutex mutex;
    std::vector<Environment*> open;             // whose loops may be rung
    std::set<std::int32_t> loaded;              // threads of JavaScript, by their numbers, that have loaded the addon
    std::set<std::int32_t> workers;             // that were begun and have not ended, as far as such threads know
    std::map<const void*, std::size_t> memory;  // how many environments use the memory that begins there
    std::atomic<std::int64_t> longest_turn{0};  // of a loop, in nanoseconds; 0: none is too long
};

Process& process() noexcept {
    static Process& process = *new Process;
    return process;
}

}  // namespace

Diagnosis::Diagnosis(Environment& environment) : environment_(environment) {
    const std::int32_t number = environment.thread_id();
    detail::runtime_begins(number == 0 ? "main thread" : "worker " + std::to_string(number));
    const std::scoped_lock guard(process().mutex);
    process().loaded.insert(number);
}

Diagnosis::~Diagnosis() {
    while (!memory_.empty()) {
        memory_.begin()->second.buffers = 1;
        memory_ends(memory_.begin()->first);
    }
    detail::runtime_ends();
}

void Diagnosis::opened() {
    const std::scoped_lock guard(process().mutex);
    process().open.push_back(&environment_);
}

void Diagnosis::closing() noexcept {
    const std::scoped_lock guard(process().mutex);
    std::erase(process().open, &environment_);
}

void Diagnosis::memory_begins(const void* begin, std::size_t size) {
    Use& use = memory_[begin];
    use.size = std::max(use.size, size);
    if (++use.buffers > 1) return;
    const std::scoped_lock guard(process().mutex);
    ++process().memory[begin];
}

void Diagnosis::memory_ends(const void* begin) {
    const auto found = memory_.find(begin);
    if (found == memory_.end() || --found->second.buffers > 0) return;
    const std::size_t size = found->second.size;
    memory_.erase(found);
    {
        const std::scoped_lock guard(process().mutex);
        std::size_t& threads = process().memory[begin];
        if (--threads > 0) return;
        process().memory.erase(begin);
    }
    detail::memory_ended(begin, size);
}

void Diagnosis::about_to_block() noexcept {
    const std::scoped_lock guard(process().mutex);
    for (Environment* const other : process().open)
        if (other != &environment_) other->ring();
}

bool Diagnosis::is_still() const noexcept {
    uv_loop_t& loop = environment_.loop();
    if (uv_backend_timeout(&loop) == 0 || loop.active_reqs.count != 0) return false;
    struct Search {
        const uv_handle_t* javascript_timers;
        bool has_source = false;
    } search{javascript_timers_};
    uv_walk(
        &loop,
        [](uv_handle_t* handle, void* data) {
            auto& found = *static_cast<Search*>(data);
            if (uv_is_active(handle) == 0) return;
            const bool is_of_engine = handle->type == UV_TIMER && found.javascript_timers != nullptr &&
                                      handle != found.javascript_timers && uv_has_ref(handle) == 0;
            if (!is_of_engine && handle->type != UV_ASYNC && handle->type != UV_PREPARE && handle->type != UV_CHECK)
                found.has_source = true;
        },
        &search);
    if (search.has_source) return false;
    {
        // A worker that has not loaded the package may do what it wants.
        const std::scoped_lock guard(process().mutex);
        const Process& all = process();
        if (!std::includes(all.loaded.begin(), all.loaded.end(), all.workers.begin(), all.workers.end())) return false;
    }
    pollfd descriptor{uv_backend_fd(&loop), POLLIN, 0};
    return ::poll(&descriptor, 1, 0) == 0;
}

void Diagnosis::look_at_timers() {
    std::map<const uv_handle_t*, std::uint64_t> now;
    uv_walk(
        &environment_.loop(),
        [](uv_handle_t* handle, void* data) {
            if (handle->type != UV_TIMER || uv_is_active(handle) == 0) return;
            const std::uint64_t due = uv_timer_get_due_in(reinterpret_cast<uv_timer_t*>(handle));
            static_cast<std::map<const uv_handle_t*, std::uint64_t>*>(data)->emplace(handle, due);
        },
        &now);
    const uv_handle_t* changed = nullptr;
    int count = 0;
    for (const auto& [handle, due] : now) {
        const auto before = timers_.find(handle);
        if (before != timers_.end() && before->second == due) continue;
        changed = handle;
        ++count;
    }
    if (count == 1) javascript_timers_ = changed;
    timers_ = std::move(now);
}

/// What a turn took is known when it is over: no function is called between the poll and the first callback.
void Diagnosis::tell_of_turn() noexcept {
    const std::int64_t now = detail::now();
    const std::uint64_t idle = uv_metrics_idle_time(&environment_.loop());
    const std::int64_t since = std::exchange(turn_since_, now);
    const auto slept = static_cast<std::int64_t>(idle - std::exchange(idle_before_, idle));
    const std::int64_t longest = process().longest_turn;
    const std::int64_t length = now - since - slept;
    if (since == 0 || longest == 0 || length <= longest) return;
    std::string who;
    {
        const std::scoped_lock hold(detail::Registry::get().mutex);
        who = detail::text_of(detail::Actor{detail::this_thread(), nullptr});
    }
    detail::report_later(
        diagnostics::What::long_job,
        "the loop of " + who + " was busy for " + detail::text_of(length) +
            " in one turn, until now\n  What to do: move the work to a worker, or give it up to the loop "
            "in parts.");
}

void Diagnosis::look() noexcept {
    tell_of_turn();
    if (!environment_.has_waits()) return;
    // Then the poll does not wait, or it does all the same: after it has registered what the loop is to watch, as in its first turn.
    if (uv_backend_timeout(&environment_.loop()) == 0) return environment_.ring();
    if (is_still()) detail::look_from_loop(*this);
}

PromiseCall::PromiseCall(const char* operation, bool is_limited, const core::Waiter* again) noexcept
    : before_([again] {
          detail::Call& call = detail::this_call();
          const detail::Call before = call;
          if (again != nullptr)
              if (const auto* const wait = core::WaiterAccess::stamp(*again).record(); wait != nullptr)
                  call.place = wait->place.frames[0];
          call.is_promise = true;
          return before;
      }()),
      attempt_(nullptr, operation, is_limited) {}

void end_wait(core::Waiter& waiter) noexcept {
    core::WaiterAccess::stamp(waiter).clear();
}

napi_value catching(napi_callback callback, napi_env env, napi_callback_info info) {
    try {
        return callback(env, info);
    } catch (const diagnostics::DeadlockFound& found) {
        napi_throw_error(env, "EDEADLK", found.what());
        return nullptr;
    }
}

namespace {

/// The arguments of a call. lib/diagnostics.js has checked them.
class Arguments {
public:
    Arguments(napi_env env, napi_callback_info info) noexcept : env_(env) {
        std::size_t count = std::size(values_);
        must(napi_get_cb_info(env, info, &count, values_, nullptr, nullptr), "napi_get_cb_info");
    }

    double number(std::size_t i) const noexcept {
        double value = 0;
        must(napi_get_value_double(env_, values_[i], &value), "napi_get_value_double");
        return value;
    }

    void* address(std::size_t i) const noexcept {
        return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number(i)));
    }

    std::string text(std::size_t i) const {
        std::size_t length = 0;
        must(napi_get_value_string_utf8(env_, values_[i], nullptr, 0, &length), "napi_get_value_string_utf8");
        std::string value(length, '\0');
        must(napi_get_value_string_utf8(env_, values_[i], value.data(), length + 1, &length),
             "napi_get_value_string_utf8");
        return value;
    }

private:
    napi_env env_;
    napi_value values_[4] = {};
};

/// Returns what the function returns; what it throws is thrown in JavaScript.
template <class Function>
napi_value answer(napi_env env, Function function) noexcept {
    try {
        return function();
    } catch (const std::exception& error) {
        napi_throw_error(env, nullptr, error.what());
        return nullptr;
    }
}

/// The same for what returns nothing, with the arguments of the call.
template <class Function>
napi_value done(napi_env env, napi_callback_info info, Function function) noexcept {
    return answer(env, [&]() -> napi_value {
        function(Arguments(env, info));
        return nullptr;
    });
}

napi_value to_string(napi_env env, std::string_view text) noexcept {
    napi_value value = nullptr;
    napi_create_string_utf8(env, text.data(), text.size(), &value);  // fails if the thread is being ended
    return value;
}

template <void (*write)(std::ostream&)>
napi_value written(napi_env env, napi_callback_info) {
    return answer(env, [env] {
        std::ostringstream text;
        write(text);
        return to_string(env, text.str());
    });
}

template <void (*write)(const std::string&)>
napi_value written_to(napi_env env, napi_callback_info info) {
    return done(env, info, [](const Arguments& arguments) { write(arguments.text(0)); });
}

/// Takes an address, a size and a name.
napi_value name(napi_env env, napi_callback_info info) {
    return done(env, info, [](const Arguments& arguments) {
        detail::name(arguments.address(0), static_cast<std::size_t>(arguments.number(1)), arguments.text(2));
    });
}

/// Takes a number of events.
napi_value trace(napi_env env, napi_callback_info info) {
    return done(env, info,
                [](const Arguments& arguments) { diagnostics::trace(static_cast<std::size_t>(arguments.number(0))); });
}

/// Takes the limits of holds, waits and turns, in milliseconds.
napi_value watch(napi_env env, napi_callback_info info) {
    return done(env, info, [](const Arguments& arguments) {
        const auto limit = [&](std::size_t i) {
            const std::chrono::duration<double, std::milli> time(arguments.number(i));
            return std::chrono::duration_cast<std::chrono::nanoseconds>(time);
        };
        diagnostics::watch({.hold = limit(0), .wait = limit(1)});
        process().longest_turn = limit(2).count();
    });
}

/// Takes the number of a Response.
napi_value respond(napi_env env, napi_callback_info info) {
    return done(env, info, [](const Arguments& arguments) {
        diagnostics::respond(static_cast<diagnostics::Response>(arguments.number(0)));
    });
}

/// Takes a function and a position; returns the number of that place.
napi_value place_of(napi_env env, napi_callback_info info) {
    return answer(env, [env, info] {
        const Arguments arguments(env, info);
        const void* const place = detail::place_named(arguments.text(0), arguments.text(1));
        napi_value number = nullptr;
        napi_create_double(env, static_cast<double>(reinterpret_cast<std::uintptr_t>(place)), &number);
        return number;
    });
}

/// The next calls are made at that place.
napi_value call_from(napi_env env, napi_callback_info info) {
    detail::this_call().place = Arguments(env, info).address(0);
    return nullptr;
}

/// A worker of that number has begun, or has ended.
napi_value worker_begins(napi_env env, napi_callback_info info) {
    const std::scoped_lock guard(process().mutex);
    process().workers.insert(static_cast<std::int32_t>(Arguments(env, info).number(0)));
    return nullptr;
}
napi_value worker_ends(napi_env env, napi_callback_info info) {
    const std::scoped_lock guard(process().mutex);
    process().workers.erase(static_cast<std::int32_t>(Arguments(env, info).number(0)));
    return nullptr;
}

/// A buffer over the memory at that address, of that size, is used in this thread; and is no more.
napi_value memory_begins(napi_env env, napi_callback_info info) {
    return done(env, info, [&](const Arguments& arguments) {
        environment_of(env, info).diagnosis().memory_begins(arguments.address(0),
                                                            static_cast<std::size_t>(arguments.number(1)));
    });
}
napi_value memory_ends(napi_env env, napi_callback_info info) {
    return done(env, info, [&](const Arguments& arguments) {
        environment_of(env, info).diagnosis().memory_ends(arguments.address(0));
    });
}

napi_value look_at_timers(napi_env env, napi_callback_info info) {
    return done(env, info, [&](const Arguments&) { environment_of(env, info).diagnosis().look_at_timers(); });
}

}  // namespace

const DiagnosisFunction diagnosis_functions[] = {
    {"dump", written<diagnostics::dump>},
    {"dumpJson", written<diagnostics::dump_json>},
    {"metrics", written<diagnostics::metrics>},
    {"writeTrace", written_to<diagnostics::write_trace>},
    {"writeTimeline", written_to<diagnostics::write_timeline>},
    {"name", name},
    {"trace", trace},
    {"watch", watch},
    {"respond", respond},
    {"placeOf", place_of},
    {"callFrom", call_from},
    {"workerBegins", worker_begins},
    {"workerEnds", worker_ends},
    {"lookAtTimers", look_at_timers},
    {"memoryBegins", memory_begins},
    {"memoryEnds", memory_ends},
    {nullptr, nullptr},
};

}  // namespace futon::node
