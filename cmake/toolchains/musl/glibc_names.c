// SPDX-License-Identifier: MIT
// The functions of glibc that Debian's libc++ and libgcc call, and that musl lacks: those of _FORTIFY_SOURCE, whose checks are
// left out, two of a locale, of which musl's numbers know none, one for exceptions, and one for thread_local objects. And one that
// musl has with another result.
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// glibc's returns the text, and musl's a number. <string.h>, which says so, is not included here.
char* strerror(int number);
char* strerror_r(int number, char* text, size_t size) {
    (void)text;
    (void)size;
    return strerror(number);
}

int __vasprintf_chk(char** text, int flag, const char* format, va_list arguments) {
    (void)flag;
    return vasprintf(text, format, arguments);
}

int __vfprintf_chk(FILE* file, int flag, const char* format, va_list arguments) {
    (void)flag;
    return vfprintf(file, format, arguments);
}

int __vsnprintf_chk(char* text, size_t size, int flag, size_t room, const char* format, va_list arguments) {
    (void)flag;
    (void)room;
    return vsnprintf(text, size, format, arguments);
}

long long strtoll_l(const char* text, char** end, int base, void* locale) {
    (void)locale;
    return strtoll(text, end, base);
}

unsigned long long strtoull_l(const char* text, char** end, int base, void* locale) {
    (void)locale;
    return strtoull(text, end, base);
}

// Where a part of the program that is in memory says how its stack is unwound.
struct dl_find_object {
    unsigned long long flags;
    void *start, *end;
    void* link_map;
    void* eh_frame;
    unsigned long long reserved[7];
};

struct search {
    uintptr_t address;
    struct dl_find_object* found;
};

static int look_into(struct dl_phdr_info* part, size_t size, void* data) {
    (void)size;
    struct search* search = data;
    void* eh_frame = NULL;
    int is_here = 0;
    for (int i = 0; i < part->dlpi_phnum; ++i) {
        const ElfW(Phdr)* header = &part->dlpi_phdr[i];
        const uintptr_t start = part->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_EH_FRAME) eh_frame = (void*)start;
        if (header->p_type != PT_LOAD || search->address - start >= header->p_memsz) continue;
        is_here = 1;
        search->found->start = (void*)start;
        search->found->end = (void*)(start + header->p_memsz);
    }
    search->found->eh_frame = eh_frame;
    return is_here && eh_frame != NULL;
}

int _dl_find_object(void* address, struct dl_find_object* found) {
    *found = (struct dl_find_object){0};
    struct search search = {(uintptr_t)address, found};
    return dl_iterate_phdr(look_into, &search) ? 0 : -1;
}

// The destructors of a thread's objects, the last one first. They run when the thread ends, and those of the main thread at exit.
struct destructor {
    void (*call)(void*);
    void* object;
    struct destructor* next;
};

static _Thread_local struct destructor* destructors;
static pthread_key_t at_end_of_thread;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void call_destructors(void) {
    while (destructors != NULL) {
        struct destructor* first = destructors;
        destructors = first->next;
        first->call(first->object);
        free(first);
    }
}

static void end_of_thread(void* is_set) {
    (void)is_set;
    call_destructors();
}

static void prepare(void) {
    pthread_key_create(&at_end_of_thread, end_of_thread);
    atexit(call_destructors);
}

int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void* part) {
    (void)part;
    pthread_once(&once, prepare);
    struct destructor* added = malloc(sizeof *added);
    if (added == NULL) return -1;
    *added = (struct destructor){call, object, destructors};
    destructors = added;
    return pthread_setspecific(at_end_of_thread, &destructors);
}
