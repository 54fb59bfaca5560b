// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/shooting.hpp"

#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr int most_halvings = 6, most_halvings_when_free = 3;
// The first step of an oscillation without a clock changes the state and the period by at most these shares: uncapped,
// Newton's method may jump between cycles for ever. Later steps may be longer where steps lead where they should.
constexpr double most_change_of_state = 0.1, most_change_of_period = 0.02;
constexpr double most_error_of_guess = 0.5;  // of the period; beyond, the guess was no guess
// Rounding and the choice of steps inside a cycle limit how well two cycles agree. When an iteration with a residual
// below this no longer reduces the error, it has found what can be found.
constexpr double residual_of_rounding = 1e-11;

// The unknowns u are z in sizes of its components and, without a clock, the period in units of the first guess as one
// more. The map A of the linear systems (I - A) du = r then has one more row and column, [Phi, b; -b^T, 1] with the
// slope b at the end of the cycle: du is orthogonal to the slope, which fixes the phase.
class Shooting {
 public:
  Shooting(ShootingCycle& cycle, In start, const ShootingOptions& options)
      : cycle_(cycle), options_(options), n_(cycle.size()), free_(options.free_period.has_value()) {
    result_.z = start;
    end_ = slope_ = trial_z_ = scaled_ = image_ = Vec::Zero(n_);
    size_ = Vec::Zero(n_);
    result_.period = options.free_period.value_or(0);
    if (free_) cycle_.set_period(result_.period);
    if (n_ > options.dense_up_to && cycle.has_products()) {
      result_.matrix_free = true;
      auto matrix = std::make_unique<KrylovCycleMatrix>(unknowns(), [this](In v, Out av) { apply(v, av); });
      krylov_ = matrix.get();
      matrix_ = std::move(matrix);
    } else {
      auto matrix = std::make_unique<DenseCycleMatrix>();
      dense_ = matrix.get();
      matrix_ = std::move(matrix);
    }
  }

  ShootingResult run() {
    if (warm_up() && first_cycle()) iterate();
    if (!result_.converged && is_stopped()) give_up("stopped");
    if (result_.converged) find_multipliers();
    return result_;
  }

 private:
  Index unknowns() const { return n_ + (free_ ? 1 : 0); }

  bool warm_up() {
    for (int k = 0; k < options_.warm_up; ++k) {
      if (is_stopped()) return false;
      ++result_.cycles;
      if (!cycle_.advance(result_.z, end_) || !all_finite(end_))
        return fail(fmt::format("cycle {} of the warm-up could not be computed", k + 1));
      result_.z = end_;
    }
    return true;
  }

  bool first_cycle() {
    if (evaluate(result_.z, result_.period)) return true;
    return fail("the first cycle could not be computed");
  }

  // A cycle from z with its derivative; sets residual_.
  bool evaluate(In z, double period) {
    if (free_) cycle_.set_period(period);
    ++result_.cycles;
    ++result_.cycles_with_derivative;
    const bool made = dense_ ? cycle_.advance_with_derivative(z, end_, phi_) : cycle_.advance_and_keep(z, end_);
    if (!made || !all_finite(end_)) return false;
    measure(z);
    if (free_) {
      cycle_.slope(slope_);
      slope_ = (slope_.array() / size_.array()).matrix() * *options_.free_period;
    }
    residual_ = Vec::Zero(unknowns());
    residual_.head(n_) = ((end_ - z).array() / size_.array()).matrix();
    return true;
  }

  // Sizes only grow, so that norms of different iterates can be compared.
  void measure(In z) {
    cycle_.sizes(scaled_);
    size_ = size_.cwiseMax(scaled_).cwiseMax(z.cwiseAbs()).cwiseMax(end_.cwiseAbs());
    for (Index i = 0; i < n_; ++i)
      if (!(size_[i] > 0)) size_[i] = 1;
  }

  void iterate() {
    set_matrix();
    Vec step(unknowns()), next_step(unknowns());
    for (result_.iterations = 1; result_.iterations <= options_.max_iterations; ++result_.iterations) {
      if (is_stopped()) return;
      if (!solve(step)) return;
      const double length = step.lpNorm<Eigen::Infinity>();
      if (!take_step(step, length, next_step)) return;
      result_.error = next_step.lpNorm<Eigen::Infinity>();
      result_.residual = residual_.lpNorm<Eigen::Infinity>();
      const bool is_all = is_noise(result_.error) && result_.error > 0.5 * length;
      if (result_.error <= options_.tolerance || is_all) {
        result_.converged = true;
        return;
      }
      set_matrix();
    }
    --result_.iterations;
    give_up(fmt::format("Newton's method did not converge in {} iterations", result_.iterations));
  }

  bool solve(Vec& step) {
    if (matrix_->solve(residual_, step) && all_finite(step)) return true;
    give_up(dense_
                ? "the linear system of Newton's method is singular, since one multiplier is 1: there may be a whole "
                  "family of periodic motions"
                : "GMRES did not solve the linear system of Newton's method");
    return false;
  }

  // Goes along the step, shorter while the error estimated with the same matrix does not decrease.
  bool take_step(const Vec& step, double length, Vec& next_step) {
    double share = free_ ? capped_share(step) : 1;
    for (int halving = 0; halving <= most_halvings; ++halving, share /= 2) {
      trial_z_ = result_.z + (share * step.head(n_).array() * size_before_.array()).matrix();
      const double period = free_ ? result_.period + share * step[n_] * *options_.free_period : 0;
      if (free_ && !(std::abs(period / *options_.free_period - 1) < most_error_of_guess)) break;
      if (is_stopped()) return false;
      if (!evaluate(trial_z_, period)) continue;
      next_step = residual_;
      next_step.head(n_).array() *= size_.array() / size_before_.array();
      matrix_->estimate(Vec(next_step), next_step);
      const bool is_closer = next_step.lpNorm<Eigen::Infinity>() <= (1 - share / 4) * length;
      if (!is_closer && halving < (free_ ? most_halvings_when_free : most_halvings) && !is_noise(length)) continue;
      result_.z = trial_z_;
      result_.period = period;
      if (free_) adapt_room((next_step - (1 - share) * step).lpNorm<Eigen::Infinity>() / (share * length));
      return true;
    }
    give_up(
        "Newton's method proposes a start or a period from which no cycle can be computed, even after shorter steps");
    return false;
  }

  bool is_noise(double error) const {
    return error <= options_.noise || residual_.lpNorm<Eigen::Infinity>() <= residual_of_rounding;
  }

  double capped_share(const Vec& step) const {
    const double state = step.head(n_).lpNorm<Eigen::Infinity>() / most_change_of_state;
    const double period = std::abs(step[n_]) / most_change_of_period;
    return 1 / std::max({1.0, state / room_, period / room_});
  }

  // surprise: how much the step that is left differs from what the linear model says, in units of the step taken.
  void adapt_room(double surprise) {
    if (surprise < 0.25) room_ *= 2;
    if (surprise > 0.5) room_ = std::max(0.25, room_ / 2);
  }

  void set_matrix() {
    if (krylov_ && size_before_.size() > 0) krylov_->rescale((size_before_.array() / size_.array()).matrix());
    size_before_ = size_;
    slope_before_ = slope_;
    if (!dense_) return;
    Mat a = Mat::Identity(unknowns(), unknowns());
    a.topLeftCorner(n_, n_) = size_.cwiseInverse().asDiagonal() * phi_ * size_.asDiagonal();
    if (free_) {
      a.col(n_).head(n_) = slope_;
      a.row(n_).head(n_) = -slope_.transpose();
    }
    dense_->set(a);
  }

  void apply(In v, Out av) {
    ++result_.products;
    scaled_ = (v.head(n_).array() * size_before_.array()).matrix();
    cycle_.product(scaled_, image_);
    av.head(n_) = (image_.array() / size_before_.array()).matrix();
    if (!free_) return;
    av.head(n_) += v[n_] * slope_before_;
    av[n_] = v[n_] - slope_before_.dot(v.head(n_));
  }

  void find_multipliers() {
    Mat directions = Mat::Identity(n_, n_);  // in sizes of the components
    if (dense_) {
      result_.multipliers = all_multipliers(phi_);
    } else {
      set_matrix();
      const auto product = [this](In v, Out av) {
        ++result_.products;
        scaled_ = (v.array() * size_before_.array()).matrix();
        cycle_.product(scaled_, image_);
        av = (image_.array() / size_before_.array()).matrix();
      };
      result_.multipliers = largest_multipliers(n_, product, options_.multipliers, directions);
    }
    improve_multipliers(directions);
  }

  // Steps damp or excite, by a third power of their length. So a second cycle shows how much.
  void improve_multipliers(const Mat& directions) {
    Mat moved;
    const Mat from = size_.asDiagonal() * directions;
    if (!cycle_.move_in_half_steps(result_.z, from, size_, moved, result_.fast)) return;
    ++result_.cycles;
    ++result_.cycles_with_derivative;
    Multipliers better = all_multipliers(directions.transpose() * size_.cwiseInverse().asDiagonal() * moved);
    if (better.size() < result_.multipliers.size()) return;
    better.resize(result_.multipliers.size());
    result_.multiplier_error = error_of_largest(result_.multipliers, better, !free_);
    result_.multipliers = std::move(better);
  }

  bool is_stopped() {
    result_.stopped = options_.stop && options_.stop->load();
    return result_.stopped;
  }
  bool fail(const std::string& why) {
    result_.message = why;
    return false;
  }
  void give_up(const std::string& why) {
    if (residual_.size() == 0) {  // no cycle was computed
      fail(why);
      return;
    }
    const auto in_state = residual_.head(n_);
    result_.residual = in_state.cwiseAbs().maxCoeff(&result_.worst);
    fail(fmt::format("{}; the best cycle found ends {:.3g} of its size away from its start, most in {}", why,
                     result_.residual, cycle_.component_name(result_.worst)));
  }

  ShootingCycle& cycle_;
  ShootingOptions options_;
  Index n_;
  bool free_;
  double room_ = 1;  // for steps beyond the caps
  std::unique_ptr<CycleMatrix> matrix_;
  DenseCycleMatrix* dense_ = nullptr;  // matrix_, as the one of the two that it is
  KrylovCycleMatrix* krylov_ = nullptr;
  ShootingResult result_;
  Mat phi_;
  Vec end_, residual_, size_, size_before_, slope_, slope_before_, trial_z_, scaled_, image_;
};
}  // namespace

ShootingResult find_periodic(ShootingCycle& cycle, In start, const ShootingOptions& options) {
  return Shooting(cycle, start, options).run();
}
}  // namespace trill
