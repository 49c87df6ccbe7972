# SPDX-License-Identifier: MIT
# futon::diagnostics: the library once more, of the same sources, with a probe that sees who waits. See docs/diagnostics.md.

set(diagnostics_folder ${PROJECT_SOURCE_DIR}/src/diagnostics)
set(diagnostics_sources)
foreach(part thread select sync loop tasks sync_tasks memory private_table)
    list(APPEND diagnostics_sources ${futon_${part}_sources})
endforeach()
# Its waiters are larger, so that it shares no queues with a copy of the library that lacks the probe. Where other copies may be loaded
# beside it, as in Node, it publishes that, and the later of two says that they share none.
if(NOT futon_diagnostics_publishes)
    list(REMOVE_ITEM diagnostics_sources ${futon_common_table_sources} ${futon_shared_object_sources})
    list(APPEND diagnostics_sources ${futon_own_table_sources})
endif()
list(REMOVE_DUPLICATES diagnostics_sources)
set_source_files_properties(${futon_diagnostics_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

add_library(futon_diagnostics STATIC ${diagnostics_sources} ${futon_seldom_sources} ${futon_diagnostics_sources})
add_library(futon::diagnostics ALIAS futon_diagnostics)
set_target_properties(futon_diagnostics PROPERTIES EXPORT_NAME diagnostics POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
    UNITY_BUILD ${FUTON_UNITY_BUILD} UNITY_BUILD_MODE GROUP)
include(${diagnostics_folder}/timeline/timeline.cmake)
target_sources(futon_diagnostics PRIVATE ${futon_timeline_source})
set_source_files_properties(${futon_timeline_source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

target_compile_options(futon_diagnostics PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)  # as in futon itself
target_compile_features(futon_diagnostics PUBLIC cxx_std_20)
target_include_directories(futon_diagnostics BEFORE
    PUBLIC "$<BUILD_INTERFACE:${diagnostics_folder}/probe;${futon_platform_headers};${PROJECT_SOURCE_DIR}/include>"
           "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/futon-diagnostics;${CMAKE_INSTALL_INCLUDEDIR}>"
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${futon_platform_folders})
target_link_libraries(futon_diagnostics PUBLIC Threads::Threads ${futon_atomic_library} ${futon_platform_libraries}
    PRIVATE ${CMAKE_DL_LIBS})
target_compile_options(futon_diagnostics PUBLIC ${futon_platform_compile_options})
target_link_options(futon_diagnostics PUBLIC ${futon_platform_link_options})
target_compile_definitions(futon_diagnostics PUBLIC FUTON_STATIC $<$<BOOL:${FUTON_CHECKED}>:FUTON_CHECKED>)
futon_develop_options(futon_diagnostics)

if(NOT FUTON_INSTALL)
    set_target_properties(futon_diagnostics PROPERTIES EXCLUDE_FROM_ALL ON)  # built where a project links it
else()
    install(TARGETS futon_diagnostics EXPORT futon-targets ARCHIVE COMPONENT development)
    install(FILES ${diagnostics_folder}/probe/futon/core/probe.hpp ${diagnostics_folder}/probe/futon/core/probe_actor.hpp
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/futon-diagnostics/futon/core COMPONENT development)
    # Where things are, FutonInstall has said. Always the flags of a static library, whatever futon itself is.
    set(futon_diagnostics_pc_cflags " -DFUTON_STATIC")
    if(FUTON_CHECKED)
        string(APPEND futon_diagnostics_pc_cflags " -DFUTON_CHECKED")
    endif()
    set(libraries ${futon_atomic_library} ${futon_platform_libraries} ${CMAKE_DL_LIBS})
    list(TRANSFORM libraries PREPEND -l)
    list(JOIN libraries " " futon_diagnostics_pc_libraries)
    configure_file(packaging/futon_diagnostics.pc.in ${CMAKE_CURRENT_BINARY_DIR}/futon_diagnostics.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/futon_diagnostics.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
            COMPONENT development)
endif()
