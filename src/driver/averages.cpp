// SPDX-License-Identifier: BSD-3-Clause
#include "driver/averages.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace trill {
namespace {
constexpr std::size_t fewest_blocks = 8;  // of which a spread can be taken at all
constexpr double least_independent = 30;
constexpr double settled_growth = 1.5;  // of a square from one length to the next
constexpr double doubtful_growth = 3;   // of a square from short blocks to the longest, of which there are few
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

// The square of the error of a mean that blocks of one length give.
struct BlockLevel {
  double blocks, square;
  bool long_enough;  // for the correlations that this length shows
  // By more than the random error of a spread of so many blocks.
  bool exceeds(const BlockLevel& other) const {
    return square > other.square * (1 + clearly * std::sqrt(2 / (blocks - 1)));
  }
  static constexpr double clearly = 2;
};

// Blocks of 2, 4, ... values. They are long enough for their means to be independent from B^3 > 2 N g^2 on, where g is
// the square of the error over that of independent values (Lee, Mitchell, Fahy, Phys. Rev. B 83 (2011) 245401 after
// Flyvbjerg, Petersen, J. Chem. Phys. 91 (1989) 461).
std::vector<BlockLevel> levels_of(std::span<const double> values, double naive) {
  std::vector<BlockLevel> levels;
  std::vector<double> means(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  for (double length = 2; means.size() / 2 >= fewest_blocks; length *= 2) {
    for (std::size_t k = 0; k < means.size() / 2; ++k) means[k] = 0.5 * (means[2 * k] + means[2 * k + 1]);
    means.resize(means.size() / 2);
    const auto blocks = static_cast<double>(means.size());
    const double square = variance_of(means, mean_of(means)) / blocks, growth = square / naive;
    levels.push_back({blocks, square, length * length * length > 2 * count * growth * growth});
  }
  return levels;
}

struct BlockError {
  double square;
  bool is_known;
};

// A fast oscillation hides slow changes from short blocks, because its own means cancel. So longer blocks count where
// they show clearly more.
BlockError error_of_blocks(std::span<const double> values, double naive) {
  const std::vector<BlockLevel> levels = levels_of(values, naive);
  auto chosen = std::find_if(levels.begin(), levels.end(), [](const BlockLevel& l) { return l.long_enough; });
  if (chosen == levels.end()) {
    double worst = naive;
    for (const BlockLevel& level : levels) worst = std::max(worst, level.square);
    const bool has_settled =
        levels.size() > 1 && levels.back().square < settled_growth * levels[levels.size() - 2].square;
    return {worst, has_settled};
  }
  const auto first = chosen;
  for (auto level = first + 1; level < levels.end(); ++level)
    if (level->exceeds(*chosen)) chosen = level;
  return {chosen->square, chosen->blocks >= least_independent || chosen->square < doubtful_growth * first->square};
}
}  // namespace

Average average_of(std::span<const double> values, double spacing) {
  Average a;
  if (values.size() < 2) return a;
  a.mean = mean_of(values);
  const double variance = variance_of(values, a.mean), naive = variance / static_cast<double>(values.size());
  a.deviation = std::sqrt(variance);
  if (!(naive > 1e-26 * a.mean * a.mean)) {
    a.deviation = 0;
    a.is_settled = true;
    return a;
  }
  const BlockError block = error_of_blocks(values, naive);
  a.error = std::sqrt(block.square);
  a.correlation = 0.5 * spacing * block.square / naive;
  a.independent = variance / block.square;
  a.is_settled = block.is_known && a.independent >= least_independent;
  return a;
}

bool changes_slowly(const Average& average) { return !average.is_settled && average.independent >= least_independent; }

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
  const Index stride = 1 + (rows.rows() - first) / most_rows_for_averages;
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
