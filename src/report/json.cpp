// SPDX-License-Identifier: BSD-3-Clause
#include "report/json.hpp"

#include "report/plain_text.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
void JsonWriter::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  out_ += '"';
  for (const char c : valid_utf8(value)) {
    if (c == '"' || c == '\\')
      (out_ += '\\') += c;
    else if (c == '<' || static_cast<unsigned char>(c) < 0x20)
      out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out_ += c;
  }
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::number(double value) {
  separate();
  if (std::isfinite(value))
    out_ += fmt::format("{}", value);
  else
    out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  separate();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::texts(std::span<const std::string> values) {
  open('[');
  for (const std::string& value : values) text(value);
  return close(']');
}

JsonWriter& JsonWriter::text_rows(const std::vector<std::vector<std::string>>& rows) {
  open('[');
  for (const auto& row : rows) texts(row);
  return close(']');
}

JsonWriter& JsonWriter::base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  separate();
  out_ += '"';
  std::size_t to = out_.size();
  out_.resize(to + (bytes.size() + 2) / 3 * 4, '=');
  std::size_t i = 0;
  for (; i + 2 < bytes.size(); i += 3) {
    const unsigned three = static_cast<unsigned>(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]);
    out_[to++] = digits[three >> 18];
    out_[to++] = digits[three >> 12 & 63];
    out_[to++] = digits[three >> 6 & 63];
    out_[to++] = digits[three & 63];
  }
  if (i < bytes.size()) {
    const bool two = i + 1 < bytes.size();
    const unsigned rest = static_cast<unsigned>(bytes[i] << 16 | (two ? bytes[i + 1] << 8 : 0));
    out_[to++] = digits[rest >> 18];
    out_[to++] = digits[rest >> 12 & 63];
    if (two) out_[to++] = digits[rest >> 6 & 63];
  }
  out_ += '"';
  return *this;
}
}  // namespace trill
