// SPDX-License-Identifier: BSD-3-Clause
#include "report/energy_balance.hpp"

#include "trill/problem/langevin.hpp"
#include "trill/problem/mechanical.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trill {
namespace {
constexpr Index most_rows_balanced = 300'000;
constexpr double share_of_step = 1e-4;  // the step of differences in time, as a share of the distance of rows
constexpr double least_share = 1e-9;    // of the energy: less work is rounding

struct Power {
  double given = 0, lost = 0;
};

// With E(t, q, v) the energy, M a = f - G^T lambda and G v = -g_t: dE/dt = v f + lambda g_t + (d/dt of E with v held).
// The part of the force that is odd in v is friction, since forces that result from the mass are even. A magnetic force
// is odd and has no power.
class Powers {
 public:
  Powers(const MechanicalProblem& problem, const Layout& layout, std::size_t energy)
      : problem_(problem),
        energy_(static_cast<Index>(energy)),
        at_(layout),
        forth_(layout.nv),
        back_(layout.nv),
        measured_(static_cast<Index>(problem.quantities().size())) {
    if (const ConstraintMap* constraints = problem.constraints()) moves_.resize(constraints->count());
  }

  Power at(double t, const double* y, double step) {
    at_.t = t;
    at_.y = Eigen::Map<const Vec>(y, at_.layout.size());
    const Vec v = at_.v();
    problem_.force(all_groups, t, at_.q(), v, forth_);
    problem_.force(all_groups, t, at_.q(), -v, back_);
    Power power{0.5 * v.dot(forth_ + back_) + change_with_velocity_held(v, step), -0.5 * v.dot(forth_ - back_)};
    if (moves_.size() > 0 && moves_.size() == at_.layout.nl) {
      problem_.constraints()->time_derivative(t, at_.q(), moves_);
      power.given += at_.lambda().dot(moves_);
    }
    return power;
  }

 private:
  double change_with_velocity_held(const Vec& v, double step) {
    const double t = at_.t;
    const Vec q = at_.q();
    const auto energy = [&](double shift) {
      at_.t = t + shift;
      at_.q() = q + shift * v;
      problem_.measure(at_, measured_);
      return measured_[energy_];
    };
    const double change = energy(step) - energy(-step);
    at_.t = t;
    at_.q() = q;
    return change / (2 * step);
  }

  const MechanicalProblem& problem_;
  Index energy_;
  State at_;
  Vec forth_, back_, measured_, moves_;
};

// The integral from x[from] to x[from + 1] of the cubic through four points.
double integral_of_cubic(const std::array<double, 4>& x, const std::array<double, 4>& y, std::size_t from) {
  const auto value = [&](double at) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      double factor = y[i];
      for (std::size_t j = 0; j < 4; ++j)
        if (j != i) factor *= (at - x[j]) / (x[i] - x[j]);
      sum += factor;
    }
    return sum;
  };
  const double middle = 0.5 * (x[from] + x[from + 1]), half = 0.5 * (x[from + 1] - x[from]);
  const double node = half / std::sqrt(3.0);  // Gauss with two points is exact for cubics
  return half * (value(middle - node) + value(middle + node));
}

std::vector<double> running_integral(const std::vector<double>& t, const std::vector<double>& power) {
  std::vector<double> sum(t.size(), 0);
  for (std::size_t i = 1; i < t.size(); ++i) {
    const std::size_t first = std::min(i < 2 ? 0 : i - 2, t.size() < 4 ? 0 : t.size() - 4);
    const bool smooth =
        t.size() >= 4 && t[first] != t[first + 1] && t[first + 1] != t[first + 2] && t[first + 2] != t[first + 3];
    const double straight = 0.5 * (t[i] - t[i - 1]) * (power[i] + power[i - 1]);
    sum[i] =
        sum[i - 1] + (!smooth ? straight
                              : integral_of_cubic({t[first], t[first + 1], t[first + 2], t[first + 3]},
                                                  {power[first], power[first + 1], power[first + 2], power[first + 3]},
                                                  i - 1 - first));
  }
  return sum;
}

// Measured quantities of the run, followed by the three of the balance.
class BalancedRows final : public RowSource {
 public:
  BalancedRows(const RowSource& rows, std::size_t quantities, std::size_t energy, std::vector<double> given,
               std::vector<double> lost)
      : rows_(rows), quantities_(quantities), energy_(energy), given_(std::move(given)), lost_(std::move(lost)) {}
  Index rows() const override { return rows_.rows(); }
  void visit(const Visitor& visitor) const override {
    std::vector<double> more(quantities_ + 3);
    std::size_t i = 0;
    double start = 0;
    rows_.visit([&](double t, const double* y, const double* measured) {
      std::copy_n(measured, quantities_, more.begin());
      if (i == 0) start = measured[energy_];
      more[quantities_] = given_[i];
      more[quantities_ + 1] = lost_[i];
      more[quantities_ + 2] = measured[energy_] - start - given_[i] + lost_[i];
      ++i;
      visitor(t, y, more.data());
    });
  }

 private:
  const RowSource& rows_;
  std::size_t quantities_, energy_;
  std::vector<double> given_, lost_;
};

std::optional<std::size_t> energy_among(const std::vector<Quantity>& quantities) {
  const auto found = std::find_if(quantities.begin(), quantities.end(),
                                  [](const Quantity& q) { return q.kind == QuantityKind::energy; });
  if (found == quantities.end()) return std::nullopt;
  return static_cast<std::size_t>(found - quantities.begin());
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}
}  // namespace

std::optional<EnergyBalance> energy_balance(const Problem& problem, const RunInfo& info, const RowSource& rows) {
  const auto* mechanics = dynamic_cast<const MechanicalProblem*>(&problem);
  if (!mechanics || dynamic_cast<const LangevinProblem*>(&problem) || !problem.events().empty()) return std::nullopt;
  const auto measured = energy_among(problem.quantities()), recorded = energy_among(info.quantities);
  if (!measured || !recorded || info.layout != problem.layout() || !info.formulation.empty()) return std::nullopt;
  if (rows.rows() < 4 || rows.rows() > most_rows_balanced) return std::nullopt;
  std::vector<double> t, given, lost;
  Powers powers(*mechanics, info.layout, *measured);
  double before = 0, scale = 0;
  std::vector<double> first_row;
  const auto take = [&](double at, const double* y, double step) {
    const Power power = powers.at(at, y, share_of_step * step);
    t.push_back(at);
    given.push_back(power.given);
    lost.push_back(power.lost);
  };
  rows.visit([&](double at, const double* y, const double* quantities) {
    scale = std::max(scale, std::abs(quantities[*recorded]));
    if (first_row.empty()) {
      first_row.assign(y, y + info.layout.size());
      before = at;
      return;
    }
    const double step = at != before ? at - before : 1e-6;
    if (t.empty()) take(before, first_row.data(), step);
    take(at, y, step);
    before = at;
  });
  given = running_integral(t, given);
  lost = running_integral(t, lost);
  const double work = std::max(largest(given), largest(lost));
  if (!std::isfinite(work) || work <= least_share * scale) return std::nullopt;
  EnergyBalance balance{info, nullptr};
  const std::string& unit = info.quantities[*recorded].unit;
  for (const char* name : {work_name, "energy lost", balance_name})
    balance.info.quantities.push_back({name, unit, QuantityKind::energy_part});
  balance.rows =
      std::make_unique<BalancedRows>(rows, info.quantities.size(), *recorded, std::move(given), std::move(lost));
  return balance;
}
}  // namespace trill
