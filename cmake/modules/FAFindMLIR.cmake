#===-- FAFindMLIR.cmake - Find LLVM and MLIR of the one right version -------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# fa follows MLIR's C++ API, which changes with every release, so exactly one
# release line is accepted. LLVM's version file answers "compatible" only for an
# equal major.minor; the version is therefore checked here, with a message that
# says what was found, rather than passed to find_package.
#
#===-------------------------------------------------------------------------===#

set(FA_LLVM_VERSION 22.1)

find_package(MLIR CONFIG QUIET HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "MLIR ${FA_LLVM_VERSION} was not found.\n"
    "On Debian 12: apt-get install libmlir-22-dev mlir-22-tools llvm-22-dev "
    "llvm-22-tools clang-22 (scripts/setup-deps does it).\n"
    "Elsewhere: pass -DMLIR_DIR=<prefix>/lib/cmake/mlir of an LLVM "
    "${FA_LLVM_VERSION} that was built with MLIR.")
endif()
if(NOT "${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}" STREQUAL FA_LLVM_VERSION)
  message(FATAL_ERROR
    "expected LLVM/MLIR ${FA_LLVM_VERSION} but found ${LLVM_PACKAGE_VERSION} "
    "in ${MLIR_DIR}.\n"
    "Pass -DMLIR_DIR=<prefix>/lib/cmake/mlir of the right one "
    "(/usr/lib/llvm-22/lib/cmake/mlir with Debian's packages).")
endif()
message(STATUS "Using MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})

# Debian's packages carry lit beside LLVM's other tools.
find_program(LLVM_EXTERNAL_LIT NAMES lit llvm-lit lit.py
             HINTS ${LLVM_TOOLS_BINARY_DIR} NO_CMAKE_SYSTEM_PATH)

set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR})

# One copy of LLVM in a process: the shared libLLVM, as the static MLIR
# libraries of the packages expect, and never libMLIR.so beside them.
set(LLVM_LINK_LLVM_DYLIB ON)
set(MLIR_LINK_MLIR_DYLIB OFF)

include(TableGen)
include(AddLLVM)
include(AddMLIR)
