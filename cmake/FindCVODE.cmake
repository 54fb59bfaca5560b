# The library of CVODE, a part of SUNDIALS 6: target CVODE::CVODE. Unlike the package file of SUNDIALS it asks for nothing
# else, and it also finds the library of a system that has no package for development: users of a static trill need no more.
find_library(CVODE_LIBRARY NAMES sundials_cvode libsundials_cvode.so.6)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CVODE REQUIRED_VARS CVODE_LIBRARY)
mark_as_advanced(CVODE_LIBRARY)
if(CVODE_FOUND AND NOT TARGET CVODE::CVODE)
  add_library(CVODE::CVODE UNKNOWN IMPORTED)
  set_target_properties(CVODE::CVODE PROPERTIES IMPORTED_LOCATION "${CVODE_LIBRARY}")
endif()
