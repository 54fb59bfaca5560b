// SPDX-License-Identifier: BSD-3-Clause
#include "trill/solution/solution.hpp"

#include "base/text.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::array<EnumWord<RunStatus>, 8> status_words{{{RunStatus::reached_end, "reached_end"},
                                                           {RunStatus::event, "event"},
                                                           {RunStatus::stopped, "stopped"},
                                                           {RunStatus::step_limit, "step_limit"},
                                                           {RunStatus::step_too_small, "step_too_small"},
                                                           {RunStatus::newton_failed, "newton_failed"},
                                                           {RunStatus::non_finite, "non_finite"},
                                                           {RunStatus::refused, "refused"}}};

Index find_name(const std::vector<Quantity>& list, std::string_view name, std::string_view what) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return static_cast<Index>(i);
    known.push_back(list[i].name);
  }
  throw UsageError(fmt::format("the solution has no {} '{}'{}", what, name, suggest(name, known)));
}
}  // namespace

std::string way_of(const RunInfo& info) {
  return info.formulation.empty() ? info.method : info.formulation + " (" + info.method + ")";
}

const char* to_text(RunStatus status) { return word_for(status, status_words); }

RunStatus run_status_from(std::string_view text) {
  if (const auto status = meaning_of(text, status_words)) return *status;
  throw IoError(fmt::format("'{}' is not a run status", text));
}

const char* to_text(Verdict verdict) {
  constexpr std::array<EnumWord<Verdict>, 4> words{
      {{Verdict::none, "none"}, {Verdict::green, "green"}, {Verdict::amber, "amber"}, {Verdict::red, "red"}}};
  return word_for(verdict, words);
}

Verdict verdict_of(double relative) {
  if (!(relative <= amber_deviation)) return Verdict::red;
  return relative <= green_deviation ? Verdict::green : Verdict::amber;
}

void Solution::append(double at, In y, In measured) {
  t.push_back(at);
  y_.insert(y_.end(), y.data(), y.data() + y.size());
  measured_.insert(measured_.end(), measured.data(), measured.data() + measured.size());
}

void Solution::reserve(Index rows) {
  t.reserve(static_cast<std::size_t>(rows));
  y_.reserve(static_cast<std::size_t>(rows * info.layout.size()));
  measured_.reserve(static_cast<std::size_t>(rows) * info.quantities.size());
}

void Solution::keep_every_other() {
  const auto halve = [](std::vector<double>& data, std::size_t width) {
    if (width == 0) return;
    const std::size_t kept = (data.size() / width + 1) / 2;
    for (std::size_t i = 1; i < kept; ++i) std::copy_n(data.begin() + 2 * i * width, width, data.begin() + i * width);
    data.resize(kept * width);
  };
  halve(t, 1);
  halve(y_, static_cast<std::size_t>(info.layout.size()));
  halve(measured_, info.quantities.size());
}

void Solution::visit(const Visitor& visitor) const {
  const Index n = info.layout.size(), m = static_cast<Index>(info.quantities.size());
  for (Index i = 0; i < rows(); ++i)
    visitor(t[static_cast<std::size_t>(i)], y_.data() + i * n, measured_.data() + i * m);
}

Eigen::Map<const Mat> Solution::y() const { return {y_.data(), info.layout.size(), rows()}; }
Eigen::Map<const Mat> Solution::measured() const {
  return {measured_.data(), static_cast<Index>(info.quantities.size()), rows()};
}

Index Solution::component(std::string_view name) const { return find_name(info.components, name, "component"); }
Index Solution::quantity(std::string_view name) const { return find_name(info.quantities, name, "quantity"); }

double Solution::drift(std::string_view name) const {
  const auto row = measured().row(quantity(name));
  return row.size() == 0 ? 0 : (row.array() - row[0]).abs().maxCoeff();
}

std::string Solution::brief() const {
  const Counters& c = outcome.counters;
  std::string line = fmt::format("{} with {}: {} at t = {:.6g}, {} steps ({} rejected), {} force evaluations, {:.3g} s",
                                 info.problem, info.method, to_text(outcome.status), t.empty() ? 0 : t.back(), c.steps,
                                 c.rejected, c.most_forces(), c.seconds);
  if (!outcome.message.empty()) line += "; " + outcome.message;
  return line;
}

void Solution::evaluate(double at, Out y) const {
  if (segments.empty()) throw UsageError("this run kept no dense output; set dense = true in its options to keep it");
  const bool forward = segments.front().h > 0;
  const auto it = std::partition_point(segments.begin(), segments.end(),
                                       [&](const Segment& s) { return forward ? s.t0 + s.h < at : s.t0 + s.h > at; });
  const Segment& segment = it == segments.end() ? segments.back() : *it;
  const double theta = (at - segment.t0) / segment.h;
  if (theta < -1e-9 || theta > 1 + 1e-9)
    throw UsageError(fmt::format("t = {} is outside the time interval of the dense output of this run", at));
  // Lagrange interpolation through the nodes; there are enough of them to reproduce the interpolant exactly.
  const Index last = segment.nodes.cols() - 1;
  y.setZero();
  for (Index i = 0; i <= last; ++i) {
    double weight = 1;
    for (Index j = 0; j <= last; ++j)
      if (j != i) weight *= (theta * static_cast<double>(last) - static_cast<double>(j)) / static_cast<double>(i - j);
    y += weight * segment.nodes.col(i);
  }
}
}  // namespace trill
