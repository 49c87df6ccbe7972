// SPDX-License-Identifier: MIT
#include "platform/asymmetric_fence.hpp"

#include "platform/windows/windows.hpp"

namespace futon::platform {

namespace {

/// Wine's `FlushProcessWriteBuffers` does nothing, at least up to version 8.
bool runs_on_wine() noexcept {
    const HMODULE system = GetModuleHandleA("ntdll.dll");
    return system != nullptr && GetProcAddress(system, "wine_get_version") != nullptr;
}
const bool has_fence = !runs_on_wine();

}  // namespace

/// Until the constructor of this file has run there is none.
bool AsymmetricFence::heavy() noexcept {
    if (has_fence) FlushProcessWriteBuffers();
    return has_fence;
}

}  // namespace futon::platform
