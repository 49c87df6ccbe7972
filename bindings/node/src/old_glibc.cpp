// SPDX-License-Identifier: MIT
// What the prebuilt binary would take from a newer glibc than it promises to run with (2.28, that of Node 18 itself): here
// it is hidden, in terms of older functions. The compiler's own library refers to it. A build for one system needs none of this.
#include <cstdint>
#include <cstdlib>

#include <unistd.h>

#if defined(__x86_64__)
#define FUTON_FIRST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FUTON_FIRST_GLIBC "GLIBC_2.17"
#else
#error "The prebuilt binary is made for x86-64 and AArch64 only"
#endif

extern "C" {

// Of glibc 2.34 it is a part of libc; before, of libdl, which Node has loaded.
void* futon_first_dlsym(void* handle, const char* name);
__asm__(".symver futon_first_dlsym,dlsym@" FUTON_FIRST_GLIBC);

[[gnu::visibility("hidden")]] void* dlsym(void* handle, const char* name) {
    return futon_first_dlsym(handle, name);
}

// Of glibc 2.32. A process of Node has several threads from its beginning.
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;  // NOLINT(bugprone-reserved-identifier)

// Of glibc 2.36; std::random_device calls it.
[[gnu::visibility("hidden")]] std::uint32_t arc4random() {
    std::uint32_t value = 0;
    if (getentropy(&value, sizeof value) != 0) std::abort();
    return value;
}
}
