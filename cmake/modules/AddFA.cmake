#===-- AddFA.cmake - Declare the libraries and tools of fa ------------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Thin wrappers over LLVM's and MLIR's functions. They add the shared
# precompiled header, and collect what is to be installed.
#
#===-------------------------------------------------------------------------===#

# add_fa_precompiled_header(<name> <header>)
#
# Compiles <header> once; every library and tool declared below reuses it.
function(add_fa_precompiled_header name header)
  set(FA_PCH_TARGET "" PARENT_SCOPE)
  if(NOT FA_ENABLE_PCH)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
       "// Carries the precompiled header.\nnamespace { int unused [[maybe_unused]]; }\n")
  add_mlir_library(${name} ${source}
    EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL PARTIAL_SOURCES_INTENDED)
  target_precompile_headers(${name} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/${header})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # A time stamp in the header would make every cached compilation miss.
    target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
  endif()
  set(FA_PCH_TARGET ${name} PARENT_SCOPE)
endfunction()

# Lets <name> use the shared precompiled header.
function(fa_reuse_precompiled_header name)
  if(FA_PCH_TARGET)
    target_precompile_headers(${name} REUSE_FROM ${FA_PCH_TARGET})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(${name} PRIVATE -Xclang -fno-pch-timestamp)
    endif()
  endif()
endfunction()

# add_fa_library(<name> <source>...
#   [DEPENDS <target>...]            generated headers that must exist first
#   [LINK_COMPONENTS <component>...] LLVM components
#   [LINK_LIBS [PUBLIC] <library>...])
#
# A static library of the compiler, linked with LLVM and MLIR.
function(add_fa_library name)
  add_mlir_library(${name} ${ARGN} EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL)
  set_target_properties(${name} PROPERTIES FOLDER "fa/Libraries")
  set_property(GLOBAL APPEND PROPERTY FA_LIBRARIES ${name})
  fa_reuse_precompiled_header(${name})
endfunction()

# add_fa_dialect_library: the same for a library that defines a dialect.
function(add_fa_dialect_library name)
  add_fa_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY FA_DIALECT_LIBRARIES ${name})
endfunction()

# add_fa_runtime_library(<name> <source>... [LINK_LIBS <library>...])
#
# A static library that needs neither LLVM nor MLIR, so that what is compiled by
# fa can be deployed without them.
function(add_fa_runtime_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  set_target_properties(${name} PROPERTIES FOLDER "fa/Libraries"
    ARCHIVE_OUTPUT_DIRECTORY ${LLVM_LIBRARY_OUTPUT_INTDIR})
  set_property(GLOBAL APPEND PROPERTY FA_LIBRARIES ${name})
endfunction()

# add_fa_tool(<name> <source>... [DEPENDS ...] [LINK_COMPONENTS ...]
#   [LINK_LIBS ...])
#
# An executable in bin/.
function(add_fa_tool name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_COMPONENTS;LINK_LIBS" ${ARGN})
  if("${FA_SANITIZERS}" MATCHES "address")
    list(APPEND ARG_UNPARSED_ARGUMENTS
         ${CMAKE_SOURCE_DIR}/cmake/modules/SanitizerOptions.cpp)
  endif()
  set(LLVM_LINK_COMPONENTS ${ARG_LINK_COMPONENTS} Support)
  add_llvm_executable(${name} ${ARG_UNPARSED_ARGUMENTS}
    PARTIAL_SOURCES_INTENDED
    DEPENDS ${ARG_DEPENDS} mlir-headers mlir-generic-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  set_target_properties(${name} PROPERTIES FOLDER "fa/Tools")
  set_property(GLOBAL APPEND PROPERTY FA_TOOLS ${name})
  fa_reuse_precompiled_header(${name})
endfunction()

# add_fa_runtime_tool(<name> <source>... [LINK_LIBS <library>...])
#
# An executable in bin/ that needs neither LLVM nor MLIR. It carries the C++
# library, so that it also runs where that is older or missing.
function(add_fa_runtime_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  if(NOT FA_SANITIZERS)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc
      -Wl,--gc-sections)
  endif()
  set_target_properties(${name} PROPERTIES FOLDER "fa/Tools"
    RUNTIME_OUTPUT_DIRECTORY ${LLVM_RUNTIME_OUTPUT_INTDIR})
  set_property(GLOBAL APPEND PROPERTY FA_TOOLS ${name})
endfunction()
