// SPDX-License-Identifier: MIT
#pragma once

#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

namespace futon::test {

// What the scenarios ask of an adapter: a Host, a class that can be made without arguments. HostAdapter makes it an AnyHost.
//
//     run()            runs the host's loop until `stop`; where ends_by_itself also until nothing more can happen
//     stop()           ends the innermost run, from within. The host's own way, not futon's
//     turn()           runs what is ready, and does not wait
//     from_host(f)     the host calls f() soon, as an event of its own: not as a job of futon's. The loop's thread
//     begin_loop()     makes futon's loop in the host again, after end_loop
//     end_loop()       destroys futon's loop, and keeps the host. The constructor has made one
//     end_host()       destroys the host before futon's loop, if may_end_first; the loop is destroyed then or by the destructor
//     loop()           futon's loop, if is_agent: post, close, keep_running, set_unhandled_handler
//     call(op, limit, stop, f)    does an operation in the loop, and calls f(result)
//     post(f)          runs f() in the loop. Any thread
//
// Its constants are those of HostTraits: which scenarios it runs.

/// The functions of a host whose loop is an agent. A host derives from it.
template <class Host>
class AgentHost {
public:
    static constexpr bool is_agent = true;
    static constexpr bool has_own_events = true;
    static constexpr bool takes_stops = true;
    static constexpr bool tells_sleep = false;

    template <class Op, class F>
    void call(Op op, const Limits& limit, const std::stop_token& stop, F f) {
        call_back(std::move(op), {limit.deadline(), stop}, std::move(f));
    }
    template <class F>
    void post(F f) {
        static_cast<Host*>(this)->loop().post(std::move(f));
    }
};

}  // namespace futon::test
