// SPDX-License-Identifier: MIT
#include "platform/shared_object.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <sys/uio.h>
#include <unistd.h>

// A static program may have none, and needs none.
#pragma weak dlsym

namespace futon::platform {

namespace {

struct Search {
    SharedObject::Visitor visitor;
    void* context;
};

constexpr char owner[] = "futon";
constexpr std::uint32_t note_type = 1;
struct Distances {
    std::int32_t to_record;     // from here
    std::int32_t to_beginning;  // from here, too
};

constexpr std::size_t aligned(std::size_t size, std::size_t alignment) noexcept {
    return (size + alignment - 1) / alignment * alignment;
}

/// Copies an object that may be unaligned.
template <class T>
T value_at(const std::byte* place) noexcept {
    T value;
    std::memcpy(&value, place, sizeof value);
    return value;
}

const std::byte* address(const dl_phdr_info& object, std::uintptr_t offset) noexcept {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says where an object is by a number
    return reinterpret_cast<const std::byte*>(object.dlpi_addr + offset);
}

bool is_loaded(const dl_phdr_info& object, std::uintptr_t offset, std::size_t size) noexcept {
    for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object.dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && offset >= segment.p_vaddr && size <= segment.p_memsz &&
            offset - segment.p_vaddr <= segment.p_memsz - size)
            return true;
    }
    return false;
}

/// The record, if it is one: a record begins with its own address. When the file was linked, it began with its first
/// segment; a tool that edits programs may have put another before that.
const void* record_of(const dl_phdr_info& object, const Distances& distances) noexcept {
    const std::ptrdiff_t between = offsetof(Distances, to_beginning) - offsetof(Distances, to_record);
    const auto from_beginning =
        static_cast<std::uintptr_t>(std::ptrdiff_t{distances.to_record} - distances.to_beginning - between);
    for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
        if (object.dlpi_phdr[i].p_type != PT_LOAD) continue;
        const std::uintptr_t offset = object.dlpi_phdr[i].p_vaddr + from_beginning;
        if (!is_loaded(object, offset, sizeof(void*))) continue;
        const std::byte* record = address(object, offset);
        if (value_at<const std::byte*>(record) == record) return record;
    }
    return nullptr;
}

void visit_notes(const dl_phdr_info& object, const ElfW(Phdr) & segment, const Search& search) noexcept {
    const std::size_t alignment = segment.p_align == 8 ? 8 : 4;
    const std::byte* place = address(object, segment.p_vaddr);
    for (std::size_t left = segment.p_memsz; left >= sizeof(ElfW(Nhdr));) {
        const auto header = value_at<ElfW(Nhdr)>(place);
        const std::size_t before_content = aligned(sizeof header + header.n_namesz, alignment);
        const std::size_t size = aligned(before_content + header.n_descsz, alignment);
        if (before_content + header.n_descsz > left) return;
        if (header.n_type == note_type && header.n_namesz == sizeof owner && header.n_descsz >= sizeof(Distances) &&
            std::memcmp(place + sizeof header, owner, sizeof owner) == 0)
            search.visitor(search.context, record_of(object, value_at<Distances>(place + before_content)),
                           object.dlpi_name);
        if (size >= left) return;
        place += size;
        left -= size;
    }
}

int visit_object(dl_phdr_info* object, std::size_t, void* search) noexcept {
    for (std::size_t i = 0; i < object->dlpi_phnum; ++i)
        if (object->dlpi_phdr[i].p_type == PT_NOTE)
            visit_notes(*object, object->dlpi_phdr[i], *static_cast<const Search*>(search));
    return 0;
}

}  // namespace

void SharedObject::visit_published(Visitor visitor, void* context) noexcept {
    Search search{visitor, context};
    dl_iterate_phdr(visit_object, &search);
}

void SharedObject::keep_loaded(const char* name) noexcept {
    const bool is_program = *name == '\0';
    if (is_program || dlsym == nullptr) return;
    // Not by its name: in a static program linkers warn of that, though the program has no other object to keep.
    const auto open = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_DEFAULT, "dlopen"));
    if (open != nullptr) open(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

std::string_view SharedObject::path_of(const char* name) noexcept {
    if (*name != '\0') return name;
    static constinit std::array<char, 512> program{};
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size());
    return length > 0 ? std::string_view(program.data(), static_cast<std::size_t>(length)) : "the program";
}

void SharedObject::say(std::initializer_list<std::string_view> parts) noexcept {
    std::array<iovec, 16> pieces;
    int count = 0;
    for (std::string_view part : parts)
        pieces[static_cast<std::size_t>(count++)] = {const_cast<char*>(part.data()), part.size()};
    [[maybe_unused]] const ssize_t written =
        writev(STDERR_FILENO, pieces.data(), count);  // if it is closed, the line is lost
}

}  // namespace futon::platform
