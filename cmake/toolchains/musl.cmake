# SPDX-License-Identifier: MIT
# Static programs with Debian's musl, by clang 19 and Debian's libc++ 19. That library was built for glibc, and uses a few
# names that musl lacks: cmake/toolchains/musl/glibc_names.c has them. So what is tried is futon over musl, and no C++ library for musl.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_TARGET x86_64-linux-musl)
endforeach()
set(CMAKE_CROSSCOMPILING_EMULATOR "")  # the processor runs them

set(llvm /usr/lib/llvm-19)
set(musl /usr/lib/x86_64-linux-musl)
file(GLOB gcc /usr/lib/gcc/x86_64-linux-gnu/12)

# The kernel's headers without glibc's, which are in the same folder.
set(kernel ${CMAKE_BINARY_DIR}/kernel_headers)
if(NOT EXISTS ${kernel}/linux)
    file(MAKE_DIRECTORY ${kernel})
    file(CREATE_LINK /usr/include/linux ${kernel}/linux SYMBOLIC)
    file(CREATE_LINK /usr/include/asm-generic ${kernel}/asm-generic SYMBOLIC)
    file(CREATE_LINK /usr/include/x86_64-linux-gnu/asm ${kernel}/asm SYMBOLIC)
endif()
set(includes "-isystem /usr/include/x86_64-linux-musl -isystem ${kernel}")
set(CMAKE_C_FLAGS_INIT "-nostdlibinc ${includes}")
set(CMAKE_CXX_FLAGS_INIT "-nostdlibinc -nostdinc++ -isystem ${llvm}/include/c++/v1 ${includes} -fexperimental-library -D_LIBCPP_HAS_MUSL_LIBC")

set(names ${CMAKE_BINARY_DIR}/glibc_names.o)
if(NOT EXISTS ${names})
    execute_process(COMMAND ${CMAKE_C_COMPILER} --target=x86_64-linux-musl -O1 -nostdlibinc -isystem /usr/include/x86_64-linux-musl
        -c ${CMAKE_CURRENT_LIST_DIR}/musl/glibc_names.c -o ${names} COMMAND_ERROR_IS_FATAL ANY)
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-static -nostdlib ${musl}/crt1.o ${musl}/crti.o ${gcc}/crtbeginT.o -L${musl} -L${llvm}/lib -L${gcc}")
set(CMAKE_CXX_STANDARD_LIBRARIES
    "${names} -Wl,--start-group -l:libc++.a -l:libc++abi.a -l:libc++experimental.a -lc -lgcc_eh -lgcc -Wl,--end-group ${gcc}/crtend.o ${musl}/crtn.o")
set(CMAKE_C_STANDARD_LIBRARIES ${CMAKE_CXX_STANDARD_LIBRARIES})
