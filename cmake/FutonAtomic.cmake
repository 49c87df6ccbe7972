# SPDX-License-Identifier: MIT
# Some compilers call a library for atomic operations of some sizes (GCC 12 on riscv64 for one and two bytes, several on
# 32 bits for eight). The functions are inlined into programs that use futon, so these must link it too.

include(CheckCXXSourceCompiles)

# Whether a program with all of them links, with the libraries that are named.
function(futon_check_atomics result)
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
    set(CMAKE_REQUIRED_INCLUDES ${futon_platform_standard_headers})
    set(CMAKE_REQUIRED_FLAGS ${futon_platform_compile_options})
    list(JOIN CMAKE_REQUIRED_FLAGS " " CMAKE_REQUIRED_FLAGS)
    check_cxx_source_compiles("
        #include <atomic>
        #include <cstdint>
        struct Pair { std::uint32_t first, second; };
        template <class T>
        T all(T value) {
            static std::atomic<T> cell{T{}};
            T seen = cell.exchange(value);
            cell.compare_exchange_strong(seen, value);
            cell.store(value);
            return cell.load();
        }
        template <class T>
        T integer(T value) {
            static T cell{};
            std::atomic_ref<T> word(cell);
            return static_cast<T>(all(value) + word.fetch_add(value) + word.fetch_and(value) + word.exchange(value));
        }
        int main(int count, char**) {
            return static_cast<int>(integer<std::uint8_t>(count) + integer<std::uint16_t>(count) +
                                    integer<std::uint32_t>(count) + integer<std::uint64_t>(count) +
                                    all(Pair{1, 2}).first);
        }" ${result})
endfunction()

futon_check_atomics(FUTON_ATOMICS_ARE_INLINE)
if(NOT FUTON_ATOMICS_ARE_INLINE)
    futon_check_atomics(FUTON_ATOMICS_ARE_IN_LIBATOMIC atomic)
    if(NOT FUTON_ATOMICS_ARE_IN_LIBATOMIC)
        message(FATAL_ERROR "futon needs atomic operations on 1, 2, 4 and 8 bytes; neither the compiler nor -latomic "
                            "has all of them")
    endif()
    set(futon_atomic_library atomic)
    set(futon_atomic_flag -latomic)
endif()
