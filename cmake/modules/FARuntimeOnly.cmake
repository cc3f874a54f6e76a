#===-- FARuntimeOnly.cmake - The runtime and fa-launch alone ----------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For machines that run kernel packages: a C++20 compiler and the two header
# libraries are all that it takes, neither LLVM nor CUDA.
#
#===-------------------------------------------------------------------------===#

set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)

add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffunction-sections)
include(AddFA)
include_directories(${CMAKE_CURRENT_SOURCE_DIR}/include)
add_subdirectory(lib/Runtime)
add_subdirectory(tools/fa-launch)
install(TARGETS fa-launch RUNTIME DESTINATION bin)
