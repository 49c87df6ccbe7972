# SPDX-License-Identifier: MIT
# futon in the loops of others, header-only: each a library futon::<adapter>, where what it needs is found, and a component of
# the package. An adapter's folder has its headers, and futon-<adapter>.cmake, which finds what it needs: it sets
# futon_<adapter>_libraries, and is installed, for find_package asks the same.
foreach(adapter IN LISTS FUTON_ADAPTERS)
    set(folder ${PROJECT_SOURCE_DIR}/adapters/${adapter})
    if(NOT EXISTS ${folder}/futon-${adapter}.cmake)
        continue()
    endif()
    # Another project asks for an adapter by adding this one; what is not found is not an error.
    include(${folder}/futon-${adapter}.cmake)
    if(futon_${adapter}_libraries)
        add_library(futon_${adapter} INTERFACE)
        add_library(futon::${adapter} ALIAS futon_${adapter})
        target_include_directories(futon_${adapter} INTERFACE ${folder})
        target_link_libraries(futon_${adapter} INTERFACE futon::futon ${futon_${adapter}_libraries})
    endif()
    if(FUTON_INSTALL)
        install(DIRECTORY ${folder}/futon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
        install(FILES ${folder}/futon-${adapter}.cmake DESTINATION ${futon_cmake_dir} COMPONENT development)
    endif()
endforeach()
