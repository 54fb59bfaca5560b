// SPDX-License-Identifier: BSD-3-Clause
// Langevin dynamics (PJY97 eq. 4.5) by symmetric splittings into drift A, kick B and exact Ornstein-Uhlenbeck part O.
// "BAOAB" (Leimkuhler and Matthews 2013) is the usual one and is called langevin_splitting here. Weak order 2; without
// friction they are Verlet. Constraints are kept by projecting each part.
#include "method/heat_bath_stepper.hpp"
#include "method/prospects.hpp"
#include "trill/method/registry.hpp"

#include <algorithm>
#include <string_view>

namespace trill {
namespace {
struct Baoab {
  static constexpr std::string_view parts = "BAOAB";
  static constexpr double angle_of_step = 0.3;  // h omega, for an error of about 1 % in averages
  static MethodInfo names() {
    return {.name = "langevin_splitting",
            .title = "BAOAB: symmetric splitting of Langevin dynamics",
            .reference =
                "PJY97 eq. 4.5; Leimkuhler, Matthews, Appl. Math. Res. Express 2013, 34-56; with constraints: "
                "Leimkuhler, Matthews, Proc. R. Soc. A 472 (2016) 20160138",
            .also_called = {"baoab", "g_baoab"},
            .accepts = {.langevin = true}};
  }
  static Prospect advise(const ProblemFacts& facts, const Question&) {
    Prospect out;
    if (facts.scales.largest > 0) {
      out.h = std::min(angle_of_step / facts.scales.largest, 0.01 * facts.span);
      out.steps = facts.span / *out.h;
    }
    out.forces = 1;
    out.overhead = 1e-7 + 2e-8 * static_cast<double>(facts.unknowns);
    out.why = "the motion is random, and averages of positions come out most accurately";
    return out;
  }
};

struct Aboba {
  static constexpr std::string_view parts = "ABOBA";
  static MethodInfo names() {
    return {.name = "aboba",
            .title = "ABOBA: splitting of Langevin dynamics with forces at the middle of a step",
            .reference = "Leimkuhler, Matthews, Appl. Math. Res. Express 2013, 34-56",
            .accepts = {.langevin = true}};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("langevin_splitting has equally accurate positions and more accurate velocities");
  }
};

struct Obabo {
  static constexpr std::string_view parts = "OBABO";
  static MethodInfo names() {
    return {.name = "obabo",
            .title = "OBABO: a Verlet step between two halves of friction and noise",
            .reference = "Bussi, Parrinello, Phys. Rev. E 75 (2007) 056707; Leimkuhler, Matthews 2013",
            .accepts = {.langevin = true}};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("langevin_splitting has more accurate averages of positions at the same step");
  }
};

template <class Scheme>
class LangevinSplitting final : public HeatBathStepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static Prospect advise(const ProblemFacts& facts, const Question& question) {
    return Scheme::advise(facts, question);
  }
  static MethodInfo describe(const Options&) {
    MethodInfo info = Scheme::names();
    info.order = info.dense_order = 2;
    info.delivers = Delivers::statistics;
    info.constant_step = true;
    return info;
  }

  LangevinSplitting(const Problem& problem, const Options& options) : HeatBathStepper(describe(options), problem) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<LangevinSplitting>(problem, Options{});
  }

 private:
  static constexpr double share(char part) {
    return 1.0 / static_cast<double>(std::count(Scheme::parts.begin(), Scheme::parts.end(), part));
  }

  StepStatus advance(Moving& now) override {
    std::uint32_t draw = 0;
    for (const char part : Scheme::parts) {
      const double tau = share(part) * now.request.h;
      if (part == 'B') {
        kick(now, tau);
      } else if (part == 'O') {
        exchange_heat(now, tau, draw++);
      } else if (const StepStatus status = drift(now, tau); status != StepStatus::ok) {
        return status;
      }
    }
    return StepStatus::ok;
  }
};
}  // namespace

void register_method_langevin_splitting(Catalogue& catalogue) {
  add_method<LangevinSplitting<Baoab>>(catalogue);
  add_method<LangevinSplitting<Aboba>>(catalogue);
  add_method<LangevinSplitting<Obabo>>(catalogue);
}
}  // namespace trill
