// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include <futon/futon.hpp>

#include "adapters/any_host.hpp"

namespace futon::test {

/// A Host, which host.hpp describes, for the scenarios. What a host cannot do its traits keep the scenarios from.
template <class Host>
class HostAdapter final : public AnyHost {
public:
    void run() override { host_.run(); }
    void stop() override { host_.stop(); }
    void turn() override { host_.turn(); }
    void from_host(std::function<void()> f) override { host_.from_host(std::move(f)); }
    void begin_loop() override { host_.begin_loop(); }
    void end_loop() override { host_.end_loop(); }
    void end_host() override {
        if constexpr (Host::may_end_first) return host_.end_host();
        refuse();
    }
    void post(std::function<void()> f) override { host_.post(std::move(f)); }

    void close() override {
        if constexpr (Host::is_agent) return host_.loop().close();
        refuse();
    }
    WorkGuard keep_running() override {
        if constexpr (Host::is_agent) return host_.loop().keep_running();
        refuse();
    }
    void set_unhandled_handler(std::function<void(std::exception_ptr)> handler) override {
        if constexpr (Host::is_agent) return host_.loop().set_unhandled_handler(std::move(handler));
        refuse();
    }

    void call(WordWait op, Limits limit, Stop stop, Callback<WordWait> f) override {
        host_.call(std::move(op), limit, stop, std::move(f));
    }
    void call(Event::Waiting op, Limits limit, Stop stop, Callback<Event::Waiting> f) override {
        host_.call(std::move(op), limit, stop, std::move(f));
    }
    void call(AutoResetEvent::Waiting op, Limits limit, Stop stop, Callback<AutoResetEvent::Waiting> f) override {
        host_.call(std::move(op), limit, stop, std::move(f));
    }
    void call(Semaphore::Acquiring op, Limits limit, Stop stop, Callback<Semaphore::Acquiring> f) override {
        host_.call(std::move(op), limit, stop, std::move(f));
    }
    void call(AsyncLock::Locking op, Limits limit, Stop stop, Callback<AsyncLock::Locking> f) override {
        host_.call(std::move(op), limit, stop, std::move(f));
    }
    void call(Channel<int>::Sending op, Limits limit, Stop stop, Callback<Channel<int>::Sending> f) override {
        host_.call(std::move(op), limit, stop, std::move(f));
    }
    void call(Channel<int>::Receiving op, Limits limit, Stop stop, Callback<Channel<int>::Receiving> f) override {
        host_.call(std::move(op), limit, stop, std::move(f));
    }

private:
    [[noreturn]] static void refuse() { throw std::logic_error("the host cannot do that, as its traits say"); }

    Host host_;
};

/// A host for `tested_hosts`.
template <class Host>
TestedHost tested_host(std::string name = {}) {
    return {.name = std::move(name),
            .traits = {.ends_by_itself = Host::ends_by_itself,
                       .may_end_first = Host::may_end_first,
                       .may_end_in_job = Host::may_end_in_job,
                       .nests = Host::nests,
                       .has_own_events = Host::has_own_events,
                       .is_agent = Host::is_agent,
                       .takes_stops = Host::takes_stops,
                       .tells_sleep = Host::tells_sleep},
            .make = []() -> std::unique_ptr<AnyHost> { return std::make_unique<HostAdapter<Host>>(); }};
}

}  // namespace futon::test
