#===-- FACompilerSetup.cmake - Compiler, linker and cache -------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Flags that hold for everything: those of LLVM (HandleLLVMOptions), warnings,
# sanitizers, lld and ccache.
#
#===-------------------------------------------------------------------------===#

set(LLVM_ENABLE_WARNINGS ON)
set(LLVM_ENABLE_WERROR ${FA_ENABLE_WERROR})
include(HandleLLVMOptions)

# LLVM's headers are not ours to keep free of warnings: take them as system
# headers.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(fa_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_definitions(${fa_llvm_definitions})

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of g++ 12 at -O2 in code inlined from LLVM's headers.
  add_compile_options(-Wno-maybe-uninitialized -Wno-dangling-pointer
                      -Wno-array-bounds -Wno-stringop-overflow
                      -Wno-stringop-overread -Wno-restrict)
endif()
if(FA_ENABLE_ASSERTIONS)
  add_compile_options(-UNDEBUG)
endif()

if(FA_SANITIZERS)
  # No vptr check: it would need the type information of all of MLIR.
  add_compile_options(-fsanitize=${FA_SANITIZERS} -fno-sanitize=vptr
                      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FA_SANITIZERS})
endif()

if(FA_ENABLE_LLD)
  find_program(FA_LLD ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR} NO_DEFAULT_PATH)
  if(FA_LLD)
    # -B, because g++ looks only for the name `ld.lld`.
    add_link_options(-fuse-ld=lld -B${LLVM_TOOLS_BINARY_DIR})
  endif()
endif()

if(FA_ENABLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(FA_CCACHE ccache)
  if(FA_CCACHE)
    # Without these ccache refuses compilations that use a precompiled header.
    set(fa_launcher ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${FA_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${fa_launcher})
    set(CMAKE_CXX_COMPILER_LAUNCHER ${fa_launcher})
  endif()
endif()
