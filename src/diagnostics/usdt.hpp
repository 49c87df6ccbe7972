// SPDX-License-Identifier: MIT
#pragma once

// Static trace points, for bpftrace, SystemTap and perf, where the system's header is there: an instruction that does nothing
// until a tool is attached. The arguments are an address, and what docs/diagnostics.md says.
#if __has_include(<sys/sdt.h>)
#include <sys/sdt.h>
#define FUTON_USDT(name, ...) FUTON_USDT_OF(name, __VA_ARGS__)
#define FUTON_USDT_OF(name, address, number) DTRACE_PROBE2(futon, name, address, number)
#else
#define FUTON_USDT(name, address, number) static_cast<void>(0)
#endif
