// SPDX-License-Identifier: MIT
#include "plugin.hpp"

#include <thread>
#include <typeinfo>

std::size_t notify_in_plugin(std::atomic<int>& word) {
    std::size_t woken = 0;
    std::jthread([&] { woken = futon::notify(word); }).join();
    return woken;
}

const futon::Agent* agent_in_plugin() {
    return &futon::Agent::current();
}

void wait_in_plugin(std::atomic<int>& word) {
    futon::wait(word, 0);
}

bool is_event_loop(futon::core::LoopBase& loop) {
    return typeid(loop) == typeid(futon::EventLoop) &&
           dynamic_cast<futon::EventLoop*>(static_cast<futon::Executor*>(&loop)) != nullptr;
}

futon::Promise<int> promise_of_plugin(std::atomic<int>& word) {
    co_await futon::wait_async(word, 0);
    throw futon::BrokenPromise("of the plugin");
}
