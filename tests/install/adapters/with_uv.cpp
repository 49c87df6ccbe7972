// SPDX-License-Identifier: MIT
#include <futon/uv.hpp>

#include <thread>

#include <futon/futon.hpp>

int main() {
    uv_loop_t* const uv = uv_default_loop();
    futon::Event event;
    bool is_called = false;
    {
        futon::uv::Loop loop(uv);
        futon::call_back(event.waiting(),
                         [&](futon::WaitResult result) { is_called = result == futon::WaitResult::ok; });
        std::jthread setter([&] { event.set(); });
        uv_run(uv, UV_RUN_DEFAULT);
    }
    uv_run(uv, UV_RUN_DEFAULT);
    return is_called && uv_loop_close(uv) == 0 ? 0 : 1;
}
