// SPDX-License-Identifier: BSD-3-Clause
// Independent unit masses in wells, in a heat bath: PJY97 eq. 4.5 with V = sum k/2 q^2 + b/4 q^4.
#include "trill/problem/langevin.hpp"

#include "trill/problem/registered.hpp"

namespace trill {
namespace {
struct WellParameters {
  double gamma = 1, kT = 1;
  int particles = 64;
  double k = 1, b = 0, q0 = 0;

  void fields(OptionVisitor& v) {
    v.number("gamma", gamma, Range::at_least(0), "friction");
    v.number("kT", kT, Range::at_least(0), "temperature of the bath, as an energy");
    v.integer("particles", particles, Range::between(1, 10000000), "number of particles");
    v.number("k", k, Range::at_least(0), "harmonic constant of the well");
    v.number("b", b, Range::at_least(0), "quartic constant of the well");
    v.number("q0", q0, {}, "start: displacement of every particle");
  }
};

class Wells final : public MechanicalProblem {
 public:
  explicit Wells(const WellParameters& p) : n_(p.particles), k_(p.k), b_(p.b), q0_(p.q0) {}

  std::string name() const override { return "molecule/langevin without its bath"; }
  Layout layout() const override { return {n_, n_, 0, 0}; }
  std::vector<Quantity> components() const override {
    std::vector<Quantity> names;
    for (const char* letter : {"q", "v"})
      for (Index i = 1; i <= n_; ++i) names.push_back({letter + std::to_string(i), ""});
    return names;
  }
  State initial_state() const override {
    State s(layout());
    s.q().setConstant(q0_);
    return s;
  }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Wells>(*this); }

  std::vector<GroupInfo> groups() const override { return {{"well", true}}; }
  void force(Groups groups, double, In q, In, Out f) const override {
    const double k = groups & 1 ? k_ : 0, b = groups & 1 ? b_ : 0;
    for (Index i = 0; i < n_; ++i) {
      const double x = q.data()[i];
      f.data()[i] = -x * (k + b * x * x);
    }
  }
  MatrixSlot stiffness_pattern() const override { return mass_pattern(); }  // a diagonal
  bool force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot& dv) const override {
    dq.set_zero();
    dv.set_zero();
    for (Index i = 0; groups & 1 && i < n_; ++i) dq.add(i, i, -k_ - 3 * b_ * q[i] * q[i]);
    return true;
  }
  std::optional<double> potential(Groups groups, double, In q) const override {
    double sum = 0;
    for (Index i = 0; groups & 1 && i < n_; ++i) {
      const double x2 = q[i] * q[i];
      sum += x2 * (0.5 * k_ + 0.25 * b_ * x2);
    }
    return sum;
  }

 private:
  Index n_;
  double k_, b_, q0_;
};

class LangevinWells final : public Registered<LangevinWells, WellParameters, LangevinProblem> {
 public:
  static ModelInfo describe() {
    return {.name = "molecule/langevin",
            .title = "Particles in wells with a heat bath",
            .reference = "PJY97 eq. 4.5",
            .equations =
                "dq = v dt\n"
                "dv = -(k q + b q^3) dt - gamma v dt + sqrt(2 gamma kT) dW",
            .run = {.to = 100, .method = "langevin_splitting", .h = 0.05}};
  }

  explicit LangevinWells(const Parameters& p) : Registered(p), wells_(p) {
    if (p.k == 0 && p.b == 0)
      throw UsageError("molecule/langevin: k = b = 0 leaves no well and no equilibrium; set k or b");
  }

  const MechanicalProblem& mechanics() const override { return wells_; }
  double gamma() const override { return p_.gamma; }
  double kT() const override { return p_.kT; }

  Layout layout() const override { return wells_.layout(); }
  std::vector<Quantity> components() const override { return wells_.components(); }
  State initial_state() const override { return wells_.initial_state(); }

  // In equilibrium the mean of the first one is kT.
  std::vector<Quantity> quantities() const override { return {{"kinetic_temperature", ""}, {"potential_energy", ""}}; }
  void measure(const State& s, Out values) const override {
    values[0] = s.v().squaredNorm() / static_cast<double>(s.layout.nv);
    values[1] = wells_.potential(all_groups, s.t, s.q()).value();
  }

 private:
  Wells wells_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(langevin, LangevinWells)
