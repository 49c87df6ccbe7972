// SPDX-License-Identifier: MIT
#include "platform/doorbell.hpp"

#include <system_error>

namespace futon::platform {

NativeHandle Doorbell::native_handle() {
    throw std::system_error(std::make_error_code(std::errc::function_not_supported),
                            "futon::EventLoop::native_handle: the portable platform has no native handles");
}

}  // namespace futon::platform
