// SPDX-License-Identifier: BSD-3-Clause
// The formulation `soar`: a linear structure with gyroscopic or other damping and a stiffness matrix that need not be
// symmetric, in a few vectors of its second-order Krylov space.
#include "formulation/prospect.hpp"
#include "linalg/dense_decompositions.hpp"
#include "linalg/second_order_krylov.hpp"
#include "multiscale/reduced_structure.hpp"
#include "multiscale/structure_checks.hpp"
#include "multiscale/structure_targets.hpp"
#include "trill/base/options.hpp"
#include "trill/formulation/reformulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double soar_tolerance = 1e-6;  // where a run has none
constexpr int agreeing_spaces = 2;       // one after the other
constexpr Index vectors_between_looks = 4;
constexpr double points_of_fastest = 20, most_rows_of_soar = 20000;

struct SoarOptions {
  int vectors = 200;
  void fields(OptionVisitor& v) {
    v.integer("vectors", vectors, Range::between(4, 1000), "max number of vectors, whatever the tolerance asks for");
  }
};

class SoarForm final : public Reformulation {
 public:
  SoarForm(const Problem& problem, const SoarOptions& options)
      : structure_(problem.as<LinearStructure>("soar")), options_(options), reduced_(structure_) {}
  const Problem& inner() const override { return reduced_; }

  void expect(const RunScope& scope) override {
    require_forwards(scope.t_begin, scope.t_end, "soar");
    scope_ = scope;
  }

  void enter(const State& given, State& in, Notes& notes) override {
    targets_ = structure_targets(structure_, scope_.of);
    if (const std::string why = buckling_of(structure_); !why.empty())
      notes.raise_with(
          given.t, "buckling", [&] { return why; }, Severity::warning, 0, 0);
    grow(given);
    reduced_.become(system_, row_step());
    in = State(reduced_.layout(), given.t);
    in.q() = x0_;
    in.v() = v0_;
    if (!reached_)
      notes.raise_with(
          given.t, "reduction_incomplete",
          [&] {
            return fmt::format(
                "with {} vectors {} still changes by {:.1g} of its range when some are added, not {:.1g}",
                system_.size(), worst_, change_, tolerance());
          },
          Severity::warning, change_, tolerance());
  }

  void leave(const State& in, State& out) const override {
    out.t = in.t;
    out.q().noalias() = shapes_ * in.q();
    out.v().noalias() = shapes_ * in.v();
  }

  std::string reluctance() const override {
    return reached_ ? ""
                    : fmt::format("{} vectors give {} to {:.1g} of its range only", system_.size(), worst_, change_);
  }
  double model_error() const override { return change_; }
  std::string summary() const override {
    return fmt::format(
        "{} vectors from {} solves with one factorisation of K; {} within {:.1g} of its range (estimate: "
        "its change when the last vectors were added)",
        system_.size(), solves_, worst_, change_);
  }
  void account(Counters& work) const override { work.factorisations += 1; }

  std::vector<Quantity> diagnostics() const override {
    if (changes_.size() == 0) return {};
    return error_bands(structure_, targets_, false);
  }
  void diagnose(Out values) const override {
    for (Index k = 0, place = 0; k < changes_.size(); ++k)
      if (!targets_[static_cast<std::size_t>(k)].is_field()) values[place++] = changes_[k];
  }

 private:
  double tolerance() const { return scope_.tolerance > 0 ? scope_.tolerance : soar_tolerance; }

  // Vectors are added until the judged outputs have changed by less than the tolerance, several times in a row.
  void grow(const State& given) {
    const SpMat &m = structure_.mass_matrix(), &c = structure_.damping_matrix();
    const Mat& loads = structure_.load_shapes();
    Mat start(m.rows(), loads.cols() + 2);
    // (s^2 M + s C + K) U = s M u0 + (C u0 + M v0) + b p
    start.leftCols(loads.cols()) = loads;
    start.col(loads.cols()) = m * given.q();
    start.col(loads.cols() + 1) = c * given.q() + m * given.v();
    std::optional<SecondOrderKrylov> space;
    try {
      space.emplace(structure_.stiffness_matrix(), c, m, start);
    } catch (const UsageError& e) {
      throw structure_.stiffness_error(
          fmt::format("soar cannot reduce '{}': {}; --method radau runs it as it is", structure_.name(), e.what()));
    }
    Mat before;
    int agreeing = 0;
    Index looked_at = -vectors_between_looks;
    for (bool grows = space->size() > 0; !reached_;) {
      if (!grows || space->size() >= looked_at + vectors_between_looks) {
        project(space->vectors(), given);
        const Mat now = sample_targets(system_, structure_, {x0_, v0_, given.t, scope_.t_end}, targets_, weights());
        if (before.size() == now.size()) look(before, now);
        before = now;
        looked_at = space->size();
        agreeing = change_ <= tolerance() ? agreeing + 1 : 0;
        if (!grows) {
          change_ = 0;
          changes_ = Vec::Zero(now.rows());
        }
        reached_ = !grows || agreeing >= agreeing_spaces;
      }
      if (!reached_ && space->size() >= options_.vectors) break;
      if (!reached_) grows = space->extend();
    }
    solves_ = space->solves();
  }

  // In M-orthonormal vectors; the stiffness matrix stays full.
  void project(const Mat& q, const State& given) {
    const SpMat& m = structure_.mass_matrix();
    const Mat mass = q.transpose() * (m * q);
    Cholesky factors(q.cols());
    if (q.cols() > 0 && !factors.compute(mass))
      throw UsageError(
          fmt::format("soar cannot reduce '{}', because its vectors depend on each other", structure_.name()));
    Mat inverse = Mat::Identity(q.cols(), q.cols());
    if (q.cols() > 0) factors.solve_transposed(inverse);
    shapes_ = q * inverse;
    system_.stiffness = shapes_.transpose() * (structure_.stiffness_matrix() * shapes_);
    system_.lambda = system_.stiffness.diagonal();
    system_.coupling = shapes_.transpose() * (structure_.damping_matrix() * shapes_);
    system_.damping = Vec::Zero(q.cols());
    system_.loads = shapes_.transpose() * structure_.load_shapes();
    x0_ = shapes_.transpose() * (m * given.q());
    v0_ = shapes_.transpose() * (m * given.v());
  }

  Mat weights() const {
    Mat all = Mat::Zero(static_cast<Index>(targets_.size()), system_.size());
    for (std::size_t k = 0; k < targets_.size(); ++k)
      if (!targets_[k].is_field()) all.row(static_cast<Index>(k)) = targets_[k].weights.transpose() * shapes_;
    return all;
  }

  void look(const Mat& before, const Mat& now) {
    change_ = 0;
    changes_ = (now - before).cwiseAbs().rowwise().maxCoeff();
    for (Index k = 0; k < now.rows(); ++k) {
      const double range = targets_[static_cast<std::size_t>(k)].is_field()
                               ? now.row(k).maxCoeff()
                               : now.row(k).maxCoeff() - now.row(k).minCoeff();
      const double change = range > 0 ? changes_[k] / range : 0;
      if (!(change <= change_)) {
        change_ = change;
        worst_ = targets_[static_cast<std::size_t>(k)].name;
      }
    }
    if (worst_.empty()) worst_ = targets_.front().name;
  }

  // Twenty points for a period of the lowest frequency whose vector moves at all.
  double row_step() const {
    const double span = scope_.t_end - scope_.t_begin;
    if (system_.size() == 0) return span;
    const double lowest = general_eigen(system_.stiffness, false).values.cwiseAbs().minCoeff();
    const double wanted = lowest > 0 ? 6 / std::sqrt(lowest) / points_of_fastest : span;
    return std::max(std::min(wanted, span), span / most_rows_of_soar);
  }

  const LinearStructure& structure_;
  SoarOptions options_;
  ReducedStructure reduced_;
  RunScope scope_{0, 0, 1, {}};
  std::vector<RitzTarget> targets_;
  Mat shapes_;
  ModalSystem system_;
  Vec x0_, v0_;
  Index solves_ = 0;
  bool reached_ = false;
  Vec changes_;               // of the outputs since the space was smaller
  double change_ = HUGE_VAL;  // of the worst output since the space was smaller, relative to its range
  std::string worst_;
};

// Where ritz cannot be used, or has no bound, because damping couples the modes.
Prospect soar_prospect(const ProblemFacts& facts, const Question&) {
  Prospect out;
  out.objection = facts.structure
                      ? "name it where C is gyroscopic or K not symmetric; otherwise ritz gives a bound of its error"
                      : "it is for linear structures only";
  return out;
}
}  // namespace

ReformulationEntry soar_entry() {
  return {.name = "soar",
          .title =
              "reduces a linear structure with any damping and any stiffness matrix to second-order Krylov "
              "vectors",
          .reference = "Z. Bai, Y. Su, SIAM J. Matrix Anal. Appl. 26 (2005) 640-659",
          .delivers = Delivers::full,
          .free_of_oscillation = true,
          .runs = "linear structures",
          .options = list_options<SoarOptions>(),
          .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
            return std::make_unique<SoarForm>(problem, read_options<SoarOptions>(options, "soar"));
          },
          .driving_method = [](const Problem&) -> std::string { return "oscillators"; },
          .methods = oscillator_methods,
          .ends_by = {},
          .rtol = nullptr,
          .share_of_accuracy = share_for_reductions,
          .advise = soar_prospect};
}
}  // namespace trill
