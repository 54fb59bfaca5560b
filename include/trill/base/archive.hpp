// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods and formulations: what a run has to remember between two checkpoints.
#pragma once

#include "trill/base/errors.hpp"
#include "trill/base/types.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace trill {
// A growing block of bytes: what a checkpoint holds. Values are written and read back in the same order; reading past
// the end is an IoError, so that a truncated checkpoint is never taken for a whole one.
class Archive {
 public:
  Archive() = default;
  explicit Archive(std::vector<char> bytes) : bytes_(std::move(bytes)) {}
  const std::vector<char>& bytes() const { return bytes_; }
  bool at_end() const { return at_ == bytes_.size(); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(const T& value) { append(&value, sizeof(T)); }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void read(T& value) { extract(&value, sizeof(T)); }
  void write(const Vec& v);
  void read(Vec& v);
  void write(const Mat& m);
  void read(Mat& m);
  void write(const std::string& s);
  void read(std::string& s);
  void write(const std::vector<int>& v);
  void read(std::vector<int>& v);

 private:
  void append(const void* data, std::size_t size);
  void extract(void* data, std::size_t size);
  std::size_t read_count(std::size_t element_size);  // refuses counts that the rest of the block cannot hold
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

// FNV-1a, 64 bit: tells a damaged block from a whole one.
std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t seed = 14695981039346656037ull);
}  // namespace trill
