// SPDX-License-Identifier: BSD-3-Clause
// What formulations share that keep all unknowns of a structure and bring a method of their own.
#pragma once

#include "multiscale/structure_checks.hpp"
#include "trill/formulation/reformulation.hpp"
#include "trill/method/stepper.hpp"

#include <cmath>

namespace trill {
// The structure itself, with the times between which it is to move.
class WholeStructure final : public LinearStructure {
 public:
  explicit WholeStructure(const LinearStructure& whole) : whole_(whole) {}
  void expect(const RunScope& scope) { scope_ = scope; }

  const LinearStructure& whole() const { return whole_; }
  double end() const { return scope_.t_end; }
  double span() const { return scope_.t_end - scope_.t_begin; }

  std::string name() const override { return whole_.name(); }
  std::unique_ptr<Problem> clone() const override {
    auto copy = std::make_unique<WholeStructure>(whole_);
    copy->expect(scope_);
    return copy;
  }
  std::vector<Quantity> components() const override { return whole_.components(); }
  State initial_state() const override { return whole_.initial_state(); }
  const SpMat& mass_matrix() const override { return whole_.mass_matrix(); }
  const SpMat& damping_matrix() const override { return whole_.damping_matrix(); }
  const SpMat& stiffness_matrix() const override { return whole_.stiffness_matrix(); }
  const Mat& load_shapes() const override { return whole_.load_shapes(); }
  void load_factors(double t, Out factors) const override { whole_.load_factors(t, factors); }
  std::optional<ProportionalDamping> proportional_damping() const override { return whole_.proportional_damping(); }

 private:
  const LinearStructure& whole_;
  RunScope scope_{0, 0, 1, {}};
};

class WholeStructureForm : public Reformulation {
 public:
  WholeStructureForm(const Problem& problem, std::string name)
      : name_(std::move(name)), whole_(problem.as<LinearStructure>(name_)) {}
  const Problem& inner() const override { return whole_; }
  void expect(const RunScope& scope) override {
    require_forwards(scope.t_begin, scope.t_end, name_);
    whole_.expect(scope);
  }
  void enter(const State& given, State& in, Notes&) override { in = given; }
  void leave(const State& in, State& out) const override {
    out.t = in.t;
    out.y = in.y;
  }

 private:
  std::string name_;
  WholeStructure whole_;
};

// Times add up with rounding.
inline bool same_length(double a, double b) { return std::abs(a - b) <= 1e-10 * std::abs(b); }

// How long the steps are of a method that needs no short ones: as long as rows are apart where these are asked for, and
// short enough to show the motion where the run would otherwise be one step. Equal lengths are worth keeping, because
// much depends on the length of a step.
class RowSteps {
 public:
  void start() {
    shows_.reset();
    piece_ = 0;
  }
  // At most h and `most`; not below `least` where it is free to choose.
  double next(const WholeStructure& structure, double t, double h, double least, double most) const {
    const double left = shown(structure, t, h, least);
    const double count = piece_ > 0 ? std::round(left / piece_) : 0;
    if (count >= 1 && piece_ <= most && same_length(count * piece_, left)) return count == 1 ? left : piece_;
    return left > most ? left / std::ceil(left / most) : left;
  }
  void took(double h) { piece_ = h; }

 private:
  double shown(const WholeStructure& structure, double t, double h, double least) const {
    constexpr double rows_of_run = 150, rounding = 1e-9;
    const double span = structure.span();
    if (!shows_) shows_ = t + h >= structure.end() - rounding * span;
    if (!*shows_) return h;
    const double step = span / std::max(1.0, std::floor(span / std::max(span / rows_of_run, least)));
    return h <= (1 + rounding) * step ? h : step;
  }

  mutable std::optional<bool> shows_;  // nothing but the end of the run limits the first step
  double piece_ = 0;                   // the last step
};
}  // namespace trill
