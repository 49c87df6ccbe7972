// SPDX-License-Identifier: MIT
#pragma once

/// A symbol that other objects can find by its name, whatever the visibility of the rest.
#define FUTON_SYMBOL __attribute__((visibility("default")))

namespace futon::platform {

/// The dynamic linker's list of objects.
struct SharedObject {
    static const void* first_published(const char* name, const void* own) noexcept;
};

}  // namespace futon::platform
