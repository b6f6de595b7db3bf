# Project-wide build helpers: language level, warnings, sanitizers, and one function per kind of target.

find_package(PkgConfig REQUIRED)
find_package(LibXml2 REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(GSL REQUIRED IMPORTED_TARGET gsl)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # GNU attributes and vector extensions, behind base/compiler.h
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(ww_options INTERFACE)
target_include_directories(ww_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(ww_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wcast-qual -fno-common
  -ffp-contract=off -fno-math-errno)
if(CMAKE_C_COMPILER_ID MATCHES Clang) # takes NAN and isnan of the C library for floats
  target_compile_options(ww_options INTERFACE -Wno-double-promotion)
endif()
if(WW_WERROR)
  target_compile_options(ww_options INTERFACE -Werror)
endif()
if(WW_ASSERTS)
  target_compile_definitions(ww_options INTERFACE WW_ASSERTS)
endif()
if(NOT WW_MECHANISMS)
  target_compile_definitions(ww_options INTERFACE WW_NO_MECHANISMS)
endif()
# Masks of warps and lanes are counted everywhere: without POPCNT each count is a call into a table. Processors have had
# it since 2008 (x86-64-v2). A level or an architecture among the user's own flags stands.
set(WW_X86_64_LEVEL v2 CACHE STRING "x86-64 level of the host that the program needs; empty: the compiler's default")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND WW_X86_64_LEVEL AND NOT CMAKE_C_FLAGS MATCHES "-march=")
  target_compile_options(ww_options INTERFACE -march=x86-64-${WW_X86_64_LEVEL})
endif()
if(WW_SANITIZE)
  target_compile_options(ww_options INTERFACE -fsanitize=${WW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(ww_options INTERFACE -fsanitize=${WW_SANITIZE})
endif()

if(WW_FUZZER) # coverage for libFuzzer; tests/fuzz links its main
  target_compile_options(ww_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# A profile of training runs (train.cmake), which GCC names after object files: their folders below the build's are the same
# in both builds. What was not trained is compiled as it is without a profile.
option(WW_TRAIN "Train before anything is compiled, and compile for what the training runs did; GCC alone" OFF)
set(WW_TRAINED "" CACHE INTERNAL "Of the build that is trained: the folder for its profile")
if(WW_TRAINED)
  target_compile_options(ww_options INTERFACE -fprofile-generate=${WW_TRAINED} -fprofile-prefix-path=${PROJECT_BINARY_DIR})
  target_link_options(ww_options INTERFACE -fprofile-generate=${WW_TRAINED})
elseif(WW_TRAIN AND NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
  message(STATUS "WW_TRAIN needs GCC: a plain build")
elseif(WW_TRAIN)
  set(profile ${PROJECT_BINARY_DIR}/profile)
  target_compile_options(ww_options INTERFACE
    -fprofile-use=${profile} -fprofile-prefix-path=${PROJECT_BINARY_DIR} -fprofile-partial-training -Wno-missing-profile)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/trained
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DBUILD=${PROJECT_BINARY_DIR}/train -DGENERATOR=${CMAKE_GENERATOR}
      -DCOMPILER=${CMAKE_C_COMPILER} -DLEVEL=${WW_X86_64_LEVEL} -DPROFILE=${profile} -P ${PROJECT_SOURCE_DIR}/cmake/train.cmake
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/trained
    COMMENT "Training: an instrumented build, and runs of it" VERBATIM)
  add_custom_target(ww_trained DEPENDS ${PROJECT_BINARY_DIR}/trained)
  add_dependencies(ww_options ww_trained)
endif()

# ww_library(name SOURCES a.c b.c DEPS ww_base ...): one static library per folder.
# DEPS are the only other folders it may use (checked by tests/lint as well as by the linker).
function(ww_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;SYSTEM" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ww_options ${ARG_DEPS} PRIVATE ${ARG_SYSTEM})
  set_property(GLOBAL APPEND PROPERTY WW_LIBRARIES ${name})
endfunction()

# ww_lanes(name OBJECTS SOURCES a.c b.c DEPS ww_isa ...): files of loops over the lanes of a warp, compiled once per instruction-set
# extension of the host, which WW_LANES_SUFFIX tells apart; who calls them chooses at run time. OBJECTS is set to what the
# library has to link. Such loops may be vectorised: no exception flags are looked at, so comparisons may be speculated.
set(ww_lane_flags_generic)
set(ww_lane_flags_avx2 -mavx2 -mfma -mbmi -mbmi2 -mpopcnt -mlzcnt -mf16c)
set(ww_lane_flags_avx512 ${ww_lane_flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)
set(ww_lane_variants generic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND ww_lane_variants avx2 avx512)
  set(ww_lane_definitions WW_HAVE_X86_LANES) # for those who choose
endif()
function(ww_lanes name objects)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  set(all "")
  foreach(variant ${ww_lane_variants})
    add_library(${name}_${variant} OBJECT ${ARG_SOURCES})
    target_link_libraries(${name}_${variant} PRIVATE ww_options ${ARG_DEPS})
    target_compile_definitions(${name}_${variant} PRIVATE WW_LANES_SUFFIX=_${variant} ${ww_lane_definitions})
    target_compile_options(${name}_${variant} PRIVATE
      $<$<NOT:$<CONFIG:Debug>>:-O3> -fno-trapping-math ${ww_lane_flags_${variant}})
    list(APPEND all $<TARGET_OBJECTS:${name}_${variant}>)
  endforeach()
  set(${objects} ${all} PARENT_SCOPE)
endfunction()
