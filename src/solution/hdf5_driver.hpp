// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

namespace trill {
// Lets HDF5 write through an open file descriptor and hides write errors from it. HDF5 does not survive a failed write:
// it crashes when the file is closed or the process ends. So the first error is stored, later writes are dropped, and
// the caller checks `error` after every call.
struct Hdf5Sink {
  int file = -1;
  int error = 0;  // errno of the first failed write
};

// Creates a new file on the sink; the sink must outlive the file. Negative on failure.
hid_t create_on_sink(Hdf5Sink& sink, const char* name, hid_t access);
// Opens the file behind the descriptor of the sink for reading.
hid_t open_on_sink(Hdf5Sink& sink, const char* name, hid_t access);
// Registers what the two above need; afterwards they open no other file.
bool prepare_sinks();
}  // namespace trill
