// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/ritz_reduction.hpp"

#include "linalg/modes.hpp"
#include "multiscale/structure_checks.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double balance_of_rounding = 1e-9;
constexpr Index most_rigid_motions = 6;  // in space
constexpr Index stagnant_blocks = 60;
constexpr double hardly_smaller = 0.7, undecided = 2;
constexpr int samples_of_run = 400;
constexpr double points_of_period = 20, most_rows = 20000, least_rows = 150, most_numbers = 1.6e7;

UsageError no_reduction(const LinearStructure& structure, const std::string& what) {
  return structure.stiffness_error(
      fmt::format("ritz cannot reduce '{}', because its stiffness matrix is {}; --method radau and --method "
                  "generalized_alpha run it as it is",
                  structure.name(), what));
}

// A pivot that is no larger than rounding of the entry it came from belongs to a motion that no spring resists.
bool is_held(const LinearStructure& structure, const StructureSpace::Signs& signs) {
  if (!signs.succeeded || signs.has_rounded_pivot) return false;
  if (signs.negative > 0)
    throw no_reduction(structure,
                       fmt::format("indefinite: {} of its {} pivots are negative, so that the structure buckles",
                                   signs.negative, structure.layout().nq));
  return true;
}

// The motions of a body that is not held, M-orthonormal.
Mat motions_without_strain(const LinearStructure& structure) {
  const SpMat &k = structure.stiffness_matrix(), &m = structure.mass_matrix();
  const Modes modes = lowest_modes(k, m, {.count = std::min<Index>(most_rigid_motions + 1, k.rows())});
  Index count = 0;
  while (count < modes.pairs.values.size() && modes.is_rigid(count)) ++count;
  if (!modes.pairs.converged || count == 0 || count > most_rigid_motions)
    throw no_reduction(structure,
                       "singular: some motion meets no resistance, and it is not a rigid motion of a free body");
  return modes.pairs.vectors.leftCols(count);
}

// The share of a load that moves the whole body, relative to what it would be if nothing in it balanced.
double unbalanced_share(const Mat& rigid, const Vec& load) {
  double worst = 0;
  for (Index j = 0; j < rigid.cols(); ++j) {
    const double most = rigid.col(j).cwiseAbs().dot(load.cwiseAbs());
    if (most > 0) worst = std::max(worst, std::abs(rigid.col(j).dot(load)) / most);
  }
  return worst;
}

void require_balance(const LinearStructure& structure, const Mat& rigid) {
  const Mat& loads = structure.load_shapes();
  for (Index i = 0; i < loads.cols(); ++i)
    if (const double share = unbalanced_share(rigid, loads.col(i)); share > balance_of_rounding)
      throw no_reduction(
          structure,
          fmt::format(
              "singular, since the body is not held ({} without resistance, which 'trill modes' shows), and load "
              "{} does not balance: {:.3g} % of it push the whole body; a load that balances is accepted",
              rigid.cols() == 1 ? "one motion is" : fmt::format("{} motions are", rigid.cols()), i + 1, 100 * share));
}

class Reducer {
 public:
  explicit Reducer(const ReductionTask& task)
      : task_(task),
        structure_(task.structure),
        whole_(structure_.stiffness_matrix(), structure_.mass_matrix(), &structure_.damping_matrix()),
        space_(task.space ? *task.space : whole_),
        targets_(task.targets),
        rigid_(space_.rows(), 0) {
    factorise();
    damping_ = structure_.proportional_damping();
    result_.rigid = rigid_.cols();
    result_.proved = damping_ && damping_->mass >= 0 && damping_->stiffness >= 0 &&
                     (task.of_start == StartEstimate::bound || task.start.y.isZero(0));
    result_.engine = space_.engine();
    result_.bytes_of_factors = space_.bytes_of_factors();
    loads_ = structure_.load_shapes().middleRows(space_.first(), space_.rows());
    for (RitzTarget& target : targets_)
      if (!target.is_field()) target.weights = Vec(here(target.weights));
  }

  Reduction reduce() {
    Vec u0 = here(task_.start.q()), v0 = here(task_.start.v());
    Mat start(space_.rows(), loads_.cols() + 2);
    start.leftCols(loads_.cols()) = loads_;
    start.col(loads_.cols()) = space_.mass_times(u0);
    start.col(loads_.cols() + 1) = space_.mass_times(v0);
    momentum_ = start.rightCols(2);
    if (rigid_.cols() > 0) {
      const Mat left = whole_.inverse().balanced(start);
      for (Index c = 0; c < start.cols(); ++c)
        if (left.col(c).norm() > balance_of_rounding * start.col(c).norm())
          start.col(c) = left.col(c);
        else
          start.col(c).setZero();
      u0 -= rigid_ * (rigid_.transpose() * momentum_.col(0));  // without the motion of the whole body
      v0 -= rigid_ * (rigid_.transpose() * momentum_.col(1));
    }
    RitzBasis basis(space_, start, rigid_);
    RitzBounds bounds(space_, loads_, u0, v0, damping_.value_or(ProportionalDamping{}), targets_,
                      load_variation(structure_, task_.start.t, task_.t_end), task_.of_start);
    grow(basis, bounds);
    finish(basis, bounds);
    return std::move(result_);
  }

 private:
  Vec here(In whole) const { return whole.segment(space_.first(), space_.rows()); }

  void factorise() {
    if (!task_.space) require_symmetric_stiffness(structure_, "ritz");
    if (is_held(structure_, space_.factorise(0))) return;
    if (task_.space)
      throw no_reduction(structure_,
                         "singular: some motion meets no resistance, as the rigid motions of a free body do");
    rigid_ = motions_without_strain(structure_);
    require_balance(structure_, rigid_);
    if (!is_held(structure_, whole_.factorise_without(rigid_)))
      throw no_reduction(structure_, "singular up to rounding, also where the motions of the whole body are held");
  }

  // Adds blocks until every output is known well enough, or more of them do not help.
  void grow(RitzBasis& basis, RitzBounds& bounds) {
    std::vector<double> history;
    double estimate_before = HUGE_VAL;  // one that is small once may be so by chance
    if (basis.size() == 0) return;
    for (Index block = 1;; ++block) {
      const bool grew = block == 1 || basis.extend();
      result_.complete = !grew;
      if (grew && block < blocks_of_moments && basis.size() + result_.rigid < space_.size()) continue;
      if (!take(basis))
        throw structure_.stiffness_error(
            fmt::format("the reduction of '{}' failed, because rounding in its matrices is "
                        "larger than its lowest frequencies",
                        structure_.name()));
      look(basis, bounds);
      const double bound = worst_share(&ReducedOutput::bound), estimate = worst_share(&ReducedOutput::change);
      history.push_back(std::min(bound, estimate));
      result_.reached = result_.complete || bound <= 1 || std::max(estimate, estimate_before) <= 1;
      if (result_.reached || is_hopeless(history, basis.size()) || basis.size() + 3 > task_.most_vectors) {
        if (!result_.complete && bound > 1 && estimate < bound) take_estimates();
        return;
      }
      estimate_before = estimate;
    }
  }

  void take_estimates() {
    result_.unmet_bound = worst_share(&ReducedOutput::bound) * task_.tolerance;
    result_.proved = false;
    for (ReducedOutput& out : result_.outputs) out.bound = std::min(out.bound, out.change);
  }

  // The bound has hardly fallen for many blocks, and at this rate the vectors that are left would not do.
  bool is_hopeless(const std::vector<double>& history, Index vectors) const {
    if (history.size() <= stagnant_blocks) return false;
    const double worst = history.back(), rate = worst / history[history.size() - 1 - stagnant_blocks];
    const double blocks_left = static_cast<double>(task_.most_vectors - vectors) * static_cast<double>(history.size()) /
                               static_cast<double>(vectors);
    return rate > hardly_smaller && worst * std::pow(rate, blocks_left / stagnant_blocks) > 1;
  }

  // Motions of the whole body come first, with the eigenvalue 0.
  bool take(RitzBasis& basis) {
    if (basis.size() > 0 && !basis.solve()) return false;
    ModalSystem& system = result_.system;
    const Index rigid = result_.rigid;
    const auto shares = [&](const Mat& of) { return in_coordinates(basis, of); };
    system.lambda = Vec::Zero(rigid + basis.size());
    if (basis.size() > 0) system.lambda.tail(basis.size()) = basis.lambda();
    system.loads = shares(loads_);
    system.loads.topRows(rigid).setZero();  // they balance
    const Mat state = shares(momentum_);
    result_.x0 = state.col(0);
    result_.v0 = state.col(1);
    system.damping = Vec::Zero(system.lambda.size());
    if (damping_)
      system.damping = Vec::Constant(system.lambda.size(), damping_->mass) + damping_->stiffness * system.lambda;
    else
      system.coupling = shares(space_.damping_times(shapes(basis)));
    return true;
  }

  Mat shapes(const RitzBasis& basis) const {
    Mat all(space_.rows(), result_.rigid + basis.size());
    all.leftCols(result_.rigid) = rigid_;
    if (basis.size() > 0) all.rightCols(basis.size()).noalias() = basis.vectors() * basis.combinations();
    return all;
  }
  // shapes(basis)^T times vectors.
  Mat in_coordinates(const RitzBasis& basis, const Mat& of) const {
    Mat shares(result_.rigid + basis.size(), of.cols());
    shares.topRows(result_.rigid).noalias() = rigid_.transpose() * of;
    if (basis.size() > 0) shares.bottomRows(basis.size()) = basis.shares_of(of);
    return shares;
  }

  // The bounds, and how far outputs move. Where damping couples the modes, the change since the space was smaller
  // counts as well.
  void look(const RitzBasis& basis, RitzBounds& bounds) {
    const std::vector<RitzBound> found =
        bounds.find(basis, result_.x0.tail(basis.size()), result_.v0.tail(basis.size()));
    std::vector<ReducedOutput> before = std::move(result_.outputs);
    result_.outputs.clear();
    const Index solves = basis.solves() + bounds.solves();
    for (std::size_t k = 0; k < found.size(); ++k) {
      ReducedOutput out{task_.targets[k].name, found[k].total(), before.empty() ? 0 : before[k].range,
                        "the initial state", task_.targets[k].is_field()};
      double most = found[k].of_start;
      for (Index i = 0; i < found[k].of_loads.size(); ++i)
        if (found[k].of_loads[i] > most) {
          most = found[k].of_loads[i];
          out.worst = fmt::format("load {}", i + 1);
        }
      result_.outputs.push_back(out);
    }
    // The ranges change little: they are found anew where they could decide, and earlier where changes will count.
    if (!result_.proved || before.empty() || worst_share(&ReducedOutput::bound) < undecided ||
        solves >= share_of_vectors_before / 2 * static_cast<double>(task_.solves_for_bound))
      find_ranges(basis);
    if (solves >= task_.solves_for_bound) find_changes(basis, found);
  }

  static double difference(const Mat& before, const Mat& now, std::size_t k) {
    return (before.row(static_cast<Index>(k)) - now.row(static_cast<Index>(k))).cwiseAbs().maxCoeff();
  }

  // A rough initial state excites all modes a little, which no change shows: it counts with its bound.
  void find_changes(const RitzBasis& basis, const std::vector<RitzBound>& found) {
    const Mat* earlier = curves_with(share_of_vectors_before * static_cast<double>(basis.size()));
    for (std::size_t k = 0; earlier && k < result_.outputs.size(); ++k)
      result_.outputs[k].change = std::max(difference(*earlier, looks_.back().curves, k), found[k].of_start);
  }

  void find_ranges(const RitzBasis& basis) {
    const Mat curves = sample(basis);
    for (std::size_t k = 0; k < result_.outputs.size(); ++k) {
      ReducedOutput& out = result_.outputs[k];
      const auto curve = curves.row(static_cast<Index>(k));
      out.range = out.is_field ? curve.maxCoeff() : curve.maxCoeff() - curve.minCoeff();
      if (!result_.proved && !looks_.empty()) out.bound += difference(looks_.back().curves, curves, k);
    }
    looks_.push_back({basis.size(), curves});
  }

  // Of the largest space that was looked at with at most so many vectors.
  const Mat* curves_with(double vectors) const {
    for (auto look = looks_.rbegin(); look != looks_.rend(); ++look)
      if (static_cast<double>(look->vectors) <= vectors) return &look->curves;
    return nullptr;
  }

  // All targets along the run.
  Mat sample(const RitzBasis& basis) const {
    Mat weights = Mat::Zero(static_cast<Index>(task_.targets.size()), result_.system.size());
    for (std::size_t k = 0; k < task_.targets.size(); ++k)
      if (!task_.targets[k].is_field())
        weights.row(static_cast<Index>(k)) = in_coordinates(basis, targets_[k].weights).transpose();
    return sample_targets(result_.system, structure_, {result_.x0, result_.v0, task_.start.t, task_.t_end},
                          task_.targets, weights);
  }

  double worst_share(double ReducedOutput::*error) const {
    double worst = 0;
    for (const ReducedOutput& out : result_.outputs) worst = std::max(worst, out.relative(error) / task_.tolerance);
    return worst;
  }

  void finish(RitzBasis& basis, const RitzBounds& bounds) {
    result_.solves = basis.solves() + bounds.solves();
    if (basis.size() == 0) {  // nothing is strained
      take(basis);
      result_.reached = result_.complete = true;
      result_.shapes = shapes(basis);
      result_.step = task_.t_end - task_.start.t;
      for (const RitzTarget& target : task_.targets)
        result_.outputs.push_back({target.name, 0, 0, "", target.is_field()});
      return;
    }
    result_.modes = converged_modes(basis).count();
    result_.shapes = shapes(basis);
    find_floor(basis.rounding());
    find_step();
  }

  // Rounding in the entries of K moves the lowest frequency by half of u |K| |x|^2 / (x^T K x), and the phase of the
  // motion by that times its angle.
  void find_floor(double rounding_of_square) {
    const double angle = std::sqrt(result_.system.lambda[result_.rigid]) * (task_.t_end - task_.start.t);
    result_.floor = 0.5 * rounding_of_square * (1 + 0.5 * angle);
  }

  // Twenty points for a period of the mean frequency, weighted by the squares of what the modes can reach, and enough
  // to show what loads do, as long as so many rows of all unknowns are not large.
  void find_step() {
    const ModalSystem& system = result_.system;
    double squares = 0, speeds = 0;
    for (Index j = result_.rigid; j < system.size(); ++j) {
      const double lambda = system.lambda[j];
      const double reach = std::pow(system.loads.row(j).norm() / lambda, 2) + std::pow(result_.x0[j], 2) +
                           std::pow(result_.v0[j], 2) / lambda;
      squares += reach;
      speeds += reach * lambda;
    }
    const double span = task_.t_end - task_.start.t;
    const double wanted = squares > 0 && speeds > 0
                              ? 2 * std::numbers::pi * std::sqrt(squares / speeds) / points_of_period
                              : span / samples_of_run;
    const double rows = std::clamp(most_numbers / static_cast<double>(space_.size()), 1.0, least_rows);
    result_.step = std::max(std::min(wanted, span / rows), span / most_rows);
  }

  const ReductionTask& task_;
  const LinearStructure& structure_;
  WholeSpace whole_;
  StructureSpace& space_;
  std::vector<RitzTarget> targets_;  // in the rows that are here
  Mat rigid_;                        // motions of a body that is not held
  Mat loads_;
  std::optional<ProportionalDamping> damping_;
  Mat momentum_;  // M u0 and M v0
  struct Look {
    Index vectors;
    Mat curves;  // of the outputs
  };
  std::vector<Look> looks_;  // at spaces before
  Reduction result_;
};
}  // namespace

Reduction reduce(const ReductionTask& task) { return Reducer(task).reduce(); }
}  // namespace trill
