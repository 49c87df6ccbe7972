// SPDX-License-Identifier: MIT
#pragma once

#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

namespace futon::test {

// What the scenario suite asks of an adapter: a Host, a class that can be made without arguments.
//
//     run()            runs the host's loop until `stop`; where ends_by_itself also until nothing more can happen
//     stop()           ends the innermost run, from within. The host's own way, not futon's
//     turn()           runs what is ready, and does not wait
//     from_host(f)     the host calls f() soon, as an event of its own: not as a job of futon's. The loop's thread
//     begin_loop()     makes futon's loop in the host again, after end_loop
//     end_loop()       destroys futon's loop, and keeps the host. The constructor has made one
//     end_host()       destroys the host before futon's loop, if may_end_first; the loop is destroyed then or by the destructor
//     loop()           futon's loop: post, post_after, close, has_work, keep_running, set_unhandled_handler
//     call(op, limit, stop, f)    does an operation in the loop, and calls f(result)
//     post(f)          runs f() in the loop. Any thread
//
//     ends_by_itself   whether run() ends when nothing more can happen
//     may_end_first    whether the host may be destroyed before futon's loop
//     may_end_in_job   whether end_loop() may be called by a job of futon's loop
//     nests            whether a job may call run()
//     has_own_events   whether from_host runs no job of futon's
//     is_agent         whether the loop is the thread's agent, with promises and coroutines; if not, there is no loop()

/// The functions of a host whose loop is an agent. A host derives from it.
template <class Host>
class AgentHost {
public:
    static constexpr bool is_agent = true;
    static constexpr bool has_own_events = true;

    template <class Op, class F>
    void call(Op op, TimeLimit limit, const std::stop_token& stop, F f) {
        call_back(std::move(op), limit, stop, std::move(f));
    }
    template <class F>
    void post(F f) {
        static_cast<Host*>(this)->loop().post(std::move(f));
    }
};

}  // namespace futon::test
