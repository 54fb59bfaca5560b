// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/ritz_reduction.hpp"

#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double asymmetry_allowed = 1e-10;
constexpr double singular_pivot = 1e-13;  // relative to the diagonal of K: below this a pivot is rounding
constexpr Index stagnant_blocks = 60;
constexpr double hardly_smaller = 0.7, undecided = 2;
constexpr int samples_of_run = 400;
constexpr double points_of_period = 20, most_rows = 20000;

double largest_entry(const SpMat& m) {
  return m.nonZeros() == 0 ? 0 : Eigen::Map<const Vec>(m.valuePtr(), m.nonZeros()).cwiseAbs().maxCoeff();
}

void require_symmetric_stiffness(const LinearStructure& structure) {
  const SpMat& k = structure.stiffness_matrix();
  const SpMat transposed = k.transpose(), difference = k - transposed;
  const double most = largest_entry(k);
  for (Index j = 0; j < difference.outerSize(); ++j)
    for (SpMat::InnerIterator it(difference, j); it; ++it)
      if (std::abs(it.value()) > asymmetry_allowed * most)
        throw structure.stiffness_error(fmt::format(
            "ritz needs a symmetric stiffness matrix, but that of '{}' has {:.6g} in row {} and column {}, and {:.6g} "
            "across the diagonal; --method radau and --method dop853 do not need symmetry",
            structure.name(), k.coeff(it.row(), j), it.row() + 1, j + 1, k.coeff(j, it.row())));
}

// A pivot that is no larger than rounding of the entry it came from belongs to a motion that no spring resists.
void require_held(const LinearStructure& structure, const SparseCholesky& factors) {
  const SpMat& k = structure.stiffness_matrix();
  const auto complain = [&](const std::string& what) {
    return structure.stiffness_error(
        fmt::format("ritz cannot reduce '{}', because its stiffness matrix is {}; 'trill modes' shows which "
                    "motions these are, and --method radau and --method generalized_alpha run it as it is",
                    structure.name(), what));
  };
  if (!factors.succeeded())
    throw complain("singular: some motion meets no resistance, as that of a body that is not held");
  const Vec& pivots = factors.pivots();
  if (!(pivots.minCoeff() > 0)) {
    const Index negative = (pivots.array() < 0).count();
    if (pivots.minCoeff() < -singular_pivot * pivots.maxCoeff())
      throw complain(fmt::format("indefinite: {} of its {} pivots are negative, so that the structure buckles",
                                 negative, pivots.size()));
  }
  if (!(pivots.minCoeff() > singular_pivot * k.diagonal().minCoeff()))
    throw complain(
        fmt::format("singular up to rounding: its smallest pivot is {:.2g}, and the smallest entry of its "
                    "diagonal {:.2g}, so that some motion meets no resistance, as that of a body that is not held",
                    pivots.minCoeff(), k.diagonal().minCoeff()));
}

class Reducer {
 public:
  explicit Reducer(const ReductionTask& task)
      : task_(task),
        structure_(task.structure),
        factors_((require_symmetric_stiffness(structure_), structure_.stiffness_matrix())) {
    require_held(structure_, factors_);
    damping_ = structure_.proportional_damping();
    result_.proved = damping_ && damping_->mass >= 0 && damping_->stiffness >= 0;
  }

  Reduction reduce() {
    const SpMat& m = structure_.mass_matrix();
    const Mat& loads = structure_.load_shapes();
    Mat start(m.rows(), loads.cols() + 2);
    start.leftCols(loads.cols()) = loads;
    start.col(loads.cols()) = m * task_.start.q();
    start.col(loads.cols() + 1) = m * task_.start.v();
    RitzBasis basis(structure_.stiffness_matrix(), m, factors_, start);
    const RitzBounds bounds(structure_, factors_, task_.start, task_.targets,
                            load_variation(structure_, task_.start.t, task_.t_end));
    momentum_ = start.rightCols(2);
    grow(basis, bounds);
    finish(basis, bounds);
    return std::move(result_);
  }

 private:
  // Adds blocks until every output is known well enough, or more of them do not help.
  void grow(RitzBasis& basis, const RitzBounds& bounds) {
    std::vector<double> history;
    if (basis.size() == 0) return;
    for (Index block = 1;; ++block) {
      const bool grew = block == 1 || basis.extend();
      result_.complete = !grew;
      if (grew && block < blocks_of_moments && basis.size() < structure_.mass_matrix().rows()) continue;
      if (!take(basis))
        throw structure_.stiffness_error(
            fmt::format("the reduction of '{}' failed, because rounding in its matrices is "
                        "larger than its lowest frequencies",
                        structure_.name()));
      look(basis, bounds);
      const double worst = worst_share();
      history.push_back(worst);
      result_.reached = result_.complete || worst <= 1;
      const bool stagnates =
          history.size() > stagnant_blocks && worst > hardly_smaller * history[history.size() - 1 - stagnant_blocks];
      if (result_.reached || stagnates || basis.size() + 3 > task_.most_vectors) return;
    }
  }

  bool take(RitzBasis& basis) {
    if (!basis.solve()) return false;
    ModalSystem& system = result_.system;
    const Mat& c = basis.combinations();
    const auto shares = [&](const Mat& of) { return Mat(c.transpose() * (basis.vectors().transpose() * of)); };
    system.lambda = basis.lambda();
    system.loads = shares(structure_.load_shapes());
    const Mat state = shares(momentum_);
    result_.x0 = state.col(0);
    result_.v0 = state.col(1);
    if (damping_) {
      system.damping = Vec::Constant(basis.size(), damping_->mass) + damping_->stiffness * system.lambda;
    } else {
      system.damping = Vec::Zero(basis.size());
      system.coupling = shares(structure_.damping_matrix() * basis.vectors()) * c;
    }
    return true;
  }

  // The bounds, and how far outputs move. Where damping couples the modes, the change since the space was smaller
  // counts as well.
  void look(const RitzBasis& basis, const RitzBounds& bounds) {
    const std::vector<RitzBound> found = bounds.find(basis, result_.x0, result_.v0);
    std::vector<ReducedOutput> before = std::move(result_.outputs);
    result_.outputs.clear();
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
    // The ranges change little: they are found anew where they could decide.
    if (!result_.proved || before.empty() || worst_share() < undecided) find_ranges(basis);
  }

  void find_ranges(const RitzBasis& basis) {
    const Mat curves = sample(basis);
    for (std::size_t k = 0; k < result_.outputs.size(); ++k) {
      ReducedOutput& out = result_.outputs[k];
      const auto curve = curves.row(static_cast<Index>(k));
      out.range = out.is_field ? curve.maxCoeff() : curve.maxCoeff() - curve.minCoeff();
      if (!result_.proved && curves_.size() == curves.size())
        out.bound += (curves_.row(static_cast<Index>(k)) - curve).cwiseAbs().maxCoeff();
    }
    curves_ = curves;
  }

  // All targets along the run.
  Mat sample(const RitzBasis& basis) const {
    const ModalSystem& system = result_.system;
    Mat weights(static_cast<Index>(task_.targets.size()), system.size());
    for (std::size_t k = 0; k < task_.targets.size(); ++k)
      if (!task_.targets[k].is_field())
        weights.row(static_cast<Index>(k)) =
            (basis.combinations().transpose() * (basis.vectors().transpose() * task_.targets[k].weights)).transpose();
    const double t0 = task_.start.t, span = task_.t_end - t0;
    const std::vector<double> breaks = load_breaks(structure_, t0, task_.t_end);
    ModalMotion motion(system, structure_);
    Vec x = result_.x0, v = result_.v0;
    Mat curves(weights.rows(), samples_of_run + 1);
    std::size_t next = 1;
    double t = t0;
    for (int i = 0;; ++i) {
      for (Index k = 0; k < weights.rows(); ++k)
        curves(k, i) = task_.targets[static_cast<std::size_t>(k)].is_field() ? x.norm() : weights.row(k).dot(x);
      if (i == samples_of_run) return curves;
      const double until = i + 1 == samples_of_run ? task_.t_end : t0 + span * (i + 1) / samples_of_run;
      for (; next < breaks.size() && breaks[next] < until; ++next) {
        if (breaks[next] > t) motion.advance(t, breaks[next] - t, x, v);
        t = std::max(t, breaks[next]);
      }
      motion.advance(t, until - t, x, v);
      t = until;
    }
  }

  double worst_share() const {
    double worst = 0;
    for (const ReducedOutput& out : result_.outputs) worst = std::max(worst, out.relative() / task_.tolerance);
    return worst;
  }

  void finish(const RitzBasis& basis, const RitzBounds& bounds) {
    result_.solves = basis.solves() + bounds.solves();
    if (basis.size() == 0) {  // nothing is excited
      result_.reached = result_.complete = true;
      result_.shapes = Mat::Zero(structure_.mass_matrix().rows(), 0);
      result_.system.loads = Mat::Zero(0, structure_.load_shapes().cols());
      result_.step = task_.t_end - task_.start.t;
      for (const RitzTarget& target : task_.targets)
        result_.outputs.push_back({target.name, 0, 0, "", target.is_field()});
      return;
    }
    result_.modes = converged_modes(basis).count();
    result_.shapes = basis.vectors() * basis.combinations();
    find_floor();
    find_step();
  }

  // Rounding in the entries of K moves the lowest frequency by half of u |K| |x|^2 / (x^T K x), and the phase of the
  // motion by that times its angle.
  void find_floor() {
    const SpMat& k = structure_.stiffness_matrix();
    double norm = 0;
    for (Index j = 0; j < k.outerSize(); ++j) {
      double sum = 0;
      for (SpMat::InnerIterator it(k, j); it; ++it) sum += std::abs(it.value());
      norm = std::max(norm, sum);
    }
    const double of_square = 0.5 * std::numeric_limits<double>::epsilon() * norm * result_.shapes.col(0).squaredNorm() /
                             result_.system.lambda[0];
    const double angle = std::sqrt(result_.system.lambda[0]) * (task_.t_end - task_.start.t);
    result_.floor = of_square * (1 + 0.5 * angle);
  }

  // Twenty points for a period of the mean frequency, weighted by the squares of what the modes can reach.
  void find_step() {
    const ModalSystem& system = result_.system;
    double squares = 0, speeds = 0;
    for (Index j = 0; j < system.size(); ++j) {
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
    result_.step = std::max(std::min(wanted, span), span / most_rows);
  }

  const ReductionTask& task_;
  const LinearStructure& structure_;
  SparseCholesky factors_;
  std::optional<ProportionalDamping> damping_;
  Mat momentum_;  // M u0 and M v0
  Mat curves_;    // outputs of the space before
  Reduction result_;
};
}  // namespace

Reduction reduce(const ReductionTask& task) { return Reducer(task).reduce(); }
}  // namespace trill
