# What is installed, and how others find it: the program with what it reads (cli/, runtime/), libwarpwatt with its one header
# (api/), pkg-config and CMake packages, manual pages and completions, the Python module; and the Debian package of all.
include(CMakePackageConfigHelpers)

install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpwatt/configs)
install(DIRECTORY mech/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpwatt/mech FILES_MATCHING PATTERN "*.xml" PATTERN "*.csv")
install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "*.sh" EXCLUDE) # README links to it
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ---- libwarpwatt ----
install(TARGETS libwarpwatt EXPORT warpwatt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES api/warpwatt.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT warpwatt NAMESPACE warpwatt:: FILE warpwatt-targets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/warpwatt)
file(WRITE ${PROJECT_BINARY_DIR}/warpwatt-config.cmake "include(\${CMAKE_CURRENT_LIST_DIR}/warpwatt-targets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpwatt-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpwatt-config.cmake ${PROJECT_BINARY_DIR}/warpwatt-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/warpwatt)

# The prefix is found from where the file lies, so that an installation can be moved.
file(RELATIVE_PATH WW_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" WW_PREFIX_FROM_PC "${WW_PREFIX_FROM_PC}")
configure_file(cmake/warpwatt.pc.in warpwatt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/warpwatt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- the Debian package: cmake --preset package, cmake --build --preset package, cpack --preset package ----
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpwatt)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GPU power and energy modelling for computer architects")
set(CPACK_PACKAGE_CONTACT "WarpWatt developers <warpwatt@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"WarpWatt tells what a GPU kernel costs, in cycles, joules and square
millimetres, and where they go. It runs CUDA kernels (PTX) on a cycle-level
simulator and turns the activity of every structure into energy with
circuit-level models. This package has the program, the shared library with
its header, and the Python module.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib/warpwatt)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # and the trigger of ldconfig
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, python3-numpy, python3-pandas, pkg-config")
# What Debian wants of documents: the licence under its name, changelog and manual pages compressed.
if(NOT WW_SOURCE_PATHS)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
  install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME changelog)
  install(CODE "
    file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/warpwatt*.1\")
    execute_process(COMMAND gzip -9nf \${pages} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/changelog\" COMMAND_ERROR_IS_FATAL ANY)")
endif()
include(CPack)
