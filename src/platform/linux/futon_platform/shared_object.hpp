// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string_view>

// A note of the ELF file: it is loaded, has no name that a linker could hide, and linkers keep it although nothing
// refers to it. It has the distances to the record and to the beginning of the file, both from the place where the note
// was linked: tools that edit ELF files move notes, and only notes.
#define FUTON_PUBLISH(record)                    \
    __asm__(                                     \
        ".pushsection .note.futon,\"a\",%note\n" \
        ".balign 4\n"                            \
        ".long 6, 8, 1\n" /* sizes; the type */  \
        ".asciz \"futon\"\n"                     \
        ".balign 4\n"                            \
        ".hidden " #record                       \
        "\n"                                     \
        ".hidden __ehdr_start\n"                 \
        ".long " #record                         \
        " - .\n"                                 \
        ".long __ehdr_start - .\n"               \
        ".popsection\n")

namespace futon::platform {

/// The dynamic linker's list of objects. Objects that dlmopen loaded are in lists of their own.
struct SharedObject {
    using Visitor = void (*)(void* context, const void* record, const char* name) noexcept;

    static void visit_published(Visitor visitor, void* context) noexcept;
    static void keep_loaded(const char* name) noexcept;
    static std::string_view path_of(const char* name) noexcept;
    static void say(std::initializer_list<std::string_view> parts) noexcept;
};

}  // namespace futon::platform
