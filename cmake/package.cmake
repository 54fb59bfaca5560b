# Installation: library, headers, tool, man page, completions, and what find_package and pkg-config read. All paths
# inside are relative to the installed files, so that the tree can be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trill)
set(written ${CMAKE_CURRENT_BINARY_DIR}/package)

# What is installed is listed in a file of the prefix, by which tools/uninstall removes exactly that.
file(GLOB header_folders RELATIVE ${PROJECT_SOURCE_DIR}/include/trill ${PROJECT_SOURCE_DIR}/include/trill/*)
list(TRANSFORM header_folders PREPEND ${CMAKE_INSTALL_INCLUDEDIR}/trill/)
set(installed_folders ${CMAKE_INSTALL_BINDIR} ${package_dir} ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_DOCDIR}
    ${CMAKE_INSTALL_MANDIR}/man1 ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    ${CMAKE_INSTALL_DATADIR}/zsh/site-functions ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d ${header_folders})
install(CODE "set(trill_folders \"${installed_folders}\")\nset(trill_list \"${CMAKE_INSTALL_DOCDIR}/installed_files.txt\")")
install(SCRIPT cmake/before_install.cmake)

install(TARGETS trill EXPORT trillTargets)
install(DIRECTORY include/trill DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT trillTargets NAMESPACE trill:: DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Users of a shared trill need its headers only.
get_target_property(kind trill TYPE)
set(TRILL_FIND_DEPENDENCIES "find_dependency(Eigen3 3.4 CONFIG)\n")
if(kind STREQUAL STATIC_LIBRARY)
  foreach(package IN LISTS TRILL_PACKAGES)
    string(APPEND TRILL_FIND_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()
  install(FILES cmake/FindKLU.cmake cmake/FindHDF5C.cmake cmake/FindCVODE.cmake cmake/FindCHOLMOD.cmake
          DESTINATION ${package_dir})
endif()
configure_package_config_file(cmake/trillConfig.cmake.in ${written}/trillConfig.cmake INSTALL_DESTINATION ${package_dir}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${written}/trillConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${written}/trillConfig.cmake ${written}/trillConfigVersion.cmake DESTINATION ${package_dir})

# pkg-config: -L only for folders the linker does not search by itself. A library of a system without the package for
# development has a number at its end, and the linker finds it by its whole name only.
set(PC_LIBS_PRIVATE "")
foreach(path IN LISTS TRILL_PC_LIBRARIES)
  get_filename_component(folder ${path} DIRECTORY)
  get_filename_component(name ${path} NAME)
  if(name MATCHES "\\.so\\.")
    string(PREPEND name :)
  else()
    string(REGEX REPLACE "^lib(.*)\\.(so|a|dylib)$" "\\1" name ${name})
  endif()
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    list(APPEND PC_LIBS_PRIVATE -L${folder})
  endif()
  list(APPEND PC_LIBS_PRIVATE -l${name})
endforeach()
list(APPEND PC_LIBS_PRIVATE ${CMAKE_THREAD_LIBS_INIT})
foreach(name IN LISTS CMAKE_DL_LIBS)
  list(APPEND PC_LIBS_PRIVATE -l${name})
endforeach()
list(REMOVE_DUPLICATES PC_LIBS_PRIVATE)
list(JOIN PC_LIBS_PRIVATE " " PC_LIBS_PRIVATE)
list(JOIN TRILL_PC_REQUIRES ", " PC_REQUIRES_PRIVATE)
file(RELATIVE_PATH PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
string(REGEX REPLACE "/$" "" PC_PREFIX ${PC_PREFIX})
configure_file(cmake/trill.pc.in ${written}/trill.pc @ONLY)
install(FILES ${written}/trill.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TRILL_BUILD_TOOL)
  file(RELATIVE_PATH to_library /x/${CMAKE_INSTALL_BINDIR} /x/${CMAKE_INSTALL_LIBDIR})
  if(kind STREQUAL SHARED_LIBRARY)
    set_target_properties(trill_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  endif()
  install(TARGETS trill_tool)
  if(TARGET trill_mpi)
    install(TARGETS trill_mpi)
  endif()

  # Written by the tool's own --help, so that they never lag behind.
  set(words ${written}/trill.1 ${written}/trill.bash ${written}/_trill ${written}/trill.fish)
  set(writer ${PROJECT_SOURCE_DIR}/tools/write_words)
  add_custom_command(OUTPUT ${words} COMMAND bash ${writer} $<TARGET_FILE:trill_tool> ${written} DEPENDS trill_tool ${writer}
                     COMMENT "Writing man page and completions" VERBATIM)
  add_custom_target(trill_words ALL DEPENDS ${words})
  install(FILES ${written}/trill.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${written}/trill.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME trill)
  install(FILES ${written}/_trill DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${written}/trill.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

install(SCRIPT cmake/after_install.cmake)
