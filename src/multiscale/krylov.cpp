// SPDX-License-Identifier: BSD-3-Clause
// The formulation `krylov`: all unknowns of a linear structure with any damping, by the exponential of its matrix.
#include "formulation/prospect.hpp"
#include "multiscale/krylov_motion.hpp"
#include "multiscale/whole_structure.hpp"
#include "trill/linalg/kernels.hpp"
#include "trill/method/registry.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double krylov_share = 0.1;  // of the tolerance, for one step
constexpr int most_step_halvings = 30;

class KrylovSteps final : public Stepper {
 public:
  struct Options {
    void fields(OptionVisitor&) {}
  };
  static MethodInfo describe(const Options&) {
    return {.name = "krylov_steps",
            .title = "steps by the exponential of the matrix on a shift-and-invert Krylov space",
            .reference = "J. van den Eshof, M. Hochbruck, SIAM J. Sci. Comput. 27 (2006) 1438-1457; PJY97 sec. 3.3",
            .accepts = {},
            .dense = Dense::none,
            .owns_step = true,
            .saves_memory = false};
  }
  KrylovSteps(const Problem& problem, const Options& options)
      : info_(describe(options)), structure_(problem.as<WholeStructure>(info_.name)) {}
  const MethodInfo& info() const override { return info_; }

  void start(State& s, const ErrorScale& scale) override {
    if (!motion_) motion_.emplace(structure_.whole());
    rtol_ = scale.rtol;
    rows_.start();
    longest_ = HUGE_VAL;
    begin_ = s;
  }

  StepResult step(State& s, const StepRequest& request) override {
    begin_ = s;
    if (request.restart) {
      motion_.emplace(structure_.whole());
      longest_ = HUGE_VAL;
      rows_.start();
    }
    const Index factorised = motion_->factorisations();
    StepResult result{.status = StepStatus::step_too_small};
    double h = rows_.next(structure_, s.t, request.h, 0, longest_);
    for (int k = 0; k < most_step_halvings; ++k) {
      double taken = h;
      const KrylovMotion::Outcome outcome = motion_->advance(s.t, taken, krylov_share * rtol_, s.q(), s.v());
      if (outcome == KrylovMotion::Outcome::singular) {
        result.status = StepStatus::singular_matrix;
        break;
      }
      if (outcome == KrylovMotion::Outcome::too_long) {
        longest_ = 0.75 * taken;
        h = 0.5 * taken;
        continue;
      }
      if (!all_finite(s.y)) {
        result.status = StepStatus::non_finite;
        break;
      }
      s.t += taken;
      if (taken == h) rows_.took(taken);  // what loads shorten is no length to keep
      result = {.h_taken = taken};
      break;
    }
    request.work.factorisations += motion_->factorisations() - factorised;
    if (result.status != StepStatus::ok) s.y = begin_.y;
    return result;
  }

  void interpolate(double, Out y) override { y = begin_.y; }
  std::string summary() const override {
    return fmt::format("{} solves with {} factorisations of M + gamma C + gamma^2 K, spaces of up to {} vectors",
                       motion_->solves(), motion_->factorisations(), motion_->dimension());
  }
  void memory(Archive&) override {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<KrylovSteps>(problem, Options{});
  }

 private:
  MethodInfo info_;
  const WholeStructure& structure_;
  std::optional<KrylovMotion> motion_;
  RowSteps rows_;
  State begin_;
  double rtol_ = 1e-6, longest_ = HUGE_VAL;
};

const Catalogue& krylov_methods() {
  static const Catalogue all = [] {
    Catalogue catalogue;
    add_method<KrylovSteps>(catalogue);
    return catalogue;
  }();
  return all;
}

class KrylovForm final : public WholeStructureForm {
 public:
  explicit KrylovForm(const Problem& problem)
      : WholeStructureForm(problem, "krylov"), structure_(problem.as<LinearStructure>("krylov")) {}
  void enter(const State& given, State& in, Notes& notes) override {
    WholeStructureForm::enter(given, in, notes);
    if (const std::string why = buckling_of(structure_); !why.empty())
      notes.raise_with(
          given.t, "buckling", [&] { return why; }, Severity::warning, 0, 0);
  }

 private:
  const LinearStructure& structure_;
};

Prospect krylov_prospect(const ProblemFacts& facts, const Question&) {
  Prospect out;
  out.objection = facts.structure
                      ? "name it where damping is not proportional and the whole motion is wanted; otherwise "
                        "chebyshev and ritz are cheaper"
                      : "it is for linear structures only";
  return out;
}
}  // namespace

ReformulationEntry krylov_entry() {
  return {.name = "krylov",
          .title = "computes all unknowns of a linear structure with any damping, by the exponential of its matrix",
          .reference = "J. van den Eshof, M. Hochbruck, SIAM J. Sci. Comput. 27 (2006) 1438-1457; PJY97 sec. 3.3",
          .delivers = Delivers::full,
          .runs = "linear structures",
          .options = {},
          .make = [](const Problem& problem, const OptionSet&) -> std::unique_ptr<Reformulation> {
            return std::make_unique<KrylovForm>(problem);
          },
          .driving_method = [](const Problem&) -> std::string { return "krylov_steps"; },
          .methods = krylov_methods,
          .ends_by = {},
          .rtol = nullptr,
          .advise = krylov_prospect};
}
}  // namespace trill
