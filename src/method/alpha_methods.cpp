// SPDX-License-Identifier: BSD-3-Clause
// The alpha family: Newmark, Hilber-Hughes-Taylor, Wood-Bossak-Zienkiewicz and generalized alpha. YPR98 sec. 3 and 4.
#include "method/alpha_stepper.hpp"
#include "method/prospects.hpp"

namespace trill {
namespace {
struct Newmark {
  static constexpr const char* name = "newmark";
  static constexpr const char* title = "Newmark's method: the trapezoidal rule, or other values of beta and gamma";
  static constexpr const char* reference = "YPR98 sec. 3; Newmark 1959";
  double beta = 0.25, gamma = 0.5;
  void fields(OptionVisitor& v) {
    v.number("beta", beta, Range::positive(), "weight of the new acceleration in the new position");
    v.number("gamma", gamma, Range::at_least(0.5),
             "weight of the new acceleration in the new velocity; above 1/2 the method damps and its order is 1");
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("generalized_alpha is preferable; name it to compare with codes that use it");
  }
  AlphaCoefficients coefficients() const { return {0, 0, beta, gamma}; }
  static std::vector<OptionSet> variants() { return {{}, {{"formulation", "cs"}}}; }
};

struct Hht {
  static constexpr const char* name = "hht";
  static constexpr const char* title = "HHT: the alpha method of Hilber, Hughes and Taylor";
  static constexpr const char* reference = "YPR98 eq. 3.1; Hilber, Hughes, Taylor 1977";
  double alpha = -0.1;
  void fields(OptionVisitor& v) {
    v.number("alpha", alpha, Range::between(-1.0 / 3, 0),
             "damping of fast modes: 0 gives none, -1/3 the most, which halves fast modes in every step");
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("generalized_alpha is preferable; name it to compare with codes that use it");
  }
  AlphaCoefficients coefficients() const { return hht_coefficients(alpha); }
  static std::vector<OptionSet> variants() { return {{}, {{"alpha", "-0.3"}, {"formulation", "cm"}}}; }
};

struct Wbz {
  static constexpr const char* name = "wbz";
  static constexpr const char* title = "WBZ: the alpha method of Wood, Bossak and Zienkiewicz";
  static constexpr const char* reference = "Wood, Bossak, Zienkiewicz 1980; Chung, Hulbert 1993";
  double rho = 0.7;
  void fields(OptionVisitor& v) {
    v.number("rho", rho, Range::between(0, 1),
             "fraction of the fastest modes that is left after a step: 1 gives no damping, 0 the most");
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("generalized_alpha is preferable; name it to compare with codes that use it");
  }
  AlphaCoefficients coefficients() const { return wbz_coefficients(rho); }
  static std::vector<OptionSet> variants() { return {{}, {{"rho", "0.3"}, {"formulation", "ggl"}}}; }
};

struct GeneralizedAlpha {
  static constexpr const char* name = "generalized_alpha";
  static constexpr const char* title = "Generalized alpha: order 2, with adjustable damping of fast modes";
  static constexpr const char* reference = "YPR98 eq. 4.1; Chung, Hulbert 1993; Arnold, Bruels 2007";
  double rho = 0.7;
  void fields(OptionVisitor& v) {
    v.number("rho", rho, Range::between(0, 1),
             "fraction of the fastest modes that is left after a step: 1 gives no damping, 0 the most");
  }
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    Prospect out = implicit_prospect(facts, question,
                                     {.order = 3,
                                      .steps = 6,
                                      .forces = 3,
                                      .factorisations = 0.3,
                                      .error = 100,
                                      .overhead = 1e-6,
                                      .overhead_of_unknown = 1e-7,
                                      .skips_gaps = true});
    if (facts.gaps > 0 && question.wanted == Delivers::full) out.objection = "it damps the motion of stiff gaps";
    if (question.wanted != Delivers::full) out.loses = "the energy of the fast motion";
    return out;
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
