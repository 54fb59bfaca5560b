// SPDX-License-Identifier: BSD-3-Clause
#include "trill/base/archive.hpp"

#include <cstring>

namespace trill {
void Archive::append(const void* data, std::size_t size) {
  const char* begin = static_cast<const char*>(data);
  bytes_.insert(bytes_.end(), begin, begin + size);
}

void Archive::extract(void* data, std::size_t size) {
  if (size > bytes_.size() - at_) throw IoError("the checkpoint is damaged or not whole: its data end too early");
  if (size) std::memcpy(data, bytes_.data() + at_, size);
  at_ += size;
}

std::size_t Archive::read_count(std::size_t element_size) {
  std::uint64_t count = 0;
  read(count);
  if (count > (bytes_.size() - at_) / element_size)
    throw IoError("the checkpoint is damaged or not whole: its data end too early");
  return static_cast<std::size_t>(count);
}

void Archive::write(const Vec& v) {
  write(static_cast<std::uint64_t>(v.size()));
  append(v.data(), sizeof(double) * v.size());
}
void Archive::read(Vec& v) {
  v.resize(static_cast<Index>(read_count(sizeof(double))));
  extract(v.data(), sizeof(double) * v.size());
}
void Archive::write(const Mat& m) {
  write(static_cast<std::uint64_t>(m.rows()));
  write(static_cast<std::uint64_t>(m.cols()));
  append(m.data(), sizeof(double) * m.size());
}
void Archive::read(Mat& m) {
  const std::size_t rows = read_count(1);
  const std::size_t cols = read_count(std::max<std::size_t>(1, rows) * sizeof(double));
  m.resize(static_cast<Index>(rows), static_cast<Index>(cols));
  extract(m.data(), sizeof(double) * m.size());
}
void Archive::write(const std::string& s) {
  write(static_cast<std::uint64_t>(s.size()));
  append(s.data(), s.size());
}
void Archive::read(std::string& s) {
  s.resize(read_count(1));
  extract(s.data(), s.size());
}

std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t seed) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t hash = seed;
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}
}  // namespace trill
