// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/averaged_motion.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr Index max_amplitudes = 48;
}  // namespace

void AveragedMotion::expect(const RunScope& scope) {
  scope_ = scope;
  tolerance_ = scope.tolerance > 0 ? scope.tolerance : fixed_step_tolerance_;
}

void AveragedMotion::enter(const State& given, State& in, Notes& notes) {
  in = State(inner().layout(), given.t);
  in.mode = given.mode;
  take(given, in, notes);
  last_ = in;
  running_ = true;
}

void AveragedMotion::leave(const State& in, State& out) const {
  const Index moving = in.layout.nq + in.layout.nv;
  out.t = in.t;
  if (!in.mode.empty()) out.mode = in.mode;
  out.y.head(moving) = in.y.head(moving);
  last_ = in;
  complete(in, out);
}

void AveragedMotion::refuse(const std::string& reason) const { throw UsageError(name_ + ": " + reason); }

double AveragedMotion::span() const {
  const double length = std::abs(scope_.t_end - scope_.t_begin);
  return length > 0 ? length : std::numeric_limits<double>::infinity();
}

std::vector<double> AveragedMotion::jumps() const {
  return given_.breakpoints(std::min(scope_.t_begin, scope_.t_end), std::max(scope_.t_begin, scope_.t_end));
}

void AveragedMotion::record(const std::string& name, QuantityKind kind, const std::string& unit) {
  const auto of_model = given_.quantities();
  const bool taken = std::any_of(of_model.begin(), of_model.end(), [&](const Quantity& q) { return q.name == name; });
  quantities_.push_back({taken ? name_ + "_" + name : name, unit, kind});
}

void AveragedMotion::record_amplitudes() {
  const auto components = given_.components();
  const Index n = given_.layout().nq;
  if (n > max_amplitudes) return;
  amplitudes_ = n;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
    record("amplitude_" + components[i].name, QuantityKind::amplitude, components[i].unit);
}

std::string AveragedMotion::frequency_unit() const {
  return given_.time_unit().empty() ? "" : "rad/" + given_.time_unit();
}
}  // namespace trill
