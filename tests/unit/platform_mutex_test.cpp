// SPDX-License-Identifier: MIT
// The mutex of platforms that can sleep on an address, by threads that fall asleep.
#if defined(FUTON_PLATFORM_IS_linux) || defined(FUTON_PLATFORM_IS_windows) || defined(FUTON_PLATFORM_IS_emscripten)

#include <thread>
#include <vector>

#ifdef FUTON_PLATFORM_IS_linux
#include <cerrno>
#include <cstddef>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "platform/asymmetric_fence.hpp"
#include "platform/mutex.hpp"
#include "support/gtest.hpp"

namespace {

using futon::platform::AsymmetricFence;
using futon::platform::Mutex;
using futon::platform::MutexLock;

/// Threads count under a mutex, and give up their processor while they hold it: so others spin for longer than they want to.
void expect_no_count_is_lost() {
    constexpr int threads = 4, times = 5'000;
    Mutex mutex;
    int count = 0;
    {
        std::vector<std::jthread> counters;
        for (int i = 0; i < threads; ++i)
            counters.emplace_back([&] {
                for (int time = 0; time < times; ++time) {
                    const MutexLock hold(mutex);
                    const int before = count;
                    if (time % 50 == 0)
                        for (int yields = 0; yields < 20; ++yields) std::this_thread::yield();
                    count = before + 1;
                }
            });
    }
    EXPECT_EQ(count, threads * times);
}

TEST(PlatformMutex, LosesNoThreadThatSleeps) {
    expect_no_count_is_lost();
}

TEST(PlatformMutex, IsHeldByOneThreadWhileOthersSleep) {
    constexpr int sleepers = 3;
    Mutex mutex;
    int count = 0;
    std::vector<std::jthread> threads;
    {
        const MutexLock hold(mutex);
        for (int i = 0; i < sleepers; ++i)
            threads.emplace_back([&] {
                const MutexLock hold_too(mutex);
                ++count;
            });
        for (int yields = 0; yields < 1'000; ++yields) std::this_thread::yield();
        EXPECT_EQ(count, 0);
    }
    threads.clear();
    EXPECT_EQ(count, sleepers);
}

#ifdef FUTON_PLATFORM_IS_linux
/// Whether from now on the kernel refuses `membarrier` to the calling thread, and to those that it starts.
bool refuse_membarrier() {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{.len = std::size(program), .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(PlatformMutex, LosesNoThreadWhereTheKernelHasNoFence) {
    bool is_refused = false;
    std::jthread([&] {
        is_refused = refuse_membarrier();
        if (!is_refused) return;
        EXPECT_FALSE(AsymmetricFence::heavy());
        expect_no_count_is_lost();
    }).join();
    if (!is_refused) GTEST_SKIP() << "this kernel filters no system calls";
}
#endif

}  // namespace

#endif
