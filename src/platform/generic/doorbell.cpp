// SPDX-License-Identifier: MIT
#include "doorbell.hpp"

#include <system_error>

namespace futon::platform {

int Doorbell::native_handle() {
    throw std::system_error(std::make_error_code(std::errc::function_not_supported),
                            "futon::EventLoop::native_handle: the portable platform has no descriptors");
}

}  // namespace futon::platform
