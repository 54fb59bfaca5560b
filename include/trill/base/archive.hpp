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
// A growing block of bytes: what a checkpoint holds. A new one is written and one made of bytes is read; a class lists
// its values once, in memory(Archive&), and archive(a_, b_) does the one or the other, in this order. Reading past the
// end is an IoError, so that a truncated checkpoint is never taken for a whole one.
class Archive {
 public:
  Archive() = default;
  explicit Archive(std::vector<char> bytes) : bytes_(std::move(bytes)), reading_(true) {}
  const std::vector<char>& bytes() const { return bytes_; }
  bool reading() const { return reading_; }
  bool at_end() const { return at_ == bytes_.size(); }

  // Plain values, vectors, matrices, texts, objects with a memory(Archive&) and lists of such.
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
    if (reading_) values.clear();  // grows value by value: a forged count ends with the data
    for (std::size_t i = 0; i < count; ++i) item(reading_ ? values.emplace_back() : values[i]);
  }

  void append(const void* data, std::size_t size);
  void extract(void* data, std::size_t size);
  std::size_t read_count(std::size_t element_size);  // refuses counts that the rest of the block cannot hold
  std::vector<char> bytes_;
  std::size_t at_ = 0;
  bool reading_ = false;
};

// FNV-1a, 64 bit: tells a damaged block from a whole one.
std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t seed = 14695981039346656037ull);
}  // namespace trill
