# An overlay port of the sources it lies in: vcpkg install futon --overlay-ports=<these sources>/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

if(VCPKG_TARGET_IS_LINUX)
    set(FUTON_PLATFORM linux)
elseif(VCPKG_TARGET_IS_WINDOWS)
    set(FUTON_PLATFORM windows)
else()
    set(FUTON_PLATFORM generic)
endif()
vcpkg_cmake_configure(SOURCE_PATH ${SOURCE_PATH} OPTIONS -DFUTON_PLATFORM=${FUTON_PLATFORM} -DFUTON_INSTALL=ON)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/futon)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE
    ${CURRENT_PACKAGES_DIR}/debug/include ${CURRENT_PACKAGES_DIR}/debug/share ${CURRENT_PACKAGES_DIR}/share/doc)
vcpkg_install_copyright(FILE_LIST ${SOURCE_PATH}/LICENSE)
file(INSTALL ${CURRENT_PORT_DIR}/usage DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
