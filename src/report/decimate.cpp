// SPDX-License-Identifier: BSD-3-Clause
#include "report/decimate.hpp"

#include "trill/base/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr float gap = std::numeric_limits<float>::quiet_NaN();

float single(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max() ? static_cast<float>(value) : gap;
}

// The rows between the first and the last are divided into buckets. Bucket b holds [begin, end); sizes differ by at
// most one.
Index bucket_begin(Index bucket, Index rows, Index buckets) {
  const Index inner = rows - 2;
  return 1 + bucket * (inner / buckets) + std::min(bucket, inner % buckets);
}
}  // namespace

Decimator::Decimator(Index rows, Index most_points, std::vector<SeriesPick> picks)
    : picks_(std::move(picks)), extremes_(picks_.size()), has_offset_(picks_.size(), 0) {
  result_.rows = rows;
  result_.series.resize(picks_.size());
  most_points = std::max<Index>(most_points, 4);
  if (rows > most_points) buckets_ = (most_points - 2) / 2;
  const auto points = static_cast<std::size_t>(std::min(rows, most_points));
  result_.t.reserve(points);
  for (DecimatedSeries& s : result_.series) s.data.reserve(points);
}

double Decimator::number(std::size_t i, const double* y, const double* measured) const {
  const SeriesPick& pick = picks_[i];
  const double value = pick.measured ? measured[pick.column] : y[pick.column];
  if (pick.blank_first_zero && at_ == 0 && value == 0) return std::numeric_limits<double>::quiet_NaN();
  return pick.half_width ? std::abs(value) : value;
}

void Decimator::keep(std::size_t i, double value) {
  DecimatedSeries& series = result_.series[i];
  if (!has_offset_[i] && std::isfinite(value)) {
    has_offset_[i] = 1;
    if (!picks_[i].log && !picks_[i].half_width) series.offset = value;
  }
  series.data.push_back(single(value - series.offset));
}

void Decimator::open_bucket() {
  ++bucket_;
  begin_ = bucket_begin(bucket_, result_.rows, buckets_);
  end_ = bucket_begin(bucket_ + 1, result_.rows, buckets_);
  for (Extremes& e : extremes_) e.low_at = e.high_at = -1;
}

void Decimator::close_bucket() {
  result_.t.push_back(first_t_);
  result_.t.push_back(second_t_);
  for (std::size_t i = 0; i < extremes_.size(); ++i) {
    const Extremes& e = extremes_[i];
    if (e.low_at < 0) {
      result_.series[i].data.insert(result_.series[i].data.end(), 2, gap);
      continue;
    }
    const bool low_first = e.low_at <= e.high_at;
    const double low = picks_[i].half_width ? e.high : e.low;
    keep(i, low_first ? low : e.high);
    keep(i, low_first ? e.high : low);
  }
}

void Decimator::row(double t, const double* y, const double* measured) {
  if (at_ >= result_.rows) return;
  const bool exact = buckets_ == 0 || at_ == 0 || at_ == result_.rows - 1;
  if (exact) {
    result_.t.push_back(t);
    for (std::size_t i = 0; i < picks_.size(); ++i) keep(i, number(i, y, measured));
    ++at_;
    return;
  }
  if (at_ == end_ || bucket_ < 0) open_bucket();
  // The times at one quarter and at three quarters of the bucket: evenly spaced points for evenly spaced rows.
  const Index quarter = (end_ - begin_) / 4;
  if (at_ == begin_ + quarter) first_t_ = t;
  if (at_ == end_ - 1 - quarter) second_t_ = t;
  for (std::size_t i = 0; i < picks_.size(); ++i) {
    const double value = number(i, y, measured);
    if (!std::isfinite(value)) continue;
    Extremes& e = extremes_[i];
    if (e.low_at < 0) {
      e = {value, value, at_, at_};
    } else if (value < e.low) {
      e.low = value;
      e.low_at = at_;
    } else if (value > e.high) {
      e.high = value;
      e.high_at = at_;
    }
  }
  if (++at_ == end_) close_bucket();
}

Decimated Decimator::finish() { return std::move(result_); }

PhaseCollector::PhaseCollector(Index rows, Index most_points, std::vector<Index> columns) : rows_(rows) {
  const std::size_t k = columns.size();
  result_.columns = std::move(columns);
  candidates_.resize(4 * k);
  for (std::size_t i = 0; i < candidates_.size(); ++i) candidates_[i].state = i * k;
  states_.resize(candidates_.size() * k);
  sample_rows_.resize(2 * k);
  current_.resize(k);
  if (k > 0 && rows > most_points)
    buckets_ = std::clamp<Index>((most_points - 2) / static_cast<Index>(4 * k), 1, std::max<Index>(1, rows - 2));
}

void PhaseCollector::keep(const double* state) {
  for (std::size_t i = 0; i < current_.size(); ++i) result_.data.push_back(single(state[i]));
  ++result_.points;
}

void PhaseCollector::open_bucket() {
  ++bucket_;
  const Index begin = bucket_begin(bucket_, rows_, buckets_);
  end_ = bucket_begin(bucket_ + 1, rows_, buckets_);
  const auto size = static_cast<double>(end_ - begin), strata = static_cast<double>(sample_rows_.size());
  for (std::size_t i = 0; i < sample_rows_.size(); ++i) {
    const double inside = random_uniform({0, 0, static_cast<std::uint64_t>(bucket_)}, static_cast<std::uint32_t>(i));
    sample_rows_[i] = begin + static_cast<Index>((static_cast<double>(i) + inside) / strata * size);
  }
  next_sample_ = 0;
}

void PhaseCollector::close_bucket() {
  std::sort(candidates_.begin(), candidates_.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  Index last = -1;
  for (Candidate& c : candidates_) {
    if (c.at > last) keep(states_.data() + c.state);
    last = std::max(last, c.at);
    c.at = -1;
  }
}

void PhaseCollector::offer(Candidate& candidate, double value) {
  candidate.at = at_;
  candidate.value = value;
  std::copy(current_.begin(), current_.end(), states_.begin() + static_cast<std::ptrdiff_t>(candidate.state));
}

void PhaseCollector::row(const double* y) {
  if (at_ >= rows_ || current_.empty()) return;
  for (std::size_t i = 0; i < current_.size(); ++i) current_[i] = y[result_.columns[i]];
  if (buckets_ == 0 || at_ == 0 || at_ == rows_ - 1) {
    keep(current_.data());
    ++at_;
    return;
  }
  if (at_ == end_ || bucket_ < 0) open_bucket();
  for (std::size_t i = 0; i < current_.size(); ++i) {
    const double value = current_[i];
    if (!std::isfinite(value)) continue;
    Candidate &low = candidates_[2 * i], &high = candidates_[2 * i + 1];
    if (low.at < 0 || value < low.value) offer(low, value);
    if (high.at < 0 || value > high.value) offer(high, value);
  }
  while (next_sample_ < sample_rows_.size() && sample_rows_[next_sample_] <= at_)
    offer(candidates_[2 * current_.size() + next_sample_++], 0);
  if (++at_ == end_) close_bucket();
}

PhasePoints PhaseCollector::finish() { return std::move(result_); }

std::vector<std::size_t> extreme_points(const std::vector<double>& x, const std::vector<double>& y, std::size_t most) {
  const std::size_t n = std::min(x.size(), y.size());
  std::vector<std::size_t> kept;
  if (n <= most || n < 7) {
    kept.resize(n);
    for (std::size_t i = 0; i < n; ++i) kept[i] = i;
    return kept;
  }
  const auto rows = static_cast<Index>(n);
  const auto buckets = static_cast<Index>(std::max<std::size_t>(1, (std::max<std::size_t>(most, 6) - 2) / 4));
  kept.push_back(0);
  for (Index b = 0; b < buckets; ++b) {
    const auto begin = static_cast<std::size_t>(bucket_begin(b, rows, buckets));
    const auto end = static_cast<std::size_t>(bucket_begin(b + 1, rows, buckets));
    std::array<std::size_t, 4> best{};
    bool any = false;
    for (std::size_t i = begin; i < end; ++i) {
      if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
      if (!any) best.fill(i);
      any = true;
      if (x[i] < x[best[0]]) best[0] = i;
      if (x[i] > x[best[1]]) best[1] = i;
      if (y[i] < y[best[2]]) best[2] = i;
      if (y[i] > y[best[3]]) best[3] = i;
    }
    if (!any) best.fill(begin);  // nothing to draw in this bucket: keep the gap
    std::sort(best.begin(), best.end());
    kept.insert(kept.end(), best.begin(), std::unique(best.begin(), best.end()));
  }
  kept.push_back(n - 1);
  return kept;
}
}  // namespace trill
