// SPDX-License-Identifier: BSD-3-Clause
// A chain of 2m unit masses between fixed ends, joined in turn by m stiff linear and m + 1 soft quartic springs:
// Hairer, Lubich, Wanner, Geometric Numerical Integration, sec. I.5.1.
#include "trill/problem/registered.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr Index largest_dense = 24;
constexpr int largest_listed = 8;  // up to this m the energies of springs are measured one by one

struct FermiPastaUlamParameters {
  int m = 3;
  double omega = 50;

  void fields(OptionVisitor& v) {
    v.integer("m", m, Range::between(1, 10000000), "number of stiff springs; the chain has 2m masses");
    v.number("omega", omega, Range::positive(), "frequency of the stiff springs");
  }
};

SpMat pattern_of(Index rows, Index cols, const std::vector<Eigen::Triplet<double>>& entries) {
  SpMat pattern(rows, cols);
  pattern.setFromTriplets(entries.begin(), entries.end());
  return pattern;
}

// The lengths g_i = q_2i - q_{2i-1} of the stiff springs, linear in q.
class StiffGaps final : public ConstraintMap {
 public:
  explicit StiffGaps(Index m) : m_(m) {}
  Index count() const override { return m_; }
  MatrixSlot pattern() const override {
    if (2 * m_ <= largest_dense) return MatrixSlot::dense(m_, 2 * m_);
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < m_; ++i) {
      entries.emplace_back(i, 2 * i, 1);
      entries.emplace_back(i, 2 * i + 1, 1);
    }
    return MatrixSlot::sparse(pattern_of(m_, 2 * m_, entries));
  }
  void value(double, In q, Out g) const override {
    for (Index i = 0; i < m_; ++i) g[i] = q[2 * i + 1] - q[2 * i];
  }
  void jacobian(double, In, MatrixSlot& G) const override {
    G.set_zero();
    for (Index i = 0; i < m_; ++i) {
      G.add(i, 2 * i, -1);
      G.add(i, 2 * i + 1, 1);
    }
  }
  void curvature(double, In, In, Out eta) const override { eta.setZero(); }
  void transpose_derivative(double, In, In, MatrixSlot& d) const override { d.set_zero(); }

 private:
  Index m_;
};

class FermiPastaUlam final : public Registered<FermiPastaUlam, FermiPastaUlamParameters, MechanicalProblem> {
 public:
  static constexpr Groups stiff = 1, soft = 2;
  static ModelInfo describe() {
    return {.name = "oscillator/fermi_pasta_ulam",
            .title = "Fermi-Pasta-Ulam chain with alternating springs",
            .reference = "Hairer, Lubich, Wanner: Geometric Numerical Integration, sec. I.5.1",
            .equations =
                "H = 1/2 sum_1^2m p_i^2 + omega^2/4 sum_1^m (q_2i - q_{2i-1})^2 + sum_0^m (q_{2i+1} - q_2i)^4\n"
                "q_0 = q_{2m+1} = 0",
            .run = {.to = 100, .method = "composition8", .h = 0.01}};
  }

  explicit FermiPastaUlam(const Parameters& p)
      : Registered(p), m_(p.m), k_(0.5 * p.omega * p.omega), gaps_(p.m), strong_{&gaps_, Vec::Constant(p.m, k_)} {}

  Layout layout() const override { return {2 * m_, 2 * m_, 0, 0}; }
  std::vector<Quantity> components() const override {
    std::vector<Quantity> names;
    for (const char* letter : {"q", "v"})
      for (Index i = 1; i <= 2 * m_; ++i) names.push_back({letter + std::to_string(i), ""});
    return names;
  }
  // In the coordinates x_0,i = (q_2i + q_{2i-1})/sqrt(2) and x_1,i = (q_2i - q_{2i-1})/sqrt(2) with velocities y, the
  // start is x_0,1 = 1, y_0,1 = 1, x_1,1 = 1/omega, y_1,1 = 1, and all others are 0.
  State initial_state() const override {
    State s(layout());
    s.y[0] = (1 - 1 / p_.omega) / std::sqrt(2.0);
    s.y[1] = (1 + 1 / p_.omega) / std::sqrt(2.0);
    s.y[2 * m_ + 1] = std::sqrt(2.0);
    return s;
  }

  std::vector<GroupInfo> groups() const override { return {{"stiff", true}, {"soft", false}}; }
  void force(Groups groups, double, In position, In, Out out) const override {
    const double* q = position.data();
    double* f = out.data();
    const double k = groups & stiff ? k_ : 0, c = groups & soft ? 4 : 0;
    double left = c * q[0] * q[0] * q[0];  // tension of the soft spring to the left
    const Index last = 2 * m_ - 2;
    for (Index i = 0; i <= last; i += 2) {
      const double tension = k * (q[i + 1] - q[i]);
      const double d = (i < last ? q[i + 2] : 0) - q[i + 1];
      const double right = c * d * d * d;
      f[i] = tension - left;
      f[i + 1] = right - tension;
      left = right;
    }
  }
  MatrixSlot stiffness_pattern() const override {
    const Index n = 2 * m_;
    if (n <= largest_dense) return MatrixSlot::dense(n, n);
    std::vector<Eigen::Triplet<double>> entries;
    for (Index i = 0; i < n; ++i)
      for (Index j = std::max<Index>(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) entries.emplace_back(i, j, 1);
    return MatrixSlot::sparse(pattern_of(n, n, entries));
  }
  bool force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    for (Index i = 0; groups & stiff && i < m_; ++i) add_spring(dq, 2 * i, k_);
    for (Index i = 0; groups & soft && i <= m_; ++i) {
      const double d = soft_gap(q, i);
      add_spring(dq, 2 * i - 1, 12 * d * d);
    }
    return true;
  }
  std::optional<double> potential(Groups groups, double, In q) const override {
    double linear = 0, quartic = 0;
    for (Index i = 0; groups & stiff && i < m_; ++i) {
      const double d = q[2 * i + 1] - q[2 * i];
      linear += d * d;
    }
    for (Index i = 0; groups & soft && i <= m_; ++i) {
      const double d = soft_gap(q, i);
      quartic += d * d * d * d;
    }
    return 0.5 * k_ * linear + quartic;
  }
  const StrongPotential* strong_potential() const override { return &strong_; }

  // The oscillatory energies are I_i = (y_1,i^2 + omega^2 x_1,i^2)/2. Their sum is an adiabatic invariant.
  std::vector<Quantity> quantities() const override {
    std::vector<Quantity> names = {{"energy", ""}, {"oscillatory_energy", ""}};
    for (int i = 1; p_.m <= largest_listed && i <= p_.m; ++i)
      names.push_back({"oscillatory_energy_" + std::to_string(i), ""});
    return names;
  }
  void measure(const State& s, Out values) const override {
    const double* q = s.y.data();
    const double* v = q + 2 * m_;
    double sum = 0;
    for (Index i = 0; i < m_; ++i) {
      // These are sqrt(2) x_1,i and sqrt(2) y_1,i.
      const double x = q[2 * i + 1] - q[2 * i], y = v[2 * i + 1] - v[2 * i];
      const double part = 0.25 * y * y + 0.5 * k_ * x * x;
      if (m_ <= largest_listed) values[2 + i] = part;
      sum += part;
    }
    values[0] = unit_mass_energy(*this, s);
    values[1] = sum;
  }

 private:
  // The length of the soft spring between the masses 2i - 1 and 2i, counted from 0. Outside are the walls.
  double soft_gap(In q, Index i) const { return (i < m_ ? q[2 * i] : 0) - (i > 0 ? q[2 * i - 1] : 0); }
  // A spring of stiffness k between the masses i and i + 1.
  void add_spring(MatrixSlot& dq, Index i, double k) const {
    const bool left = i >= 0, right = i + 1 < 2 * m_;
    if (left) dq.add(i, i, -k);
    if (right) dq.add(i + 1, i + 1, -k);
    if (!left || !right) return;
    dq.add(i, i + 1, k);
    dq.add(i + 1, i, k);
  }

  Index m_;
  double k_;  // omega^2/2, the spring constant of the stiff springs
  StiffGaps gaps_;
  StrongPotential strong_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(fermi_pasta_ulam, FermiPastaUlam)
