# The C library of HDF5: target HDF5C::HDF5C. Unlike FindHDF5 it needs no C compiler in the project that asks, so that
# projects in C++ alone can use an installed static trill.
find_path(HDF5C_INCLUDE_DIR hdf5.h HINTS ENV HDF5_ROOT PATH_SUFFIXES include hdf5/serial hdf5)
find_library(HDF5C_LIBRARY NAMES hdf5_serial hdf5 HINTS ENV HDF5_ROOT PATH_SUFFIXES lib hdf5/serial)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5C REQUIRED_VARS HDF5C_LIBRARY HDF5C_INCLUDE_DIR)
mark_as_advanced(HDF5C_INCLUDE_DIR HDF5C_LIBRARY)
if(HDF5C_FOUND AND NOT TARGET HDF5C::HDF5C)
  add_library(HDF5C::HDF5C UNKNOWN IMPORTED)
  set_target_properties(HDF5C::HDF5C PROPERTIES IMPORTED_LOCATION "${HDF5C_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${HDF5C_INCLUDE_DIR}")
endif()
