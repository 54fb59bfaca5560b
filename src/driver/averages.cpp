// SPDX-License-Identifier: BSD-3-Clause
#include "driver/averages.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace trill {
namespace {
constexpr std::size_t fewest_blocks = 8;  // of which a spread can be taken at all
constexpr double least_independent = 30;
constexpr Index most_rows = 1 << 20;  // more are thinned out evenly
constexpr std::size_t bins = 40, least_different = 10;
constexpr std::size_t blocks_of_bins = 24;

double mean_of(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double variance_of(std::span<const double> x, double mean) {
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(x.size() - 1);
}

bool is_of_motion(QuantityKind kind) {
  return kind == QuantityKind::other || kind == QuantityKind::energy || kind == QuantityKind::energy_part;
}
}  // namespace

// Blocks of 1, 2, 4, ... values, until they are long enough for their means to be independent: B^3 > 2 N g^2, where g
// is the square of the error over that of independent values (Lee, Mitchell, Fahy, Phys. Rev. B 83 (2011) 245401 after
// Flyvbjerg, Petersen, J. Chem. Phys. 91 (1989) 461).
Average average_of(std::span<const double> values, double spacing) {
  Average a;
  const auto count = static_cast<double>(values.size());
  if (values.size() < 2) return a;
  a.mean = mean_of(values);
  const double variance = variance_of(values, a.mean);
  a.deviation = std::sqrt(variance);
  const double naive = variance / count;
  if (!(naive > 1e-26 * a.mean * a.mean)) {
    a.deviation = 0;
    a.is_settled = true;
    return a;
  }
  std::vector<double> blocks(values.begin(), values.end());
  double length = 1, square = naive, worst = naive;
  bool long_enough = false;
  while (!long_enough && blocks.size() / 2 >= fewest_blocks) {
    for (std::size_t k = 0; k < blocks.size() / 2; ++k) blocks[k] = 0.5 * (blocks[2 * k] + blocks[2 * k + 1]);
    blocks.resize(blocks.size() / 2);
    length *= 2;
    square = variance_of(blocks, mean_of(blocks)) / static_cast<double>(blocks.size());
    worst = std::max(worst, square);
    long_enough = length * length * length > 2 * count * (square / naive) * (square / naive);
  }
  if (!long_enough) square = worst;
  a.error = std::sqrt(square);
  a.correlation = 0.5 * spacing * square / naive;
  a.independent = variance / square;
  a.is_settled = a.independent >= least_independent;
  return a;
}

ValueRange range_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

Distribution distribution_of(std::span<const double> values, const Average& average, const ValueRange& range) {
  std::set<double> different;
  for (std::size_t k = 0; k < values.size() && different.size() < least_different; ++k) different.insert(values[k]);
  Distribution d;
  if (different.size() < least_different || !(range.high > range.low)) return d;
  d.from = range.low;
  d.width = (range.high - range.low) / static_cast<double>(bins);
  d.density.assign(bins, 0);
  d.error.assign(bins, 0);
  const auto blocks = static_cast<std::size_t>(
      std::clamp(average.independent, static_cast<double>(fewest_blocks), static_cast<double>(blocks_of_bins)));
  const std::size_t each = values.size() / blocks;
  std::vector<double> counts(bins);
  const double unit = 1 / (d.width * static_cast<double>(each)), share = 1 / static_cast<double>(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    std::fill(counts.begin(), counts.end(), 0.0);
    for (const double x : values.subspan(b * each, each)) {
      const double place = std::floor((x - d.from) / d.width);
      if (place >= -0.5 && place <= static_cast<double>(bins))
        counts[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins - 1)))] += unit;
    }
    for (std::size_t k = 0; k < bins; ++k) {
      d.density[k] += share * counts[k];
      d.error[k] += share * counts[k] * counts[k];
    }
  }
  for (std::size_t k = 0; k < bins; ++k)
    d.error[k] = std::sqrt(std::max(0.0, d.error[k] - d.density[k] * d.density[k]) / static_cast<double>(blocks - 1));
  return d;
}

MeasuredColumns::MeasuredColumns(const RunInfo& info, const RowSource& rows) {
  for (std::size_t k = 0; k < info.quantities.size(); ++k)
    if (is_of_motion(info.quantities[k].kind)) {
      quantities_.push_back(info.quantities[k]);
      columns_.push_back(k);
    }
  read(rows);
}

MeasuredColumns::MeasuredColumns(std::vector<Quantity> quantities, const RowSource& rows)
    : quantities_(std::move(quantities)) {
  for (std::size_t k = 0; k < quantities_.size(); ++k) columns_.push_back(k);
  read(rows);
}

void MeasuredColumns::read(const RowSource& rows) {
  values_.resize(columns_.size());
  const auto first = static_cast<Index>(start_left_out * static_cast<double>(rows.rows()));
  const Index stride = 1 + (rows.rows() - first) / most_rows;
  Index row = 0;
  double t_first = 0, t_last = 0;
  rows.visit([&](double t, const double*, const double* measured) {
    const Index k = row++ - first;
    if (k < 0 || k % stride != 0) return;
    if (k == 0) t_first = t;
    t_last = t;
    for (std::size_t c = 0; c < columns_.size(); ++c) values_[c].push_back(measured[columns_[c]]);
  });
  if (this->rows() > 1) spacing_ = std::abs(t_last - t_first) / static_cast<double>(this->rows() - 1);
}
}  // namespace trill
