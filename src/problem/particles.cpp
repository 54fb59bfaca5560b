// SPDX-License-Identifier: BSD-3-Clause
#include "problem/particles.hpp"

#include "base/text.hpp"

#include <cmath>

namespace trill {
namespace {
constexpr const char *names_setting = "particles", *box_setting = "box";
constexpr long long most_particles = 10'000'000;

// The shortest beginning that the whole list repeats.
std::size_t period_of(const std::vector<std::string>& names) {
  for (std::size_t period = 1; period <= 8; ++period) {
    bool repeats = names.size() % period == 0;
    for (std::size_t i = period; i < names.size() && repeats; ++i) repeats = names[i] == names[i - period];
    if (repeats) return period;
  }
  return names.size();
}
}  // namespace

void store_particles(const Particles& particles, OptionSet& settings) {
  const std::size_t period = period_of(particles.names);
  if (period == 0) return;
  settings[names_setting] =
      std::to_string(particles.names.size() / period) + " x " + join(std::span(particles.names).first(period), " ");
  if (!particles.has_box()) return;
  settings[box_setting] =
      format_number(particles.box[0]) + " " + format_number(particles.box[1]) + " " + format_number(particles.box[2]);
}

std::optional<Particles> stored_particles(const OptionSet& settings) {
  const auto names = settings.find(names_setting), box = settings.find(box_setting);
  if (names == settings.end()) return std::nullopt;
  const std::vector<std::string> words = split(names->second, ' ');
  const auto copies = words.size() < 3 || words[1] != "x" ? std::nullopt : parse_integer(words[0]);
  const auto each = static_cast<long long>(words.size()) - 2;
  if (!copies || *copies < 1 || *copies > most_particles / each) return std::nullopt;
  Particles particles;
  for (long long copy = 0; copy < *copies; ++copy)
    particles.names.insert(particles.names.end(), words.begin() + 2, words.end());
  if (box == settings.end()) return particles;
  const std::vector<std::string> lengths = split(box->second, ' ');
  if (lengths.size() != 3) return std::nullopt;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto length = parse_number(lengths[k]);
    if (!length || !(*length > 0)) return std::nullopt;
    particles.box[k] = *length;
  }
  return particles;
}
}  // namespace trill
