// SPDX-License-Identifier: MIT
#include "platform/spin.hpp"

#include <bit>

#include "platform/windows/windows.hpp"

namespace futon::platform {

namespace {

bool may_use_several() noexcept {
    DWORD_PTR of_process = 0;
    DWORD_PTR of_system = 0;
    // The mask is zero if the process has threads in several groups of processors.
    return GetProcessAffinityMask(GetCurrentProcess(), &of_process, &of_system) == 0 || of_process == 0 ||
           std::popcount(of_process) > 1;
}

}  // namespace

void Spinner::yield() noexcept {
    SwitchToThread();
}

const bool Spinner::has_several_processors = may_use_several();

constinit thread_local Spinner::Success Spinner::last_success;
constinit thread_local LastYields Spinner::last_yields;

}  // namespace futon::platform
