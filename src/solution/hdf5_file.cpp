// SPDX-License-Identifier: BSD-3-Clause
#include "solution/file_formats.hpp"

#ifndef TRILL_HAVE_HDF5
namespace trill {
std::unique_ptr<StoredRun> open_hdf5(const std::filesystem::path& path) {
  throw UsageError(path.string() + ": this build of trill cannot read or write HDF5; use .csv or .json");
}
void write_hdf5(const RowSource&, const RunRecord&, const std::filesystem::path& path, const std::string&) {
  throw UsageError(path.string() + ": this build of trill cannot read or write HDF5; use .csv or .json");
}
}  // namespace trill
#else

#include "solution/hdf5_driver.hpp"
#include "solution/hdf5_library.hpp"
#include "solution/safe_file.hpp"
#include "solution/seal.hpp"
#include "trill/base/archive.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr hsize_t chunk_doubles = 32 * 1024;

// Long texts do not fit into the header of an object.
void keep_texts_outside(hid_t layout) { need(H5Pset_attr_phase_change(layout, 0, 0)); }

Hdf5Handle create_group(hid_t file) {
  const Hdf5Handle layout(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  keep_texts_outside(layout);
  return {H5Gcreate2(file, "run", H5P_DEFAULT, layout, H5P_DEFAULT), H5Gclose};
}

Hdf5Handle create_table(hid_t group, const Hdf5Table& table, Index rows) {
  const hsize_t size[2] = {static_cast<hsize_t>(rows), table.columns};
  const Hdf5Handle space(H5Screate_simple(table.rank(), size, nullptr), H5Sclose);
  const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  keep_texts_outside(layout);
  if (rows > 0 && table.columns > 0) {
    const hsize_t chunk[2] = {std::clamp<hsize_t>(chunk_doubles / table.columns, 1, size[0]), table.columns};
    need(H5Pset_chunk(layout, table.rank(), chunk));
    if (table.deflated) {
      need(H5Pset_shuffle(layout));
      need(H5Pset_deflate(layout, 1));
    }
    need(H5Pset_fletcher32(layout));
  }
  return {H5Dcreate2(group, table.name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT), H5Dclose};
}

void check(const Hdf5Sink& sink) {
  if (sink.error != 0) throw Hdf5Trouble{"", sink.error};
}

// Gives the checksum over all rows.
std::uint64_t write_rows(const RowSource& rows, const RunRecord& record, const std::vector<Hdf5Handle>& datasets,
                         const Hdf5Sink& sink) {
  const std::size_t n_y = width_y(record.info), n_measured = width_measured(record.info);
  Hdf5Block block(hdf5_tables(n_y, n_measured));
  Index first = 0, count = 0;
  std::uint64_t sum = checksum(nullptr, 0);
  visit_checked(rows, record, [&](double t, const double* y, const double* measured) {
    *block.at(0, count) = t;
    std::copy_n(y, n_y, block.at(1, count));
    std::copy_n(measured, n_measured, block.at(2, count));
    sum = checksum(&t, sizeof(t), sum);
    sum = checksum(y, n_y * sizeof(double), sum);
    sum = checksum(measured, n_measured * sizeof(double), sum);
    if (++count == block.most_rows()) {
      const Hdf5Library library;
      block.transfer_all(Hdf5Direction::write, datasets, first, count);
      check(sink);
      first += std::exchange(count, 0);
    }
  });
  const Hdf5Library library;
  block.transfer_all(Hdf5Direction::write, datasets, first, count);
  return sum;
}

void write_group(const RowSource& rows, const RunRecord& record, hid_t group, const Hdf5Sink& sink) {
  const RunInfo& info = record.info;
  std::vector<Hdf5Handle> datasets;
  for (const Hdf5Table& table : hdf5_tables(width_y(info), width_measured(info)))
    datasets.push_back(create_table(group, table, record.rows));
  const std::uint64_t sum = write_rows(rows, record, datasets, sink);
  Hdf5Texts texts{solution_schema,         plain(info.version),   to_json(info),
                  to_json(record.outcome), to_json(record.trust), checksum_text(sum)};
  for (std::size_t k = 0; k < texts.size(); ++k) put_text(group, hdf5_group_texts[k], texts[k]);
  texts.push_back(plain(info.time_unit));
  put_text(datasets[0], "unit", texts.back());
  texts.push_back(put_texts(datasets[1], "names", info.components, &Quantity::name));
  texts.push_back(put_texts(datasets[1], "units", info.components, &Quantity::unit));
  texts.push_back(put_texts(datasets[2], "names", info.quantities, &Quantity::name));
  texts.push_back(put_texts(datasets[2], "units", info.quantities, &Quantity::unit));
  put_text(group, "checksum", checksum_text(texts));
}

void write_all(const RowSource& rows, const RunRecord& record, const fs::path& path, Hdf5Sink& sink) {
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  need(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
  Hdf5Handle file(create_on_sink(sink, path.c_str(), access), H5Fclose);
  write_group(rows, record, create_group(file), sink);
  file.close();
  check(sink);
}
}  // namespace

void write_hdf5(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  WholeFile whole(path, when_full);
  try {
    const Hdf5Library library;
    Hdf5Sink sink{whole.descriptor()};
    write_all(rows, record, whole.temporary(), sink);
  } catch (const Hdf5Trouble& trouble) {
    if (trouble.error != 0) throw_io("cannot write", path, trouble.error, when_full);
    throw IoError(fmt::format("cannot write {}: {}", path.string(), trouble.text));
  }
  whole.commit();
}
}  // namespace trill
#endif
