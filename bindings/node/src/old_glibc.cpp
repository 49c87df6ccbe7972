// SPDX-License-Identifier: MIT
// What the prebuilt binary would take from a newer glibc than it promises to run with (2.28, that of Node 18 itself): here
// it is hidden, in terms of older functions. The compiler's own library refers to it. A build for one system needs none of this.
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include <pthread.h>
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

// Of glibc 2.34 and 2.32 these are parts of libc; before, of libpthread, which Node has loaded.
int futon_first_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                               void* argument);
int futon_first_pthread_detach(pthread_t thread);
int futon_first_pthread_join(pthread_t thread, void** result);
int futon_first_pthread_sigmask(int how, const sigset_t* set, sigset_t* old);
__asm__(".symver futon_first_pthread_create,pthread_create@" FUTON_FIRST_GLIBC);
__asm__(".symver futon_first_pthread_detach,pthread_detach@" FUTON_FIRST_GLIBC);
__asm__(".symver futon_first_pthread_join,pthread_join@" FUTON_FIRST_GLIBC);
__asm__(".symver futon_first_pthread_sigmask,pthread_sigmask@" FUTON_FIRST_GLIBC);

[[gnu::visibility("hidden")]] int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                                 void* (*start)(void*), void* argument) noexcept {
    return futon_first_pthread_create(thread, attributes, start, argument);
}
[[gnu::visibility("hidden")]] int pthread_detach(pthread_t thread) noexcept {
    return futon_first_pthread_detach(thread);
}
[[gnu::visibility("hidden")]] int pthread_join(pthread_t thread, void** result) {
    return futon_first_pthread_join(thread, result);
}
[[gnu::visibility("hidden")]] int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
    return futon_first_pthread_sigmask(how, set, old);
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
