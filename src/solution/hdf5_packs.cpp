// SPDX-License-Identifier: BSD-3-Clause
#include "solution/packed_runs.hpp"

#ifndef TRILL_HAVE_HDF5
namespace trill {
std::unique_ptr<StoredRun> open_hdf5_member(const std::filesystem::path&, const std::string&) { return nullptr; }
std::map<std::string, ListedRun> list_hdf5_members(const std::filesystem::path&) { return {}; }
void write_pack(const std::filesystem::path&, const std::vector<std::filesystem::path>&) {}
std::string run_checksum(const std::filesystem::path&) { return ""; }
void write_overview(const std::filesystem::path&, const std::vector<std::string>&, const std::vector<PlacedRun>&) {}
}  // namespace trill
#else

#include "base/whole_file.hpp"
#include "solution/hdf5_driver.hpp"
#include "solution/hdf5_library.hpp"

#include <algorithm>

#include <fcntl.h>
#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
// A file of this sweep, which was written or checked before.
class OpenSource {
 public:
  explicit OpenSource(const fs::path& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), sink_{descriptor_.get()} {
    if (!descriptor_) return;
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    file_.emplace(open_on_sink(sink_, path.c_str(), access), H5Fclose);
  }
  explicit operator bool() const { return file_.has_value(); }
  hid_t file() const { return *file_; }

 private:
  Descriptor descriptor_;
  Hdf5Sink sink_;
  std::optional<Hdf5Handle> file_;
};

// Calls `fill` with a new HDF5 file, which appears under its name when it is whole.
template <class Fill>
void write_new(const fs::path& path, const Fill& fill) {
  WholeFile whole(path);
  try {
    const Hdf5Library library;
    Hdf5Sink sink{whole.descriptor()};
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    need(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST));
    Hdf5Handle file(create_on_sink(sink, whole.temporary().c_str(), access), H5Fclose);
    fill(file, sink);
    file.close();
    if (sink.error != 0) throw Hdf5Trouble{"", sink.error};
  } catch (const Hdf5Trouble& trouble) {
    if (trouble.error != 0) throw_io("cannot write", path, trouble.error);
    throw IoError(fmt::format("cannot write {}: {}", path.string(), trouble.text));
  }
  whole.commit();
}

void put_array(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& size, const void* data,
               hid_t memory_type) {
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), H5Sclose);
  const Hdf5Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (std::find(size.begin(), size.end(), 0) == size.end())
    need(H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
}

std::vector<Quantity> named(const std::vector<std::string>& names) {
  std::vector<Quantity> list(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) list[k].name = names[k];
  return list;
}

// All rows of one table, each in the file where it is.
Hdf5Handle put_virtual_table(hid_t file, const Hdf5Table& table, const std::vector<PlacedRun>& runs,
                             const std::vector<std::int64_t>& first_row) {
  const hsize_t size[2] = {static_cast<hsize_t>(first_row.back()), table.columns};
  const Hdf5Handle space(H5Screate_simple(table.rank(), size, nullptr), H5Sclose);
  const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const hsize_t start[2] = {static_cast<hsize_t>(first_row[k]), 0}, count[2] = {runs[k].size.rows, table.columns};
    if (count[0] == 0 || table.columns == 0) continue;
    const Hdf5Handle source(H5Screate_simple(table.rank(), count, nullptr), H5Sclose);
    need(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr));
    need(H5Pset_virtual(layout, space, runs[k].pack.c_str(),
                        fmt::format("/runs/{}/{}", runs[k].run->file, table.name).c_str(), source));
  }
  need(H5Sselect_all(space));
  return {H5Dcreate2(file, table.name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT), H5Dclose};
}

bool same_columns(const std::vector<PlacedRun>& runs, std::uint64_t ListedRun::*columns) {
  std::optional<std::uint64_t> first;
  return std::all_of(runs.begin(), runs.end(), [&](const PlacedRun& run) {
    if (!first && !run.pack.empty()) first = run.size.*columns;
    return run.pack.empty() || run.size.*columns == *first;
  });
}
}  // namespace

void write_pack(const fs::path& pack, const std::vector<fs::path>& files) {
  write_new(pack, [&](hid_t file, const Hdf5Sink& sink) {
    const Hdf5Handle runs(H5Gcreate2(file, "runs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (const fs::path& path : files) {
      const OpenSource source(path);
      if (!source) continue;
      need(H5Ocopy(source.file(), "run", runs, path.filename().c_str(), H5P_DEFAULT, H5P_DEFAULT));
      if (sink.error != 0) throw Hdf5Trouble{"", sink.error};
    }
  });
}

std::string run_checksum(const fs::path& path) {
  const Hdf5Library library;
  try {
    const OpenSource source(path);
    if (!source) return "";
    const Hdf5Handle attribute(H5Aopen_by_name(source.file(), "run", "checksum", H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const Hdf5Handle type(H5Aget_type(attribute), H5Tclose);
    std::string text(H5Tget_size(type), '\0');
    need(H5Aread(attribute, type, text.data()));
    return text;
  } catch (const Hdf5Trouble&) {
    return "";  // of an earlier version, which wrote none
  }
}

void write_overview(const fs::path& path, const std::vector<std::string>& parameters,
                    const std::vector<PlacedRun>& runs) {
  std::vector<std::int64_t> first_row{0};
  std::vector<double> values;
  RunInfo info;
  for (const PlacedRun& run : runs) {
    if (info.components.empty() && !run.pack.empty())
      if (const auto first = open_hdf5_member(path.parent_path() / run.pack, run.run->file)) info = first->record.info;
    first_row.push_back(first_row.back() + static_cast<std::int64_t>(run.size.rows));
    values.insert(values.end(), run.run->values.begin(), run.run->values.end());
  }
  write_new(path, [&](hid_t file, const Hdf5Sink&) {
    put_array(file, "first_row", H5T_STD_I64LE, {first_row.size()}, first_row.data(), H5T_NATIVE_INT64);
    put_array(file, "parameters", H5T_IEEE_F64LE, {runs.size(), parameters.size()}, values.data(), H5T_NATIVE_DOUBLE);
    {
      const Hdf5Handle set(H5Dopen2(file, "parameters", H5P_DEFAULT), H5Dclose);
      put_texts(set, "names", named(parameters), &Quantity::name);
    }
    const auto tables = hdf5_tables(width_y(info), width_measured(info));
    put_virtual_table(file, tables[0], runs, first_row);
    // Runs whose number of unknowns depends on a parameter have no common table.
    if (same_columns(runs, &ListedRun::n_y)) {
      const Hdf5Handle set = put_virtual_table(file, tables[1], runs, first_row);
      put_texts(set, "names", info.components, &Quantity::name);
    }
    if (same_columns(runs, &ListedRun::n_measured)) {
      const Hdf5Handle set = put_virtual_table(file, tables[2], runs, first_row);
      put_texts(set, "names", info.quantities, &Quantity::name);
    }
  });
}
}  // namespace trill
#endif
