// SPDX-License-Identifier: BSD-3-Clause
// Cantilever of cubic Hermite elements under a tip load that is switched on at t = 0: a linear structure M u'' + C u' +
// K u = f, PJY97 eq. 3.7. Unknowns are deflection and slope of every free node.
#include "problem/structure.hpp"
#include "trill/problem/registered.hpp"

#include <array>
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

using Element = std::array<std::array<double, 4>, 4>;

// K_e = EI/l^3 [...] and M_e = rho A l/420 [...] for the unknowns (w_1, w_1', w_2, w_2')
Element stiffness_element(double EI, double l) {
  const double a = EI / (l * l * l);
  return {{{12 * a, 6 * l * a, -12 * a, 6 * l * a},
           {6 * l * a, 4 * l * l * a, -6 * l * a, 2 * l * l * a},
           {-12 * a, -6 * l * a, 12 * a, -6 * l * a},
           {6 * l * a, 2 * l * l * a, -6 * l * a, 4 * l * l * a}}};
}
Element mass_element(double rhoA, double l) {
  const double a = rhoA * l / 420;
  return {{{156 * a, 22 * l * a, 54 * a, -13 * l * a},
           {22 * l * a, 4 * l * l * a, 13 * l * a, -3 * l * l * a},
           {54 * a, 13 * l * a, 156 * a, -22 * l * a},
           {-13 * l * a, -3 * l * l * a, -22 * l * a, 4 * l * l * a}}};
}

// The same element along the beam, clamped at its first node.
SpMat assemble(const Element& element, Index elements) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(16 * elements));
  for (Index e = 0; e < elements; ++e)
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j) {
        const Index row = 2 * e + i - 2, col = 2 * e + j - 2;
        if (row >= 0 && col >= 0)
          entries.emplace_back(row, col, element[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
      }
  SpMat matrix(2 * elements, 2 * elements);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
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
        M_(assemble(mass_element(p.mass_per_length, p.length / p.elements), p.elements)),
        K_(assemble(stiffness_element(p.bending_stiffness, p.length / p.elements), p.elements)),
        C_(M_.rows(), M_.rows()) {
    // First frequency of the continuous cantilever: beta^2 sqrt(EI/(rho A)) / L^2 with cos(beta) cosh(beta) = -1.
    constexpr double beta = 1.8751040687119612;
    const double omega1 = beta * beta * std::sqrt(p.bending_stiffness / p.mass_per_length) / (p.length * p.length);
    if (p.damping_ratio > 0) C_ = 2 * p.damping_ratio / omega1 * K_;
  }

  const SpMat& mass_matrix() const override { return M_; }
  const SpMat& damping_matrix() const override { return C_; }
  const SpMat& stiffness_matrix() const override { return K_; }
  void load(double, Out f) const override {
    f.setZero();
    f[tip()] = p_.tip_load;
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
    values[0] = 0.5 * form(M_, s.v()) + potential_energy(s.q());
    values[1] = s.y[tip()];
  }

 private:
  Index tip() const { return M_.rows() - 2; }
  double potential_energy(In q) const { return 0.5 * form(K_, q) - p_.tip_load * q[tip()]; }
  static double form(const SpMat& A, In x) {  // x^T A x
    double sum = 0;
    for (Index j = 0; j < A.outerSize(); ++j)
      for (SpMat::InnerIterator it(A, j); it; ++it) sum += x[it.row()] * it.value() * x[j];
    return sum;
  }

  SpMat M_, K_, C_;
};
}  // namespace
}  // namespace trill
TRILL_MODEL(beam, Beam)
