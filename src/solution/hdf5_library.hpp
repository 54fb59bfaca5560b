// SPDX-License-Identifier: BSD-3-Clause
// What writing and reading HDF5 have in common: handles, errors, the tables of a solution.
#pragma once

#include "solution/file_formats.hpp"

#include <array>
#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

namespace trill {
inline constexpr std::size_t block_doubles = 128 * 1024;  // rows are written and read in pieces of about 1 MB

// HDF5 has global state: while this object exists, other threads wait and HDF5 prints no errors of its own.
class Hdf5Library {
 public:
  Hdf5Library() : lock_(mutex()) {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Library() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

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
struct Hdf5Trouble {
  std::string text;
  int error = 0;
};
Hdf5Trouble last_hdf5_trouble();

template <class Result>
Result need(Result result) {
  if (result < 0) throw last_hdf5_trouble();
  return result;
}

class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Close close) : id_(need(id)), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close() { need(close_(std::exchange(id_, -1))); }

 private:
  hid_t id_;
  Close close_;
};

// Texts have a fixed length: those of variable length lie in a heap, whose damage HDF5 does not survive.
Hdf5Handle fixed_text(std::size_t size);
void put_text(hid_t owner, const char* name, const std::string& text);  // as an attribute
// A list of texts as an attribute. Gives what was written, with a zero byte after each.
std::string put_texts(hid_t owner, const char* name, const std::vector<Quantity>& list, std::string Quantity::*member);
// Up to its first zero byte, which ends a text in a file.
inline std::string plain(const std::string& text) { return text.c_str(); }

// One of t, y, measured.
struct Hdf5Table {
  const char* name;
  std::size_t columns;
  bool vector;
  bool deflated;  // 8 bytes become 0.2 for t and 2 to 3 for measured, but 6 for y at ten times the time
  int rank() const { return vector ? 1 : 2; }
};
inline std::array<Hdf5Table, 3> hdf5_tables(std::size_t n_y, std::size_t n_measured) {
  return {Hdf5Table{"t", 1, true, true}, Hdf5Table{"y", n_y, false, false},
          Hdf5Table{"measured", n_measured, false, true}};
}

// A buffer of rows that are written or read together, one array per table.
enum class Hdf5Direction { read, write };
class Hdf5Block {
 public:
  explicit Hdf5Block(const std::array<Hdf5Table, 3>& tables);
  Index most_rows() const { return most_rows_; }
  double* at(std::size_t table, Index row) {
    return data_[table].data() + static_cast<std::size_t>(row) * tables_[table].columns;
  }
  // Rows [first, first + count).
  void transfer_all(Hdf5Direction direction, const std::vector<Hdf5Handle>& datasets, Index first, Index count);

 private:
  std::array<Hdf5Table, 3> tables_;
  Index most_rows_;
  std::array<std::vector<double>, 3> data_;
};

// The texts of a file (of its group: schema, trill_version, info, outcome, trust, rows_checksum; of its tables: unit of
// t, names and units of y and of measured, with a zero byte after each) and the checksum over them.
using Hdf5Texts = std::vector<std::string>;
inline constexpr std::array<const char*, 6> hdf5_group_texts = {"schema",  "trill_version", "info",
                                                                "outcome", "trust",         "rows_checksum"};
std::string checksum_text(const Hdf5Texts& texts);
std::string checksum_text(std::uint64_t sum);
}  // namespace trill
