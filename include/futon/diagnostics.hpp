// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/detail/export.hpp>

/// See who waits: names, holders, deadlocks, orders of locking, stalls, and a timeline, for threads and coroutines alike.
///
/// A program says what it wants to see, and is linked with `futon::diagnostics` in the place of `futon::futon`; it needs no other
/// change. Linked with `futon::futon`, the same program compiles, all functions of this header do nothing, and each name costs
/// nothing.
///
///     futon::AsyncLock accounts;
///     futon::name(accounts, "accounts");
///     futon::diagnostics::watch({.hold = 10s, .wait = 5s, .job = 50ms});
///     futon::diagnostics::on_signal(SIGUSR1);   // kill -USR1: who holds what, and who waits
///
/// Threads  any, except where a function says otherwise
namespace futon::diagnostics {

/// Whether the program is linked with `futon::diagnostics`.
inline constexpr bool is_on = core::probe::is_enabled;

/// What a report is about.
enum class What : std::uint8_t {
    deadlock,        ///< callers that wait for each other
    order,           ///< two orders of locking that may deadlock
    long_hold,       ///< a primitive is held for longer than the limit
    long_wait,       ///< a caller waits for longer than the limit
    long_job,        ///< a job of an event loop, or what a timer runs, runs for longer than the limit
    expired_offer,   ///< a primitive was kept for a loop, which did not come to it in time
    abandoned_hold,  ///< a coroutine or a thread ended while it held a lock that no guard releases
    lost_promise,    ///< coroutines await a promise that nothing can settle any more
};

/// What was found: said once, in sentences. The last one says what to do.
struct Report {
    What what;         ///< what it is about
    std::string text;  ///< what was found, in lines
};

/// Thrown by the wait that closes a deadlock, if `Response::throw_from_wait` was chosen. The wait holds nothing then.
class DeadlockFound : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What happens with a report: `print`, unless another is chosen.
enum class Response : std::uint8_t {
    print,            ///< it is written to the standard error
    throw_from_wait,  ///< a deadlock's is thrown by the wait that closes it, if it can; others are written
    abort,            ///< it is written, and the process aborts: with a core file, where the system makes them
};

/// Of which calls the place is kept, which is most of what the diagnostics cost.
enum class Places : std::uint8_t {
    all,    ///< of waits and of acquisitions: the default
    waits,  ///< of waits, and of acquisitions that were waited for
};

/// What the diagnostics see.
enum class Observe : std::uint8_t {
    everything,  ///< each acquisition, each wait and each job: the default
    samples,  ///< some acquisitions and waits, for the profile alone: nothing is concluded about deadlocks and orders
};

/// The limits of `watch`; zero is none. And what else it looks for.
struct Limits {
    std::chrono::nanoseconds hold{};  ///< for which a primitive is held, also across a `co_await`
    std::chrono::nanoseconds wait{};  ///< for which a caller waits
    std::chrono::nanoseconds job{};   ///< for which a job of an event loop runs, or what a timer runs
    bool offers = false;     ///< whether an offer to a loop that expires is reported, once for each primitive and loop
    bool abandoned = false;  ///< whether a coroutine or a thread that ends while it holds a lock is reported
};

#ifdef FUTON_DIAGNOSTICS

/// Chooses what happens with reports, from now on.
FUTON_API void respond(Response response);

/// Gives reports to a function instead. Called by the thread that found it, under no lock of the library; by one of the
/// diagnostics for stalls. What it throws for a deadlock, the wait that closes it throws; otherwise the program terminates.
FUTON_API void respond(std::function<void(const Report&)> function);

/// Chooses of which calls the place is kept, from now on.
FUTON_API void keep_places(Places places);

/// Chooses what is seen, from now on: of samples, one in so many acquisitions, drawn at random in short windows of time. A sample
/// counts for as many as it stands for; who holds and who waits at the change is not known any more.
///
/// Throws  std::invalid_argument if `one_in` is 0; std::bad_alloc; std::system_error, if there is no thread to open windows
FUTON_API void observe(Observe what, std::uint32_t one_in = 10'000);

/// Watches limits from now on, on a thread of its own; all zero ends it. A report is made once for each hold, wait and job. For a
/// job it has the stack of its thread, taken while the job runs, where a real-time signal is free for that.
FUTON_API void watch(Limits limits);

/// Writes each primitive that is held, waited for or named: who holds it, since when, where it was acquired, and who waits. It is
/// copied in parts, so that no thread that uses the library waits for long.
///
/// Throws  what the stream throws
FUTON_API void dump(std::ostream& out);

/// The same in JSON, on one line, with what `metrics` writes for each.
FUTON_API void dump_json(std::ostream& out);
/// Writes counters and times of each primitive that was used, in the text format of Prometheus.
FUTON_API void metrics(std::ostream& out);

/// Writes a table of the places of calls, by the sum of their waits: what is acquired there, how often, how often a caller had to
/// wait, and half and 99 % of the waits and holds.
///
/// Throws  what the stream throws
FUTON_API void write_profile(std::ostream& out);

/// Dumps whenever the process gets this signal: to the standard error, or to the end of a file. The dump is written by a thread of
/// the diagnostics, so also if all others are stuck.
///
/// Throws  std::system_error: the signal is used already (device_or_resource_busy), or cannot be caught (invalid_argument); the file
///         cannot be opened
FUTON_API void on_signal(int signal, const std::string& path = {});

/// Records from now on for the timeline, at most so many events, of 64 bytes each; the rest is counted as lost. Zero ends it.
FUTON_API void trace(std::size_t events = std::size_t{1} << 20);

/// Writes what was recorded as a Chrome trace, which Perfetto opens, too.
///
/// Throws  std::system_error if the file cannot be written; what was recorded stays
FUTON_API void write_trace(const std::string& path);

/// Writes the same as a page that a browser opens from disk. As `write_trace`.
FUTON_API void write_timeline(const std::string& path);

/// Offers dumps to `futon top` from now on, on a Unix socket that only processes of the same user may use. Again: nothing changes.
///
/// Throws  std::system_error: the socket cannot be made; the message says why
FUTON_API void serve();

namespace detail {
FUTON_API void name(const void* address, std::size_t size, std::string_view name);
}

#else

// The program is linked with futon::futon: nothing is seen.
inline void respond(Response) {}
inline void respond(const std::function<void(const Report&)>&) {}
inline void keep_places(Places) {}
inline void observe(Observe, std::uint32_t = 10'000) {}
inline void watch(Limits) {}
inline void dump(std::ostream&) {}
inline void dump_json(std::ostream&) {}
inline void metrics(std::ostream&) {}
inline void write_profile(std::ostream&) {}
inline void on_signal(int, const std::string& = {}) {}
inline void trace(std::size_t = 0) {}
inline void write_trace(const std::string&) {}
inline void write_timeline(const std::string&) {}
inline void serve() {}

namespace detail {
inline void name(const void*, std::size_t, std::string_view) {}
}  // namespace detail

#endif

}  // namespace futon::diagnostics

namespace futon {

/// Names a primitive, or any object, for reports, dumps and timelines: all primitives that lie in it have the name. Forgotten when
/// a primitive of it ends; an empty name forgets it at once. A name says which of many it is, so give each object its own.
template <class T>
void name(const T& object, std::string_view name) {
    diagnostics::detail::name(std::addressof(object), sizeof(T), name);
}

/// An object that is made with its name: `futon::Named<futon::AsyncLock> accounts("accounts");`. The other arguments are its own.
template <class T>
struct Named : T {
    template <class... Arguments>
    explicit Named(std::string_view name, Arguments&&... arguments) : T(std::forward<Arguments>(arguments)...) {
        futon::name<T>(*this, name);
    }
};

}  // namespace futon

#include <futon/detail/end.hpp>
