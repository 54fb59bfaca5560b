// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/spice_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace trill {
namespace {
constexpr std::pair<std::string_view, double> scales[] = {
    {"meg", 1e6},
    {"mil", 25.4e-6},
    {"f", 1e-15},
    {"p", 1e-12},
    {"n", 1e-9},
    {"u", 1e-6},
    {"m", 1e-3},
    {"k", 1e3},
    {"g", 1e9},
    {"t", 1e12},
    // the micro sign and the Greek letter in UTF-8, and in Latin-1
    {"\xc2\xb5", 1e-6},
    {"\xce\xbc", 1e-6},
    {"\xb5", 1e-6}};

bool is_unit_letter(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }
}  // namespace

std::optional<SpiceNumber> leading_number(std::string_view text) {
  const std::size_t sign = !text.empty() && text[0] == '+' ? 1 : 0;
  const std::size_t digits = sign + (sign < text.size() && text[sign] == '-' ? 1 : 0);
  if (digits >= text.size() || (sign == 1 && digits > sign)) return std::nullopt;
  const char first = text[digits] == '.' && digits + 1 < text.size() ? text[digits + 1] : text[digits];
  if (first < '0' || first > '9') return std::nullopt;  // from_chars would take words such as "inf"
  SpiceNumber number;
  const auto [end, error] = std::from_chars(text.data() + sign, text.data() + text.size(), number.value);
  if (error != std::errc()) return std::nullopt;
  number.length = static_cast<std::size_t>(end - text.data());
  const std::string_view rest = text.substr(number.length);
  for (const auto& [suffix, scale] : scales)
    if (rest.starts_with(suffix)) {
      // Dividing by a power of ten rounds once: 10n is the number nearest to 1e-8.
      number.value = scale < 1 && suffix != "mil" ? number.value / std::round(1 / scale) : number.value * scale;
      break;
    }
  if (!std::isfinite(number.value)) return std::nullopt;
  number.length += static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_unit_letter) - rest.begin());
  return number;
}

std::optional<double> spice_number(std::string_view text) {
  const auto number = leading_number(text);
  if (!number || number->length != text.size()) return std::nullopt;
  return number->value;
}
}  // namespace trill
