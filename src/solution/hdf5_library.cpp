// SPDX-License-Identifier: BSD-3-Clause
#ifdef TRILL_HAVE_HDF5
#include "solution/hdf5_library.hpp"

#include "trill/base/archive.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
void transfer(Hdf5Direction direction, hid_t dataset, const Hdf5Table& table, Index first, Index count, double* data) {
  if (count == 0 || table.columns == 0) return;
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0}, size[2] = {static_cast<hsize_t>(count), table.columns};
  const Hdf5Handle file(H5Dget_space(dataset), H5Sclose);
  const Hdf5Handle memory(H5Screate_simple(table.rank(), size, nullptr), H5Sclose);
  need(H5Sselect_hyperslab(file, H5S_SELECT_SET, start, nullptr, size, nullptr));
  if (direction == Hdf5Direction::write)
    need(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, data));
  else
    need(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, data));
}
}  // namespace

Hdf5Handle fixed_text(std::size_t size) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  need(H5Tset_size(type, std::max<std::size_t>(1, size)));
  need(H5Tset_strpad(type, H5T_STR_NULLPAD));
  need(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void put_text(hid_t owner, const char* name, const std::string& text) {
  const Hdf5Handle type = fixed_text(text.size()), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  need(H5Awrite(attribute, type, text.c_str()));
}

std::string put_texts(hid_t owner, const char* name, const std::vector<Quantity>& list, std::string Quantity::*member) {
  std::size_t longest = 1;
  std::string written, padded;
  for (const Quantity& q : list) {
    longest = std::max(longest, plain(q.*member).size());
    written += plain(q.*member) + '\0';
  }
  for (std::size_t i = 0; i < list.size(); ++i) {
    padded += plain(list[i].*member);
    padded.resize((i + 1) * longest, '\0');
  }
  const hsize_t count = list.size();
  const Hdf5Handle type = fixed_text(longest), space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Hdf5Handle attribute(H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (count > 0) need(H5Awrite(attribute, type, padded.data()));
  return written;
}

Hdf5Trouble last_hdf5_trouble() {
  Hdf5Trouble trouble{"the HDF5 library reported an unknown error"};
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
        if (depth == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &trouble.text);
  return trouble;
}

Hdf5Block::Hdf5Block(const std::array<Hdf5Table, 3>& tables) : tables_(tables) {
  const std::size_t width = 1 + tables_[1].columns + tables_[2].columns;
  most_rows_ = static_cast<Index>(std::max<std::size_t>(1, block_doubles / width));
  for (std::size_t k = 0; k < 3; ++k) data_[k].resize(static_cast<std::size_t>(most_rows_) * tables_[k].columns);
}

void Hdf5Block::transfer_all(Hdf5Direction direction, const std::vector<Hdf5Handle>& datasets, Index first,
                             Index count) {
  for (std::size_t k = 0; k < 3; ++k) transfer(direction, datasets[k], tables_[k], first, count, data_[k].data());
}

std::string checksum_text(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

std::string checksum_text(const Hdf5Texts& texts) {
  std::uint64_t sum = checksum(nullptr, 0);
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    sum = checksum(&size, sizeof(size), sum);
    sum = checksum(text.data(), text.size(), sum);
  }
  return checksum_text(sum);
}
}  // namespace trill
#endif
