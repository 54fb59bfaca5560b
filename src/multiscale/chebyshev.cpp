// SPDX-License-Identifier: BSD-3-Clause
// The formulation `chebyshev`: all unknowns of a linear structure over long steps, by products with M^-1 K alone.
#include "formulation/prospect.hpp"
#include "multiscale/chebyshev_motion.hpp"
#include "multiscale/structure_checks.hpp"
#include "multiscale/whole_structure.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace {
// Series are cut far below the tolerance: what is cut adds up over steps, and rates are less accurate by the factor
// sqrt(h omega).
constexpr double share_of_tolerance = 1e-3, least_rest = 1e-15;
constexpr double most_angle = 400;  // a longer step saves next to nothing
constexpr double least_angle = 10;  // h omega of a step: shorter ones take several times the products
constexpr int most_attempts = 12;
constexpr Index fewest_coordinates = 300;  // for advice

class ChebyshevSteps final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "chebyshev_steps",
            .title = "long steps by Chebyshev polynomials of the stiffness matrix",
            .reference = "H. Tal-Ezer, R. Kosloff, J. Chem. Phys. 81 (1984) 3967-3971; PJY97 sec. 3.3",
            .accepts = {},
            .dense = Dense::none,
            .owns_step = true,
            .saves_memory = false};
  }
  ChebyshevSteps(const Problem& problem, const Options& options)
      : info_(describe(options)), structure_(problem.as<WholeStructure>(info_.name)) {}
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale& scale) override {
    if (!motion_) motion_.emplace(structure_.whole());
    rtol_ = scale.rtol;
    rows_.start();
    begin_ = s;
  }

  StepResult step(State& s, const StepRequest& request) override {
    begin_ = s;
    if (request.restart) {
      motion_->forget();
      rows_.start();
    }
    for (int attempt = 0; attempt < most_attempts && motion_->is_positive(); ++attempt) {
      const double omega = motion_->fastest();
      const double h = rows_.next(structure_, s.t, request.h, least_angle / omega, most_angle / omega);
      const double rest = std::max(least_rest, share_of_tolerance * rtol_ / std::sqrt(1 + h * omega));
      const long before = motion_->products();
      const bool moved = motion_->advance(s.t, h, rest, s.q(), s.v());
      request.work.products += motion_->products() - before;
      if (!moved) continue;
      if (!all_finite(s.y)) break;
      s.t += h;
      rows_.took(h);
      return {.h_taken = h};
    }
    s.y = begin_.y;
    if (motion_->is_positive()) return {.status = StepStatus::non_finite};
    request.notes.raise(s.t, "indefinite_stiffness",
                        "The stiffness matrix has negative eigenvalues, so that some motion grows without bound and "
                        "its polynomials cannot be bounded. Use radau or dop853.",
                        Severity::error, 0, 0);
    return {.status = StepStatus::refused};
  }

  void interpolate(double, Out y) override { y = begin_.y; }
  std::string summary() const override {
    return fmt::format("polynomials of degree {}, frequencies up to {:.4g}", motion_->degree(), motion_->fastest());
  }
  void memory(Archive&) override {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<ChebyshevSteps>(problem, Options{});
  }

 private:
  MethodInfo info_;
  const WholeStructure& structure_;
  std::optional<ChebyshevMotion> motion_;
  RowSteps rows_;
  State begin_;
  double rtol_ = 1e-6;
};

const Catalogue& chebyshev_methods() {
  static const Catalogue all = [] {
    Catalogue catalogue;
    add_method<ChebyshevSteps>(catalogue);
    return catalogue;
  }();
  return all;
}

// About T omega / 2 products with two vectors, whatever the accuracy, and no factorisation. A reduction is cheaper
// where outputs are named; implicit steps are where the fastest frequencies are far above those that matter.
Prospect chebyshev_prospect(const ProblemFacts& facts, const Question& question) {
  Prospect out;
  if (!facts.structure) {
    out.objection = "it is for linear structures only";
  } else if (!facts.proportional) {
    out.objection = "it needs damping that is a combination of mass and stiffness";
  } else if (facts.coordinates < fewest_coordinates) {
    out.objection = "with so few unknowns other methods take no longer";
  } else if (!facts.scales.known || !(facts.scales.largest > 0)) {
    out.objection = "the fastest frequency is not known";
  } else {
    constexpr double rows = 300, work_of_product = 2.5;  // two vectors and four sums, over one force
    out.rtol = question.rtol.value_or(std::max(1e-12, share_for_reductions * question.accuracy));
    out.steps = rows;
    out.error = *out.rtol;
    const double products = 0.5 * facts.span * facts.scales.largest + rows * 30;
    out.forces = work_of_product * products / rows;
    out.why =
        "the whole motion of a linear structure is wanted, and polynomials of its stiffness matrix follow all "
        "frequencies at once";
  }
  return out;
}
}  // namespace

ReformulationEntry chebyshev_entry() {
  return {.name = "chebyshev",
          .title = "computes all unknowns of a linear structure in long steps, by polynomials of its stiffness matrix",
          .reference = "H. Tal-Ezer, R. Kosloff, J. Chem. Phys. 81 (1984) 3967-3971; PJY97 sec. 3.3",
          .delivers = Delivers::full,
          .runs = "linear structures",
          .options = {},
          .make = [](const Problem& problem, const OptionSet&) -> std::unique_ptr<Reformulation> {
            return std::make_unique<WholeStructureForm>(problem, "chebyshev");
          },
          .driving_method = [](const Problem&) -> std::string { return "chebyshev_steps"; },
          .methods = chebyshev_methods,
          .ends_by = {},
          .rtol = nullptr,
          .share_of_accuracy = share_for_reductions,
          .advise = chebyshev_prospect};
}
}  // namespace trill
