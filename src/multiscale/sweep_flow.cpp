// SPDX-License-Identifier: BSD-3-Clause
// For any fast force: symmetric inner steps forward, and one sweep back for the mollified forces (SS08 sec. 2 and 3).
#include "method/composition.hpp"
#include "multiscale/fast_flow.hpp"
#include "multiscale/force_products.hpp"
#include "multiscale/kicked_flow.hpp"
#include "multiscale/sweep_grid.hpp"
#include "trill/linalg/kernels.hpp"

#include <cmath>
#include <span>

#include <fmt/format.h>

namespace trill {
namespace {
class SweepFlow final : public FastFlow {
 public:
  SweepFlow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs, const FlowOptions& options)
      : problem_(problem),
        groups_(fast),
        pairs_(std::move(pairs)),
        options_(options),
        gamma_(find_composition(options.inner_order)->gamma),
        has_mass_(problem.mass_kind() != MassKind::identity),
        accelerate_(problem, fast),
        products_(problem, fast) {
    for (const double share : gamma_) longest_share_ = std::max(longest_share_, std::abs(share));
  }

  void start(const State& s) override {
    const Index n = s.layout.nq;
    rest_ = a_ = v_ = swept_ = momentum_ = shift_ = product_ = divided_ = at_ = mode_now_ = end_q_ = end_v_ =
        Vec::Zero(n);
    accelerate_.start(s.q());
    products_.start(s.q());
    fastest_ = find_fastest_mode(problem_, groups_, s.t, s.q());
    known_ = false;
    grid_inner_ = 0;
  }

  void refine() override { finer_ *= 2; }
  void forget() override { known_ = false; }

  bool flow(double t, double h, Out q, Out v, Counters& work) override {
    const int steps = 2 * inner_steps(h);
    const double tau = h / steps;
    const Index n = q.size();
    last_steps_ = steps;
    accelerate_at(t, h, q, work);
    double before = 0, place = t;  // half kicks of neighbouring sub-steps are combined
    for (int i = 0; i < steps; ++i)
      for (const double share : gamma_) {
        const double step = share * tau;
        kick_drift(q.data(), v.data(), a_.data(), 0.5 * (before + step), step, q.data(), v.data(), n);
        place += step;
        accelerate_(place, q, rest_, a_);
        before = step;
      }
    add_scaled(v.data(), 0.5 * before, a_.data(), n);
    count(work, steps * static_cast<int>(gamma_.size()));
    if (!all_finite(q) || !all_finite(v)) {
      known_ = false;
      return false;
    }
    remember(t + h, q);
    return true;
  }

  const std::vector<WeightPair>& pairs() const override { return pairs_; }

  bool average(double t, double h, In q, Eigen::Ref<Mat> a, Counters& work) override {
    prepare(h);
    const Index n = q.size(), points = std::max(grid_.phi_points, grid_.psi_points);
    t_ = t;
    h_ = h;
    accelerate_at(t, h, q, work);
    position(0) = q;
    for (Index j = 0; j < a.cols(); ++j) a.col(j) = grid_.phi(0, j) * q;
    v_.setZero();
    // The force at q is also that of a flow which ended or will begin here: it stays in a_.
    const double* force = a_.data();
    for (Index k = 0; k + 1 < points; ++k) {
      if (k > 0) {
        accelerate_(t, position(k), rest_, swept_);
        force = swept_.data();
      }
      double* const next = position(k + 1).data();
      kick_drift(position(k).data(), v_.data(), force, kick(k), drift(k), next, v_.data(), n);
      for (Index j = 0; j < a.cols(); ++j)
        if (grid_.phi(k + 1, j) != 0) add_scaled(a.col(j).data(), grid_.phi(k + 1, j), next, n);
    }
    count(work, static_cast<int>(std::max<Index>(0, points - 2)));
    if (!stored_) {
      walk_back_to(grid_.psi_points - 1, points - 1, work);
      end_q_ = position(0);
      end_v_ = v_;
    }
    return all_finite(position(points - 1));
  }

  // a (momentum_) is a perturbation of the momentum and b (shift_) minus one of the position. Both are carried back
  // along the sweep, and the forces are added to a at the grid points on the way. This is exactly the inverse of the
  // tangent of the forward steps, so that the method with phi = psi is symplectic.
  bool mollify(const Eigen::Ref<const Mat>& g, Out sum, Counters& work) override {
    const Index n = sum.size();
    momentum_.setZero();
    shift_.setZero();
    product_.setZero();
    const Index last = grid_.psi_points - 1;
    if (!stored_) {
      position(0) = end_q_;
      v_ = end_v_;
    }
    inject(g, last);
    for (Index k = last - 1; k >= 0; --k) {
      kick_and_shift(k + 1 < last ? kick(k + 1) : 0, drift(k));
      if (!stored_) walk_back_to(k, k + 1, work);
      products_(t_, position(k), shift_, product_, work);
      inject(g, k);
    }
    if (last > 0) add_scaled(momentum_.data(), kick(0), product_.data(), n);
    sum = momentum_;
    return all_finite(sum);
  }

  double fastest_frequency() const override { return fastest_.frequency; }
  const Vec& fastest_mode() const override { return fastest_.mode; }
  double frequency_at(double t, In q, Counters& work) override {
    constexpr int products = 8;
    mode_now_ = fastest_.mode;
    if (fastest_.frequency == 0) return 0;
    return follow_fastest_mode(products_, accelerate_, t, q, products, mode_now_, divided_, work);
  }
  double inner_angle(double h) const override {
    return fastest_.frequency * std::abs(h) / (2 * inner_steps(h)) * longest_share_;
  }
  std::string text() const override {
    return fmt::format("{} inner steps of order {}{}", last_steps_, options_.inner_order,
                       products_.by_differences() ? ", force products by differences" : "");
  }

  void memory(Archive& archive) override { archive(fastest_.frequency, fastest_.mode, known_, at_t_, at_, a_); }

 private:
  int inner_steps(double h) const {
    return options_.inner > 0 ? options_.inner : finer_ * steps_for(fastest_.frequency, 0.5 * h);
  }

  void prepare(double h) {
    const int inner = inner_steps(h);
    if (inner == grid_inner_) return;
    grid_inner_ = inner;
    grid_.fill(pairs_, gamma_, inner);
    const Index points = std::max(grid_.phi_points, grid_.psi_points);
    stored_ = points * rest_.size() <= options_.most_stored;
    positions_.resize(rest_.size(), stored_ ? points : 1);
  }

  double drift(Index k) const { return h_ * grid_.steps[static_cast<std::size_t>(k)]; }
  // Half kicks of neighbouring sub-steps are combined.
  double kick(Index k) const { return 0.5 * ((k > 0 ? drift(k - 1) : 0) + drift(k)); }

  Mat::ColXpr position(Index k) { return positions_.col(stored_ ? k : 0); }

  // Computes the last steps of the sweep again from their end, if storing the positions would take too much memory.
  // q_k = q_(k+1) minus the drift, v_(k-1/2) = v_(k+1/2) minus the kick.
  void walk_back_to(Index k, Index from, Counters& work) {
    for (; from > k; --from) {
      add_scaled(position(0).data(), -drift(from - 1), v_.data(), v_.size());
      if (from == 1) return;
      accelerate_(t_, position(0), rest_, swept_);
      count(work, 1);
      add_scaled(v_.data(), -kick(from - 1), swept_.data(), v_.size());
    }
  }

  void accelerate_at(double t, double h, In q, Counters& work) {
    if (known_ && same_time(t, at_t_, h) && q == at_) return;
    accelerate_(t, q, rest_, a_);
    work.count_forces(accelerate_.counted_groups());
    remember(t, q);
  }
  void remember(double t, In q) {
    known_ = true;
    at_t_ = t;
    at_ = q;
  }

  void inject(const Eigen::Ref<const Mat>& g, Index k) {
    for (Index j = 0; j < g.cols(); ++j)
      if (grid_.psi(k, j) != 0) add_scaled(momentum_.data(), grid_.psi(k, j), g.col(j).data(), momentum_.size());
  }

  void kick_and_shift(double half, double step) {
    double *const a = momentum_.data(), *const b = shift_.data();
    const Index n = momentum_.size();
    if (has_mass_) {
      add_scaled(a, half, product_.data(), n);
      divided_ = momentum_;
      accelerate_.divide_by_mass(at_, divided_);
      add_scaled(b, step, divided_.data(), n);
    } else {
      kick_drift(b, a, product_.data(), half, step, b, a, n);
    }
  }

  void count(Counters& work, int steps) const {
    for (int i = 0; i < steps; ++i) work.count_forces(accelerate_.counted_groups());
    work.micro_steps += steps;
  }

  const MechanicalProblem& problem_;
  Groups groups_;
  std::vector<WeightPair> pairs_;
  FlowOptions options_;
  std::span<const double> gamma_;
  bool has_mass_;
  double longest_share_ = 0;
  Acceleration accelerate_;
  ForceProducts products_;
  FastestMode fastest_;
  SweepGrid grid_;
  int finer_ = 1, grid_inner_ = 0, last_steps_ = 0;
  Mat positions_;  // positions of the last forward sweep, or the current one of a walk back
  bool stored_ = true;
  Vec end_q_, end_v_;     // start of a walk back
  double t_ = 0, h_ = 0;  // time and step of that sweep
  bool known_ = false;    // a_ is the acceleration at at_t_ and at_
  double at_t_ = 0;
  Vec at_, a_;
  Vec rest_, v_, swept_, momentum_, shift_, product_, divided_, mode_now_;
};
}  // namespace

std::unique_ptr<FastFlow> make_sweep_flow(const MechanicalProblem& problem, Groups fast, std::vector<WeightPair> pairs,
                                          const FlowOptions& options) {
  return std::make_unique<SweepFlow>(problem, fast, std::move(pairs), options);
}
}  // namespace trill
