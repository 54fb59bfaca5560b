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
#include "solution/safe_file.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

namespace trill {
namespace fs = std::filesystem;
namespace {
constexpr int hdf5_schema = 1;
constexpr std::size_t block_doubles = 128 * 1024;  // rows are written and read in pieces of about 1 MB
constexpr hsize_t chunk_doubles = 32 * 1024;

// HDF5 has global state: while this object exists, other threads wait and HDF5 prints no errors of its own.
class Library {
 public:
  Library() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Library() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex m;
    return m;
  }
  std::lock_guard<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

// What HDF5 says about a failure: the innermost text of its error stack, taken at once because every further call
// clears it. Failed writes have the errno of the system instead.
struct Trouble {
  std::string text;
  int error = 0;
};

Trouble last_trouble() {
  Trouble trouble{"the HDF5 library reported an unknown error"};
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
        if (depth == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &trouble.text);
  return trouble;
}

template <class Result>
Result need(Result result) {
  if (result < 0) throw last_trouble();
  return result;
}

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(need(id)), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close() { need(close_(std::exchange(id_, -1))); }

 private:
  hid_t id_;
  Close close_;
};

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  need(H5Tset_size(type, H5T_VARIABLE));
  need(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void put_text(hid_t owner, const char* name, const std::string& text) {
  const Handle type = text_type(), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* data = text.c_str();
  need(H5Awrite(attribute, type, &data));
}

void put_texts(hid_t owner, const char* name, const std::vector<Quantity>& list, std::string Quantity::*member) {
  std::vector<const char*> data;
  for (const Quantity& q : list) data.push_back((q.*member).c_str());
  const hsize_t count = data.size();
  const Handle type = text_type(), space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle attribute(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (count > 0) need(H5Awrite(attribute, type, data.data()));
}

std::string get_text(hid_t owner, const char* name) {
  const Handle attribute(H5Aopen(owner, name, H5P_DEFAULT), H5Aclose), type = text_type();
  const Handle stored(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tis_variable_str(stored) <= 0 || H5Sget_simple_extent_npoints(space) != 1)
    throw Trouble{fmt::format("'{}' is not a text", name)};
  char* data = nullptr;
  need(H5Aread(attribute, type, &data));
  std::string text = data ? data : "";
  H5free_memory(data);
  return text;
}

// One of t, y, measured.
struct Table {
  const char* name;
  std::size_t columns;
  bool vector;
  bool deflated;  // 8 bytes become 0.2 for t and 2 to 3 for measured, but 6 for y at ten times the time
  int rank() const { return vector ? 1 : 2; }
};

std::array<Table, 3> tables(const RunInfo& info) {
  return {Table{"t", 1, true, true}, Table{"y", width_y(info), false, false},
          Table{"measured", width_measured(info), false, true}};
}

Handle create_table(hid_t group, const Table& table, Index rows) {
  const hsize_t size[2] = {static_cast<hsize_t>(rows), table.columns};
  const Handle space(H5Screate_simple(table.rank(), size, nullptr), H5Sclose);
  const Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  need(H5Pset_attr_phase_change(layout, 0, 0));  // long lists of names do not fit into the object header
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

enum class Direction { read, write };
// Rows [first, first + count) of a table.
void transfer(Direction direction, hid_t dataset, const Table& table, Index first, Index count, double* data) {
  if (count == 0 || table.columns == 0) return;
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0}, size[2] = {static_cast<hsize_t>(count), table.columns};
  const Handle file(H5Dget_space(dataset), H5Sclose), memory(H5Screate_simple(table.rank(), size, nullptr), H5Sclose);
  need(H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, size, nullptr));
  if (direction == Direction::write)
    need(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, data));
  else
    need(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, data));
}

// A buffer of rows that are written or read together, one array per table.
class Block {
 public:
  explicit Block(const RunInfo& info) : tables_(tables(info)) {
    const std::size_t width = 1 + tables_[1].columns + tables_[2].columns;
    most_rows_ = static_cast<Index>(std::max<std::size_t>(1, block_doubles / width));
    for (std::size_t k = 0; k < 3; ++k) data_[k].resize(static_cast<std::size_t>(most_rows_) * tables_[k].columns);
  }
  Index most_rows() const { return most_rows_; }
  double* at(std::size_t table, Index row) {
    return data_[table].data() + static_cast<std::size_t>(row) * tables_[table].columns;
  }
  void transfer_all(Direction direction, const std::vector<Handle>& datasets, Index first, Index count) {
    for (std::size_t k = 0; k < 3; ++k) transfer(direction, datasets[k], tables_[k], first, count, data_[k].data());
  }

 private:
  std::array<Table, 3> tables_;
  Index most_rows_;
  std::array<std::vector<double>, 3> data_;
};

void check(const Hdf5Sink& sink) {
  if (sink.error != 0) throw Trouble{"", sink.error};
}

void write_rows(const RowSource& rows, const RunRecord& record, const std::vector<Handle>& datasets,
                const Hdf5Sink& sink) {
  Block block(record.info);
  Index first = 0, count = 0;
  const std::size_t n_y = width_y(record.info), n_measured = width_measured(record.info);
  visit_checked(rows, record, [&](double t, const double* y, const double* measured) {
    *block.at(0, count) = t;
    std::copy_n(y, n_y, block.at(1, count));
    std::copy_n(measured, n_measured, block.at(2, count));
    if (++count == block.most_rows()) {
      const Library library;
      block.transfer_all(Direction::write, datasets, first, count);
      check(sink);
      first += std::exchange(count, 0);
    }
  });
  const Library library;
  block.transfer_all(Direction::write, datasets, first, count);
}

void write_all(const RowSource& rows, const RunRecord& record, const fs::path& path, Hdf5Sink& sink) {
  const RunInfo& info = record.info;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  need(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST));
  Handle file(create_on_sink(sink, path.c_str(), access), H5Fclose);
  {
    const Handle group(H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    put_text(group, "schema", fmt::format("trill-solution-{}", hdf5_schema));
    put_text(group, "trill_version", info.version);
    put_text(group, "info", to_json(info));
    put_text(group, "outcome", to_json(record.outcome));
    put_text(group, "trust", to_json(record.trust));
    std::vector<Handle> datasets;
    for (const Table& table : tables(info)) datasets.push_back(create_table(group, table, record.rows));
    put_text(datasets[0], "unit", info.time_unit);
    put_texts(datasets[1], "names", info.components, &Quantity::name);
    put_texts(datasets[1], "units", info.components, &Quantity::unit);
    put_texts(datasets[2], "names", info.quantities, &Quantity::name);
    put_texts(datasets[2], "units", info.quantities, &Quantity::unit);
    write_rows(rows, record, datasets, sink);
  }
  file.close();
  check(sink);
}

class Hdf5Run final : public StoredRun {
 public:
  explicit Hdf5Run(const fs::path& path) : path_(path) {
    const Library library;
    const std::string name = path.string();
    if (H5Fis_hdf5(path.c_str()) == 0) throw IoError(name + " is not an HDF5 file, or it is incomplete");
    try {
      file_.emplace(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    } catch (const Trouble& trouble) {
      throw IoError(fmt::format("cannot read {}: it is damaged or incomplete ({})", name, trouble.text));
    }
    try {
      const Handle group(H5Gopen2(*file_, "run", H5P_DEFAULT), H5Gclose);
      const std::string found = get_text(group, "schema"), want = fmt::format("trill-solution-{}", hdf5_schema);
      if (found != want)
        throw IoError(fmt::format("{} has schema '{}'; this version of trill reads '{}'", name, found, want));
      record.info = info_from_json(get_text(group, "info"), name);
      record.outcome = outcome_from_json(get_text(group, "outcome"), name);
      record.trust = trust_from_json(get_text(group, "trust"), name);
      for (const Table& table : tables(record.info)) open_table(group, table);
    } catch (const Trouble& trouble) {
      throw IoError(fmt::format("{} is an HDF5 file but not a solution written by trill ({})", name, trouble.text));
    }
  }
  ~Hdf5Run() override {
    const Library library;
    datasets_.clear();
    file_.reset();
  }

  void visit(const Visitor& visitor) const override {
    Block block(record.info);
    for (Index first = 0; first < record.rows; first += block.most_rows()) {
      const Index count = std::min(block.most_rows(), record.rows - first);
      read(block, first, count);
      for (Index i = 0; i < count; ++i) visitor(*block.at(0, i), block.at(1, i), block.at(2, i));
    }
  }

 private:
  void open_table(hid_t group, const Table& table) {
    datasets_.emplace_back(H5Dopen2(group, table.name, H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(datasets_.back()), H5Sclose);
    hsize_t size[2] = {0, 1};
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank == table.rank()) need(H5Sget_simple_extent_dims(space, size, nullptr));
    if (datasets_.size() == 1) record.rows = static_cast<Index>(size[0]);
    if (rank != table.rank() || static_cast<Index>(size[0]) != record.rows || size[1] != table.columns)
      throw Trouble{fmt::format("the size of '{}' is wrong", table.name)};
  }

  void read(Block& block, Index first, Index count) const {
    const Library library;
    try {
      block.transfer_all(Direction::read, datasets_, first, count);
    } catch (const Trouble& trouble) {
      throw IoError(fmt::format("cannot read {}: it is damaged ({})", path_.string(), trouble.text));
    }
  }

  fs::path path_;
  std::optional<Handle> file_;
  std::vector<Handle> datasets_;
};
}  // namespace

std::unique_ptr<StoredRun> open_hdf5(const fs::path& path) { return std::make_unique<Hdf5Run>(path); }

void write_hdf5(const RowSource& rows, const RunRecord& record, const fs::path& path, const std::string& when_full) {
  WholeFile whole(path, when_full);
  try {
    const Library library;
    Hdf5Sink sink{whole.descriptor()};
    write_all(rows, record, whole.temporary(), sink);
  } catch (const Trouble& trouble) {
    if (trouble.error != 0) throw_io("cannot write", path, trouble.error, when_full);
    throw IoError(fmt::format("cannot write {}: {}", path.string(), trouble.text));
  }
  whole.commit();
}
}  // namespace trill
#endif
