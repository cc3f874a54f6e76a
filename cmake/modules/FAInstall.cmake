#===-- FAInstall.cmake - The install tree and find_package(FA) ---------------===#
#
# Part of the fa project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Both include roots, and what is generated for them, merge into include/fa.
#
#===-------------------------------------------------------------------------===#

include(CMakePackageConfigHelpers)

get_property(fa_libraries GLOBAL PROPERTY FA_LIBRARIES)
get_property(fa_tools GLOBAL PROPERTY FA_TOOLS)

foreach(library ${fa_libraries})
  target_include_directories(${library} SYSTEM INTERFACE
    $<INSTALL_INTERFACE:include>)
endforeach()

install(TARGETS ${fa_libraries} ${fa_tools}
  EXPORT FATargets
  ARCHIVE DESTINATION lib
  RUNTIME DESTINATION bin)
install(DIRECTORY include/fa dialects/fa
  DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${CMAKE_BINARY_DIR}/include/fa ${CMAKE_BINARY_DIR}/dialects/fa
  DESTINATION include
  FILES_MATCHING PATTERN "*.inc"
  PATTERN "CMakeFiles" EXCLUDE)

set(fa_cmake_dir lib/cmake/fa)
install(EXPORT FATargets DESTINATION ${fa_cmake_dir})
configure_package_config_file(cmake/modules/FAConfig.cmake.in
  ${CMAKE_BINARY_DIR}/${fa_cmake_dir}/FAConfig.cmake
  INSTALL_DESTINATION ${fa_cmake_dir})
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/${fa_cmake_dir}/FAConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/${fa_cmake_dir}/FAConfig.cmake
  ${CMAKE_BINARY_DIR}/${fa_cmake_dir}/FAConfigVersion.cmake
  DESTINATION ${fa_cmake_dir})
