// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trill {
// Writes JSON into one string. Texts become valid UTF-8 with < escaped, so that no text can end a script element;
// numbers that are not finite become null.
class JsonWriter {
 public:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& key(std::string_view name);
  JsonWriter& text(std::string_view value);
  JsonWriter& number(double value);
  JsonWriter& integer(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& texts(std::span<const std::string> values);
  JsonWriter& text_rows(const std::vector<std::vector<std::string>>& rows);

  // Little-endian numbers in base64.
  template <class Number>
  JsonWriter& numbers(std::span<const Number> values) {
    if constexpr (std::endian::native == std::endian::little) {
      return base64({reinterpret_cast<const unsigned char*>(values.data()), values.size_bytes()});
    } else {
      std::vector<unsigned char> bytes(values.size_bytes());
      for (std::size_t i = 0; i < values.size(); ++i)
        for (std::size_t b = 0; b < sizeof(Number); ++b)
          bytes[(i + 1) * sizeof(Number) - 1 - b] = reinterpret_cast<const unsigned char*>(&values[i])[b];
      return base64(bytes);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  JsonWriter& base64(std::span<const unsigned char> bytes);
  void separate();
  std::string out_;
  bool comma_ = false;
};
}  // namespace trill
