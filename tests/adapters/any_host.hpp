// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <futon/futon.hpp>

namespace futon::test {

/// What is true of a host, so which scenarios it runs.
struct HostTraits {
    bool ends_by_itself;  // run() ends when nothing more can happen
    bool may_end_first;   // the host may be destroyed before futon's loop
    bool may_end_in_job;  // end_loop() may be called by a job of futon's loop
    bool nests;           // a job may call run()
    bool has_own_events;  // from_host runs no job of futon's
    bool is_agent;        // the loop is the thread's agent, with promises and coroutines
    bool takes_stops;     // an operation may be given a stop token
    bool tells_sleep;     // arbiters are told when the host sleeps
};

/// An adapter's loop and the host that runs it, as the scenarios see them: they are compiled once, and know no host's type.
/// HostAdapter implements it by a Host; host.hpp says what each function does.
///
/// `call` has an overload for each type of operation that the scenarios do, so that the host's own way to do it is compiled
/// with the host.
class AnyHost {
public:
    template <class Op>
    using Callback = std::function<void(typename Op::Result)>;

    AnyHost() = default;
    AnyHost(const AnyHost&) = delete;
    AnyHost& operator=(const AnyHost&) = delete;
    virtual ~AnyHost() = default;

    virtual void run() = 0;
    virtual void stop() = 0;
    virtual void turn() = 0;
    virtual void from_host(std::function<void()> f) = 0;
    virtual void begin_loop() = 0;
    virtual void end_loop() = 0;
    virtual void end_host() = 0;
    virtual void post(std::function<void()> f) = 0;

    // Of an agent's loop.
    virtual void close() = 0;
    virtual WorkGuard keep_running() = 0;
    virtual void set_unhandled_handler(std::function<void(std::exception_ptr)> handler) = 0;

    using Stop = const std::stop_token&;
    virtual void call(WordWait op, Limits limit, Stop stop, Callback<WordWait> f) = 0;
    virtual void call(Event::Waiting op, Limits limit, Stop stop, Callback<Event::Waiting> f) = 0;
    virtual void call(AutoResetEvent::Waiting op, Limits limit, Stop stop, Callback<AutoResetEvent::Waiting> f) = 0;
    virtual void call(Semaphore::Acquiring op, Limits limit, Stop stop, Callback<Semaphore::Acquiring> f) = 0;
    virtual void call(AsyncLock::Locking op, Limits limit, Stop stop, Callback<AsyncLock::Locking> f) = 0;
    virtual void call(Channel<int>::Sending op, Limits limit, Stop stop, Callback<Channel<int>::Sending> f) = 0;
    virtual void call(Channel<int>::Receiving op, Limits limit, Stop stop, Callback<Channel<int>::Receiving> f) = 0;
};

/// A host that a program runs the scenarios on.
struct TestedHost {
    std::string name;  // in the tests' names, after a '/'; empty for a program's only host
    HostTraits traits;
    std::unique_ptr<AnyHost> (*make)();
};

/// The hosts of a program. Each program that links the scenarios defines it.
std::vector<TestedHost> tested_hosts();

}  // namespace futon::test
