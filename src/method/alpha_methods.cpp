// SPDX-License-Identifier: BSD-3-Clause
// The alpha family: Newmark, Hilber-Hughes-Taylor, Wood-Bossak-Zienkiewicz and generalized alpha. YPR98 sec. 3 and 4.
#include "method/alpha_stepper.hpp"

namespace trill {
namespace {
struct Newmark {
  static constexpr const char* name = "newmark";
  static constexpr const char* title = "Newmark: trapezoidal rule, or beta and gamma";
  static constexpr const char* reference = "YPR98 sec. 3; Newmark 1959";
  double beta = 0.25, gamma = 0.5;
  void fields(OptionVisitor& v) {
    v.number("beta", beta, Range::positive(), "weight of the new acceleration in positions");
    v.number("gamma", gamma, Range::at_least(0.5), "the same in velocities; above 1/2 it damps and the order is 1");
  }
  AlphaCoefficients coefficients() const { return {0, 0, beta, gamma}; }
  static std::vector<OptionSet> variants() { return {{}, {{"formulation", "cs"}}}; }
};

struct Hht {
  static constexpr const char* name = "hht";
  static constexpr const char* title = "HHT: Hilber, Hughes and Taylor's alpha method";
  static constexpr const char* reference = "YPR98 eq. 3.1; Hilber, Hughes, Taylor 1977";
  double alpha = -0.1;
  void fields(OptionVisitor& v) {
    v.number("alpha", alpha, Range::between(-1.0 / 3, 0), "0: no damping; -1/3: most, fast modes halve in a step");
  }
  AlphaCoefficients coefficients() const { return hht_coefficients(alpha); }
  static std::vector<OptionSet> variants() { return {{}, {{"alpha", "-0.3"}, {"formulation", "cm"}}}; }
};

struct Wbz {
  static constexpr const char* name = "wbz";
  static constexpr const char* title = "WBZ: Wood, Bossak and Zienkiewicz's alpha method";
  static constexpr const char* reference = "Wood, Bossak, Zienkiewicz 1980; Chung, Hulbert 1993";
  double rho = 0.7;
  void fields(OptionVisitor& v) {
    v.number("rho", rho, Range::between(0, 1), "what is left of fast modes after a step; 1: no damping");
  }
  AlphaCoefficients coefficients() const { return wbz_coefficients(rho); }
  static std::vector<OptionSet> variants() { return {{}, {{"rho", "0.3"}, {"formulation", "ggl"}}}; }
};

struct GeneralizedAlpha {
  static constexpr const char* name = "generalized_alpha";
  static constexpr const char* title = "Generalized alpha: second order with set damping of fast modes";
  static constexpr const char* reference = "YPR98 eq. 4.1; Chung, Hulbert 1993; Arnold, Bruels 2007";
  double rho = 0.7;
  void fields(OptionVisitor& v) {
    v.number("rho", rho, Range::between(0, 1), "what is left of fast modes after a step; 1: no damping");
  }
  AlphaCoefficients coefficients() const { return generalized_alpha_coefficients(rho); }
  static std::vector<OptionSet> variants() {
    return {{},
            {{"rho", "0"}},
            {{"rho", "0.9"}, {"formulation", "cs"}, {"split", "qr"}},
            {{"rho", "0.5"}, {"formulation", "index3"}},
            {{"gaps", "forces"}, {"lambda", "stage"}}};
  }
};
}  // namespace

void register_method_alpha_methods(Catalogue& catalogue) {
  add_method<AlphaMethod<Newmark>>(catalogue);
  add_method<AlphaMethod<Hht>>(catalogue);
  add_method<AlphaMethod<Wbz>>(catalogue);
  add_method<AlphaMethod<GeneralizedAlpha>>(catalogue);
}
}  // namespace trill
