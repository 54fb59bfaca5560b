// SPDX-License-Identifier: BSD-3-Clause
// Cantilever of cubic Hermite elements under a tip load that is switched on at t = 0: a linear structure M u'' + C u' +
// K u = f, PJY97 eq. 3.7. Unknowns are deflection and slope of every free node.
#include "problem/generated_structure.hpp"
#include "problem/structure.hpp"
#include "trill/problem/registered.hpp"

#include <cmath>

namespace trill {
namespace {
struct BeamParameters {
  int elements = 20;
  double length = 1, bending_stiffness = 1, mass_per_length = 1, damping_ratio = 0, tip_load = 1;

  void fields(OptionVisitor& v) {
    v.integer("elements", elements, Range::between(1, 1000000), "number of beam elements");
    v.number("length", length, Range::positive(), "length of the beam");
    v.number("bending_stiffness", bending_stiffness, Range::positive(), "bending stiffness E I");
    v.number("mass_per_length", mass_per_length, Range::positive(), "mass per unit of length, rho A");
    v.number("damping_ratio", damping_ratio, Range::at_least(0),
             "damping ratio of the first mode; the damping matrix is proportional to the stiffness matrix");
    v.number("tip_load", tip_load, {}, "force at the free end, constant from t = 0 on");
  }
  static std::string unit(const std::string& name) {
    if (name == "length") return "m";
    if (name == "bending_stiffness") return "N m^2";
    if (name == "mass_per_length") return "kg/m";
    return name == "tip_load" ? "N" : "";
  }
};

HermiteLine clamped_line(const BeamParameters& p) {
  return hermite_line(p.elements, p.length, {true, true, false, false});
}

class Beam final : public Registered<Beam, BeamParameters, LinearStructure> {
 public:
  static ModelInfo describe() {
    return {.name = "structure/beam",
            .title = "Cantilever beam under a step load",
            .reference = "PJY97 eq. 3.7",
            .equations =
                "M u'' + C u' + K u = f,  u = (w_1, w_1', ..., w_n, w_n')\n"
                "rho A w_tt + E I w_xxxx = 0,  w = w_x = 0 clamped,  E I w_xx = 0, -E I w_xxx = F at the tip",
            .run = {.to = 2, .method = "dop853", .rtol = 1e-7}};
  }

  explicit Beam(const Parameters& p)
      : Registered(p),
        M_(p.mass_per_length * clamped_line(p).values),
        K_(p.bending_stiffness * clamped_line(p).curvatures),
        C_(M_.rows(), M_.rows()),
        shape_(Mat::Zero(M_.rows(), 1)) {
    shape_(tip(), 0) = p.tip_load;
    // First frequency of the continuous cantilever: beta^2 sqrt(EI/(rho A)) / L^2 with cos(beta) cosh(beta) = -1.
    constexpr double beta = 1.8751040687119612;
    const double omega1 = beta * beta * std::sqrt(p.bending_stiffness / p.mass_per_length) / (p.length * p.length);
    damping_ = 2 * p.damping_ratio / omega1;
    if (damping_ > 0) C_ = damping_ * K_;
  }

  const SpMat& mass_matrix() const override { return M_; }
  const SpMat& damping_matrix() const override { return C_; }
  const SpMat& stiffness_matrix() const override { return K_; }
  const Mat& load_shapes() const override { return shape_; }
  void load_factors(double, Out factors) const override { factors[0] = 1; }
  std::optional<ProportionalDamping> proportional_damping() const override { return {{0, damping_}}; }
  std::vector<StructureOutput> outputs() const override {
    return {{"tip_deflection", "m", Vec::Unit(M_.rows(), tip())}};
  }

  std::vector<Quantity> components() const override {
    std::vector<Quantity> names;
    for (int i = 1; i <= p_.elements; ++i) {
      names.push_back({"w" + std::to_string(i), "m"});
      names.push_back({"slope" + std::to_string(i), "rad"});
    }
    for (int i = 1; i <= p_.elements; ++i) {
      names.push_back({"v" + std::to_string(i), "m/s"});
      names.push_back({"spin" + std::to_string(i), "rad/s"});
    }
    return names;
  }
  std::string time_unit() const override { return "s"; }
  State initial_state() const override { return State(layout()); }

  std::vector<GroupInfo> groups() const override { return {{"elastic", true}}; }
  std::optional<double> potential(Groups groups, double, In q) const override {
    if (C_.nonZeros() > 0) return std::nullopt;
    return groups & 1 ? potential_energy(q) : 0;
  }

  // The energy includes the load as a potential -F w, so that it is conserved without damping.
  std::vector<Quantity> quantities() const override {
    return {{"energy", "J", QuantityKind::energy}, {"tip_deflection", "m"}};
  }
  void measure(const State& s, Out values) const override {
    values[0] = 0.5 * quadratic_form(M_, s.v()) + potential_energy(s.q());
    values[1] = s.y[tip()];
  }

 private:
  Index tip() const { return M_.rows() - 2; }
  double potential_energy(In q) const { return 0.5 * quadratic_form(K_, q) - p_.tip_load * q[tip()]; }

  SpMat M_, K_, C_;
  double damping_ = 0;  // C = damping_ K
  Mat shape_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(beam, Beam)
