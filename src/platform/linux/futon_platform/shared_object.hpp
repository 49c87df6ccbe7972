// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string_view>

// A note of the ELF file: it is loaded, has no name that a linker could hide, and is kept by linkers that drop what nothing
// refers to. It has the distance to the record and that to the beginning of the file, both from where the note was linked:
// tools that edit ELF files move notes, and only notes.
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

/// The dynamic linker's list of objects. Those that were loaded by dlmopen have lists of their own.
struct SharedObject {
    using Visitor = void (*)(void* context, const void* record, const char* name) noexcept;

    static void visit_published(Visitor visitor, void* context) noexcept;
    static void keep_loaded(const char* name) noexcept;
    static std::string_view path_of(const char* name) noexcept;
    static void say(std::initializer_list<std::string_view> parts) noexcept;
};

}  // namespace futon::platform
