// SPDX-License-Identifier: BSD-3-Clause
#ifdef TRILL_HAVE_HDF5
#include "solution/hdf5_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace trill {
namespace {
struct SinkFile {
  H5FD_t common;  // must come first: HDF5 sees only this
  Hdf5Sink* sink;
  haddr_t allocated, end;
};
SinkFile* self(H5FD_t* file) { return reinterpret_cast<SinkFile*>(file); }
const SinkFile* self(const H5FD_t* file) { return reinterpret_cast<const SinkFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const auto* sink = static_cast<Hdf5Sink* const*>(H5Pget_driver_info(access));
  if (!sink) return nullptr;
  auto* file = new SinkFile{};
  file->sink = *sink;
  struct stat status {};
  if (::fstat(file->sink->file, &status) == 0) file->end = static_cast<haddr_t>(status.st_size);
  return &file->common;
}

herr_t close_file(H5FD_t* file) {
  delete self(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return self(file)->allocated; }
herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file)->allocated = address;
  return 0;
}
haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return self(file)->end; }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, void* buffer) {
  char* to = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(self(file)->sink->file, to, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    to += got;
    size -= static_cast<size_t>(got);
    address += static_cast<haddr_t>(got);
  }
  std::memset(to, 0, size);  // bytes beyond the end of the file are zero
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, size_t size, const void* buffer) {
  Hdf5Sink& sink = *self(file)->sink;
  const char* from = static_cast<const char*>(buffer);
  while (size > 0 && sink.error == 0) {
    const ssize_t written = ::pwrite(sink.file, from, size, static_cast<off_t>(address));
    if (written < 0) {
      if (errno != EINTR) sink.error = errno;
      continue;
    }
    from += written;
    size -= static_cast<size_t>(written);
    address += static_cast<haddr_t>(written);
  }
  self(file)->end = std::max(self(file)->end, address + size);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  SinkFile& f = *self(file);
  if (f.end != f.allocated && f.sink->error == 0 && ::ftruncate(f.sink->file, static_cast<off_t>(f.allocated)) < 0)
    f.sink->error = errno;
  f.end = f.allocated;
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t kind{};
#if H5_VERSION_GE(1, 13, 0)
    kind.version = H5FD_CLASS_VERSION;
    kind.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 244);  // in the range for tests and private use
#endif
    constexpr H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(kind.fl_map));
    kind.name = "trill_sink";
    kind.maxaddr = (haddr_t{1} << 62) - 1;
    kind.fc_degree = H5F_CLOSE_WEAK;
    kind.fapl_size = sizeof(Hdf5Sink*);
    kind.open = open_file;
    kind.close = close_file;
    kind.query = query;
    kind.get_eoa = get_allocated;
    kind.set_eoa = set_allocated;
    kind.get_eof = get_end;
    kind.read = read;
    kind.write = write;
    kind.truncate = truncate;
    return H5FDregister(&kind);
  }();
  return id;
}

bool use_sink(const Hdf5Sink& sink, hid_t access) {
  const Hdf5Sink* info = &sink;
  return driver() >= 0 && H5Pset_driver(access, driver(), &info) >= 0;
}
}  // namespace

bool prepare_sinks() { return H5open() >= 0 && driver() >= 0; }

hid_t create_on_sink(Hdf5Sink& sink, const char* name, hid_t access) {
  return use_sink(sink, access) ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access) : -1;
}

hid_t open_on_sink(Hdf5Sink& sink, const char* name, hid_t access) {
  return use_sink(sink, access) ? H5Fopen(name, H5F_ACC_RDONLY, access) : -1;
}
}  // namespace trill
#endif
