# KLU of SuiteSparse: target KLU::KLU.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(KLU_names klu amd colamd btf suitesparseconfig)
set(KLU_needed KLU_INCLUDE_DIR)
set(KLU_LIBRARIES "")
foreach(name IN LISTS KLU_names)
  find_library(KLU_${name}_LIBRARY ${name})
  list(APPEND KLU_needed KLU_${name}_LIBRARY)
  list(APPEND KLU_LIBRARIES ${KLU_${name}_LIBRARY})
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS ${KLU_needed})
mark_as_advanced(${KLU_needed})
if(KLU_FOUND AND NOT TARGET KLU::KLU)
  add_library(KLU::KLU INTERFACE IMPORTED)
  set_target_properties(KLU::KLU PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}"
                                            INTERFACE_LINK_LIBRARIES "${KLU_LIBRARIES}")
endif()
