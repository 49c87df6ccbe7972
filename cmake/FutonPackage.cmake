# SPDX-License-Identifier: MIT
# CPack: a source archive, and Debian packages of the three components. `./dev package` calls it.

if(NOT futon_library_type STREQUAL "SHARED_LIBRARY")
    message(FATAL_ERROR "FUTON_PACKAGE: the Debian packages are of a shared library; set BUILD_SHARED_LIBS")
endif()
if(NOT FUTON_INSTALL)
    message(FATAL_ERROR "FUTON_PACKAGE: there is nothing to package without FUTON_INSTALL")
endif()

set(futon_package_runtime libfuton${futon_soversion})
set(futon_package_development libfuton-dev)
set(futon_package_docs futon-doc)

# The library is stripped, and its debug information a package of its own, with which gdb's commands show who waits. Where it was
# built is said nowhere.
target_compile_options(futon PRIVATE -g -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}=.)

# Where Debian looks for the licence of each package.
foreach(component runtime development docs)
    install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${futon_package_${component}} RENAME copyright
            COMPONENT ${component})
endforeach()

set(CPACK_PACKAGE_NAME futon)
set(CPACK_PACKAGE_VENDOR "the futon authors")
# Debian wants an address; a publisher of the packages gives a real one: -DCPACK_PACKAGE_CONTACT=...
if(NOT CPACK_PACKAGE_CONTACT)
    set(CPACK_PACKAGE_CONTACT "the futon authors <authors@futon.invalid>")
endif()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL runtime development docs)

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME futon-${PROJECT_VERSION})
# What git ignores, and git itself.
set(CPACK_SOURCE_IGNORE_FILES
    /\\.git/ /\\.git$ "^${CMAKE_CURRENT_SOURCE_DIR}/build/" /node_modules/ /__pycache__/
    /bindings/node/build/ /bindings/node/library/ /bindings/node/prebuilds/ "/bindings/node/LICENSE$" "\\.tgz$"
    /bindings/node/examples/addon/build/ /bindings/node/test/addon/build/ /bindings/node/web/
    /bindings/web/build/ /bindings/web/dist/ "/bindings/web/LICENSE$")

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(component runtime development docs)
    string(TOUPPER ${component} name)
    set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${futon_package_${component}})
endforeach()
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The shared library.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, the files for CMake and pkg-config, and the commands for gdb.")
set(CPACK_COMPONENT_DOCS_DESCRIPTION "The guide, the memory model, the decisions, and the examples.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_RUNTIME_DEBUGINFO_PACKAGE ON)  # which strips the library
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${futon_package_runtime} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "${futon_package_docs}, ${futon_package_runtime}-dbgsym, gdb")
set(CPACK_DEBIAN_DOCS_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCS_PACKAGE_ARCHITECTURE all)

include(CPack)
