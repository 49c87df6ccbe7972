// SPDX-License-Identifier: MIT
//
// This file is compiled without the calls that it receives. It uses nothing that another file might have compiled with them:
// of an inline function the linker keeps one copy, whichever that is.
#include "recorder.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace futon::test {

namespace {

struct Entry {
    Line line;
    Cores holders;  // who has the line in its cache; one alone, if it was written last
};

constexpr std::size_t capacity = 4096;
Entry entries[capacity];  // by the line's number, the next free place where another has it
std::size_t transferred = 0;
char is_locked = 0;
constinit thread_local int this_core = -1;

struct Hold {
    Hold() noexcept {
        while (__atomic_test_and_set(&is_locked, __ATOMIC_ACQUIRE)) {
        }
    }
    ~Hold() { __atomic_clear(&is_locked, __ATOMIC_RELEASE); }
};

Entry& entry_of(std::uintptr_t address) noexcept {
    std::size_t place = (address / line_size * 0x9e3779b97f4a7c15U) >> 52;
    for (std::size_t tried = 0; tried < capacity; ++tried, place = (place + 1) % capacity) {
        Line& line = entries[place].line;
        if (line.address == 0) line.address = address;
        if (line.address == address) return entries[place];
    }
    std::fputs("the recorder has room for no more lines\n", stderr);
    std::abort();
}

void access_line(std::uintptr_t address, bool is_write, const void* where) noexcept {
    const Hold hold;
    Entry& entry = entry_of(address);
    const auto self = static_cast<Cores>(1 << this_core);
    const auto others = static_cast<Cores>(entry.holders & ~self);
    const bool is_first = ((entry.line.readers | entry.line.writers) & self) == 0;
    if (is_write) {
        if (others != 0) ++transferred;
        if (is_first || (entry.line.writers & self) == 0) entry.line.where[static_cast<std::size_t>(this_core)] = where;
        entry.line.writers |= self;
        entry.holders = self;
    } else {
        if ((entry.holders & self) == 0 && others != 0) ++transferred;
        if (is_first) entry.line.where[static_cast<std::size_t>(this_core)] = where;
        entry.line.readers |= self;
        entry.holders |= self;
    }
}

void access(const volatile void* begin, std::size_t size, bool is_write, const void* where) noexcept {
    if (this_core < 0 || size == 0) return;
    const auto first = reinterpret_cast<std::uintptr_t>(begin) & ~(line_size - 1);
    const auto end = reinterpret_cast<std::uintptr_t>(begin) + size;
    for (std::uintptr_t line = first; line < end; line += line_size) access_line(line, is_write, where);
}

}  // namespace

std::string Line::describe() const {
    char text[64];
    std::snprintf(text, sizeof text, "line %#zx:", static_cast<std::size_t>(address));
    std::string all = text;
    for (std::size_t core = 0; core < max_cores; ++core) {
        if (where[core] == nullptr) continue;
        const auto self = static_cast<Cores>(1 << core);
        Dl_info info{};
        dladdr(where[core], &info);
        const auto offset = static_cast<const char*>(where[core]) - static_cast<const char*>(info.dli_fbase);
        std::snprintf(text, sizeof text, " core %zu %s at +%#zx in ", core, (writers & self) != 0 ? "writes" : "reads",
                      static_cast<std::size_t>(offset));
        all += text;
        all += info.dli_sname != nullptr ? info.dli_sname : "?";
    }
    return all;
}

void Recorder::begin() noexcept {
    const Hold hold;
    for (Entry& entry : entries) entry = {};
    transferred = 0;
}

void Recorder::count_anew() noexcept {
    const Hold hold;
    for (Entry& entry : entries) {
        entry.line.readers = entry.line.writers = 0;
        for (const void*& where : entry.line.where) where = nullptr;
    }
    transferred = 0;
}

std::size_t Recorder::transfers() noexcept {
    const Hold hold;
    return transferred;
}

std::vector<Line> Recorder::shared(Cores one, Cores other) {
    const Hold hold;
    std::vector<Line> found;
    for (const Entry& entry : entries) {
        const Line& line = entry.line;
        const auto users = static_cast<Cores>(line.readers | line.writers);
        if (((line.writers & one) != 0 && (users & other) != 0) || ((line.writers & other) != 0 && (users & one) != 0))
            found.push_back(line);
    }
    return found;
}

OnCore::OnCore(int core) noexcept {
    this_core = core;
}

OnCore::~OnCore() {
    this_core = -1;
}

}  // namespace futon::test

// What the compiler calls.

#define FUTON_WHERE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** place, void*) {
    futon::test::access(place, sizeof *place, true, FUTON_WHERE);
}
void __tsan_vptr_read(void** place) {
    futon::test::access(place, sizeof *place, false, FUTON_WHERE);
}
void __tsan_read_range(void* begin, std::size_t size) {
    futon::test::access(begin, size, false, FUTON_WHERE);
}
void __tsan_write_range(void* begin, std::size_t size) {
    futon::test::access(begin, size, true, FUTON_WHERE);
}
void __tsan_atomic_thread_fence(int) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define FUTON_PLAIN(size)                                     \
    void __tsan_read##size(void* place) {                     \
        futon::test::access(place, size, false, FUTON_WHERE); \
    }                                                         \
    void __tsan_write##size(void* place) {                    \
        futon::test::access(place, size, true, FUTON_WHERE);  \
    }                                                         \
    void __tsan_unaligned_read##size(void* place) {           \
        futon::test::access(place, size, false, FUTON_WHERE); \
    }                                                         \
    void __tsan_unaligned_write##size(void* place) {          \
        futon::test::access(place, size, true, FUTON_WHERE);  \
    }
FUTON_PLAIN(1)
FUTON_PLAIN(2)
FUTON_PLAIN(4)
FUTON_PLAIN(8)
FUTON_PLAIN(16)

// Whatever the order that is asked for: the strongest. A failed compare-and-exchange takes the line as one that succeeds does.
#define FUTON_CHANGE(bits, type, name)                                           \
    type __tsan_atomic##bits##_##name(volatile type* place, type operand, int) { \
        futon::test::access(place, sizeof *place, true, FUTON_WHERE);            \
        return __atomic_##name(place, operand, __ATOMIC_SEQ_CST);                \
    }
#define FUTON_COMPARE(bits, type, name)                                                                               \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type* place, type* expected, type desired, int, int) { \
        futon::test::access(place, sizeof *place, true, FUTON_WHERE);                                                 \
        return __atomic_compare_exchange_n(place, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);      \
    }
#define FUTON_ATOMIC(bits, type)                                                 \
    type __tsan_atomic##bits##_load(const volatile type* place, int) {           \
        futon::test::access(place, sizeof *place, false, FUTON_WHERE);           \
        return __atomic_load_n(place, __ATOMIC_SEQ_CST);                         \
    }                                                                            \
    void __tsan_atomic##bits##_store(volatile type* place, type value, int) {    \
        futon::test::access(place, sizeof *place, true, FUTON_WHERE);            \
        __atomic_store_n(place, value, __ATOMIC_SEQ_CST);                        \
    }                                                                            \
    type __tsan_atomic##bits##_exchange(volatile type* place, type value, int) { \
        futon::test::access(place, sizeof *place, true, FUTON_WHERE);            \
        return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);              \
    }                                                                            \
    FUTON_CHANGE(bits, type, fetch_add)                                          \
    FUTON_CHANGE(bits, type, fetch_sub)                                          \
    FUTON_CHANGE(bits, type, fetch_and)                                          \
    FUTON_CHANGE(bits, type, fetch_or)                                           \
    FUTON_CHANGE(bits, type, fetch_xor)                                          \
    FUTON_COMPARE(bits, type, strong)                                            \
    FUTON_COMPARE(bits, type, weak)
FUTON_ATOMIC(8, std::uint8_t)
FUTON_ATOMIC(16, std::uint16_t)
FUTON_ATOMIC(32, std::uint32_t)
FUTON_ATOMIC(64, std::uint64_t)

}  // extern "C"
