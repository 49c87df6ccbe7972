// SPDX-License-Identifier: MIT
#include <futon/glib.hpp>

#include <thread>

#include <futon/futon.hpp>

int main() {
    futon::glib::Loop loop;
    futon::Event event;
    bool is_called = false;
    futon::call_back(event.waiting(), [&](futon::WaitResult result) { is_called = result == futon::WaitResult::ok; });
    std::jthread setter([&] { event.set(); });
    while (!is_called) g_main_context_iteration(nullptr, TRUE);
}
