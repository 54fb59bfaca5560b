// SPDX-License-Identifier: BSD-3-Clause
// Mollified impulses through all interfaces, compared with a hand-written loop with the same forces: how much the
// inner loop costs besides the forces themselves, and whether the time is linear in the length of a chain.
#include "ratio.hpp"
#include "trill/driver/plan.hpp"
#include "trill/problem/mechanical.hpp"

#include <cmath>

namespace {
using namespace trill;
using namespace trill::bench;

// Adds the forces k (r - 1) d/r of a spring of unit length to its two ends. The second function does the same for the
// derivative along b.
inline void pull(const double* qi, const double* qj, double k, double* fi, double* fj) {
  const double dx = qi[0] - qj[0], dy = qi[1] - qj[1], r = std::sqrt(dx * dx + dy * dy), s = k * (r - 1) / r;
  fi[0] -= s * dx;
  fi[1] -= s * dy;
  fj[0] += s * dx;
  fj[1] += s * dy;
}

inline void pull_along(const double* qi, const double* qj, const double* bi, const double* bj, double k, double* fi,
                       double* fj) {
  const double dx = qi[0] - qj[0], dy = qi[1] - qj[1], square = dx * dx + dy * dy, r = std::sqrt(square);
  const double ux = bi[0] - bj[0], uy = bi[1] - bj[1];
  const double along = k * (dx * ux + dy * uy) / (square * r), across = k * (r - 1) / r;
  const double x = across * ux + along * dx, y = across * uy + along * dy;
  fi[0] -= x;
  fi[1] -= y;
  fj[0] += x;
  fj[1] += y;
}

// The example of SS08 sec. 7.
struct TwoSprings {
  static constexpr double fast_k = 400, slow_k = 0.5;
  Index size() const { return 4; }
  Vec q() const { return Eigen::Vector4d(1, 0, 2, 0); }
  Vec v() const { return Eigen::Vector4d(1, 1, -1, 1) * std::sqrt(2.0) / 4; }
  void fast(const double* q, double* f) const {
    const double origin[2] = {0, 0};
    double unused[2] = {0, 0};
    f[0] = f[1] = f[2] = f[3] = 0;
    pull(q, origin, fast_k, f, unused);
  }
  void fast_along(const double* q, const double* b, double* f) const {
    const double origin[2] = {0, 0};
    double unused[2] = {0, 0};
    f[0] = f[1] = f[2] = f[3] = 0;
    pull_along(q, origin, b, origin, fast_k, f, unused);
  }
  void slow(const double* q, double* f) const {
    f[0] = f[1] = f[2] = f[3] = 0;
    pull(q, q + 2, slow_k, f, f + 2);
  }
};

// A chain with stiff bonds between neighbours and repulsion between all masses up to 40 places apart.
struct Chain {
  static constexpr double fast_k = 400;
  static constexpr Index reach = 40;
  Index masses;
  Index size() const { return 2 * masses; }
  Vec q() const {
    Vec q(size());
    for (Index i = 0; i < masses; ++i) {
      q[2 * i] = 0.8 * static_cast<double>(i);
      q[2 * i + 1] = (i % 2) * 0.6;
    }
    return q;
  }
  Vec v() const {
    Vec v(size());
    for (Index i = 0; i < size(); ++i) v[i] = 0.3 * std::sin(1.7 * static_cast<double>(i));
    return v;
  }
  void fast(const double* q, double* f) const {
    std::fill(f, f + size(), 0.0);
    for (Index i = 0; i + 2 < size(); i += 2) pull(q + i, q + i + 2, fast_k, f + i, f + i + 2);
  }
  void fast_along(const double* q, const double* b, double* f) const {
    std::fill(f, f + size(), 0.0);
    for (Index i = 0; i + 2 < size(); i += 2) pull_along(q + i, q + i + 2, b + i, b + i + 2, fast_k, f + i, f + i + 2);
  }
  void slow(const double* q, double* f) const {
    std::fill(f, f + size(), 0.0);
    for (Index i = 0; i < size(); i += 2)
      for (Index j = i + 4; j < std::min(size(), i + 2 * reach); j += 2) {
        const double dx = q[i] - q[j], dy = q[i + 1] - q[j + 1], square = dx * dx + dy * dy + 0.1;
        const double s = 0.05 / (square * std::sqrt(square));
        f[i] += s * dx;
        f[i + 1] += s * dy;
        f[j] -= s * dx;
        f[j + 1] -= s * dy;
      }
  }
};

template <class System>
class AsProblem final : public MechanicalProblem {
 public:
  explicit AsProblem(System system) : system_(system) {}
  std::string name() const override { return "springs"; }
  Layout layout() const override { return {system_.size(), system_.size(), 0, 0}; }
  std::vector<Quantity> components() const override {
    return std::vector<Quantity>(static_cast<std::size_t>(2 * system_.size()));
  }
  State initial_state() const override {
    State s(layout());
    s.y << system_.q(), system_.v();
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<AsProblem>(*this); }
  std::vector<GroupInfo> groups() const override { return {{"fast", true}, {"slow", false}}; }
  void force(Groups groups, double, In q, In, Out f) const override {
    if (groups == 1) return system_.fast(q.data(), f.data());
    if (groups == 2) return system_.slow(q.data(), f.data());
    Vec other(f.size());
    system_.fast(q.data(), f.data());
    system_.slow(q.data(), other.data());
    f += other;
  }
  bool force_product(Groups groups, double, In q, In, In b, Out f) const override {
    if (groups != 1) return false;
    system_.fast_along(q.data(), b.data(), f.data());
    return true;
  }

 private:
  System system_;
};

constexpr double h = 0.25;
constexpr int inner = 10;  // so that omega tau = 0.25

// The method with the weights (short, short), as one would write it by hand for one system.
template <class System>
double hand_written(const System& system, int steps) {
  const auto n = static_cast<std::size_t>(system.size());
  const Vec q0 = system.q(), v0 = system.v();
  std::vector<double> q(q0.data(), q0.data() + n), v(v0.data(), v0.data() + n), f(n), g(n), kick(n), a(n), b(n), u(n),
      average(n), product(n), path(n * (inner + 1));
  const double tau = h / (2 * inner), weight = 1.0 / (2 * inner);
  const auto mollified = [&] {
    std::copy(q.begin(), q.end(), path.begin());
    std::fill(u.begin(), u.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) average[i] = weight * q[i];
    for (int k = 0; k < inner; ++k) {
      const double *from = path.data() + n * static_cast<std::size_t>(k), w = k + 1 < inner ? 2 * weight : weight;
      double* to = path.data() + n * static_cast<std::size_t>(k + 1);
      system.fast(from, f.data());
      const double half = k == 0 ? 0.5 * tau : tau;
      for (std::size_t i = 0; i < n; ++i) {
        u[i] += half * f[i];
        to[i] = from[i] + tau * u[i];
        average[i] += w * to[i];
      }
    }
    system.slow(average.data(), g.data());
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = weight * g[i];
      b[i] = 0;
      product[i] = 0;
    }
    for (int k = inner - 1; k >= 0; --k) {
      for (std::size_t i = 0; i < n; ++i) b[i] += tau * a[i];
      system.fast_along(path.data() + n * static_cast<std::size_t>(k), b.data(), product.data());
      const double half = k == 0 ? 0.5 * tau : tau, w = k == 0 ? weight : 2 * weight;
      for (std::size_t i = 0; i < n; ++i) a[i] += half * product[i] + w * g[i];
    }
    std::copy(a.begin(), a.end(), kick.begin());
  };
  mollified();
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < n; ++i) v[i] += 0.5 * h * kick[i];
    system.fast(q.data(), f.data());
    for (int k = 0; k < 2 * inner; ++k) {
      const double half = k == 0 ? 0.5 * tau : tau;
      for (std::size_t i = 0; i < n; ++i) {
        v[i] += half * f[i];
        q[i] += tau * v[i];
      }
      system.fast(q.data(), f.data());
    }
    for (std::size_t i = 0; i < n; ++i) v[i] += 0.5 * tau * f[i];
    mollified();
    for (std::size_t i = 0; i < n; ++i) v[i] += 0.5 * h * kick[i];
  }
  return q[0];
}

template <class System>
PreparedRun prepared(const System& system, int steps) {
  RunPlan plan;
  plan.model = "springs";
  plan.method = "mollified_impulse";
  plan.options = {{"phi", "short"}, {"psi", "short"}, {"inner", std::to_string(inner)}};
  plan.h = h;
  plan.to = steps * h;
  plan.output = Times{{}};
  return prepare(plan, std::make_unique<AsProblem<System>>(system));
}

double end_of(const Solution& s) { return s.y()(0, s.rows() - 1); }

template <class System>
bool same(const char* what, const System& system) {
  const double ours = end_of(prepared(system, 20).run()), theirs = hand_written(system, 20);
  const bool ok = std::abs(ours - theirs) <= 1e-9 * (1 + std::abs(theirs));
  if (!ok)
    std::fprintf(stderr, "%s: the two loops do not solve the same problem: %.15g and %.15g\n", what, ours, theirs);
  return ok;
}
}  // namespace

int main() {
  constexpr int few = 20'000, many = 200;
  const TwoSprings springs;
  const Chain chain{1000}, long_chain{4000};
  if (!same("two springs", springs) || !same("chain", chain)) return 1;
  PreparedRun of_springs = prepared(springs, few), of_chain = prepared(chain, many),
              of_long = prepared(long_chain, many);
  print_ratio("impulse/two_springs_over_hand_written",
              ratio([&] { keep(end_of(of_springs.run())); }, [&] { keep(hand_written(springs, few)); }), 1.3);
  print_ratio("impulse/chain_of_1000_over_hand_written",
              ratio([&] { keep(end_of(of_chain.run())); }, [&] { keep(hand_written(chain, many)); }), 1.3);
  print_ratio("impulse/chain_of_4000_over_4_chains_of_1000",
              ratio([&] { keep(end_of(of_long.run())); }, [&] { keep(end_of(of_chain.run())); }) / 4, 1.3);
  return 0;
}
