// SPDX-License-Identifier: MIT
#include "platform/shared_object.hpp"

#include <dlfcn.h>

namespace futon::platform {

const void* SharedObject::first_published(const char* name, const void* own) noexcept {
    // Objects that were loaded for themselves alone, as plugins are, do not see each other's symbols. From here on this
    // one can be seen; and since the linker appends it to its list under a lock, all later searches find the same first.
    Dl_info object{};
    if (dladdr(own, &object) != 0) dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL | RTLD_NODELETE);
    const void* first = dlsym(RTLD_DEFAULT, name);
    return first != nullptr ? first : own;
}

}  // namespace futon::platform
