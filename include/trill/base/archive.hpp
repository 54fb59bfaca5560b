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
// The bytes of a checkpoint. A default-constructed archive is for writing, one constructed from bytes is for reading. A
// class lists its values once, in memory(Archive&): archive(a_, b_) writes or reads them in this order. Reading past
// the end is an IoError, so that a truncated checkpoint is never mistaken for a complete one.
class Archive {
 public:
  Archive() = default;
  explicit Archive(std::vector<char> bytes) : bytes_(std::move(bytes)), reading_(true) {}
  const std::vector<char>& bytes() const { return bytes_; }
  bool reading() const { return reading_; }
  bool at_end() const { return at_ == bytes_.size(); }

  // Takes plain values, vectors, matrices, strings, objects with a memory(Archive&), and std::vectors of these.
  template <class... T>
  void operator()(T&... values) {
    (item(values), ...);
  }

 private:
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
  template <class T>
  void item(T& value) {
    static_assert(!std::is_pointer_v<T>, "an address means nothing to a later run");
    if constexpr (requires { value.memory(*this); })
      value.memory(*this);
    else if (reading_)
      read(value);
    else
      write(value);
  }
  template <class T>
  void item(std::vector<T>& values) {
    std::uint64_t count = values.size();
    item(count);
    if (reading_) values.clear();  // grows value by value: a wrong count fails when the bytes run out
    for (std::size_t i = 0; i < count; ++i) item(reading_ ? values.emplace_back() : values[i]);
  }

  void append(const void* data, std::size_t size);
  void extract(void* data, std::size_t size);
  std::size_t read_count(std::size_t element_size);  // refuses counts too large for the bytes that are left
  std::vector<char> bytes_;
  std::size_t at_ = 0;
  bool reading_ = false;
};

// FNV-1a, 64 bit: detects damaged blocks.
std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t seed = 14695981039346656037ull);
}  // namespace trill
