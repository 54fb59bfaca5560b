// SPDX-License-Identifier: BSD-3-Clause
// The formulation `modal`: a large system with linear forces and others beside them, in the lowest modes of the linear
// ones (Galerkin). PJY97 sec. 3.4.
#include "formulation/prospect.hpp"
#include "multiscale/modal_mechanics.hpp"
#include "trill/base/options.hpp"
#include "trill/formulation/reformulation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double modal_tolerance = 1e-4;  // where a run has none
constexpr Index first_modes = 10, most_modes_by_itself = 320;

struct ModalOptions {
  int modes = 0;
  void fields(OptionVisitor& v) {
    v.integer("modes", modes, Range::between(0, 3000),
              "how many of the lowest modes are used; 0: as many as start and forces at the start need");
  }
};

class ModalForm final : public Reformulation {
 public:
  ModalForm(const MechanicalProblem& problem, const ModalOptions& options) : options_(options), modes_(problem) {
    modes_.take_modes(problem.initial_state(), options.modes > 0 ? options.modes : first_modes);
  }
  const Problem& inner() const override { return modes_; }
  void expect(const RunScope& scope) override { tolerance_ = scope.tolerance > 0 ? scope.tolerance : modal_tolerance; }

  void enter(const State& given, State& in, Notes& notes) override {
    // The contribution of a mode falls fast with its number, so that twice as many are never far too many.
    for (Index count = first_modes; options_.modes == 0; count *= 2) {
      modes_.take_modes(given, count);
      left_out_ = modes_.left_out(given);
      if (left_out_ <= tolerance_ || count >= std::min(most_modes_by_itself, modes_.most_modes())) break;
    }
    left_out_ = modes_.left_out(given);
    modes_.to_modes(given, in);
    if (left_out_ > tolerance_)
      notes.raise_with(
          given.t, "modes_left_out",
          [&] {
            return fmt::format("{} modes leave out {:.1g} of the motion at the start, more than {:.1g}",
                               modes_.layout().nq, left_out_, tolerance_);
          },
          Severity::warning, left_out_, tolerance_);
  }

  void leave(const State& in, State& out) const override {
    modes_.from_modes(in, out);
    left_out_ = std::max(left_out_, modes_.left_out(out));
  }
  double model_error() const override { return left_out_; }
  void memory(Archive& archive) override { archive(left_out_); }
  std::string summary() const override {
    return fmt::format(
        "{} modes with frequencies from {:.4g} to {:.4g}; the others would be {:.1g} of the motion at "
        "most, by the forces on them (estimate)",
        modes_.layout().nq, modes_.slowest(), modes_.fastest(), left_out_);
  }

 private:
  ModalOptions options_;
  mutable ModalMechanics modes_;
  double tolerance_ = modal_tolerance;
  mutable double left_out_ = 0;
};

Prospect modal_prospect(const ProblemFacts&, const Question&) {
  Prospect out;
  out.objection = "name it for large systems whose linear forces dominate and whose other forces are smooth and slow";
  return out;
}
}  // namespace

ReformulationEntry modal_entry() {
  return {.name = "modal",
          .title = "computes the motion in the lowest modes of the linear forces, to which weak other forces are added",
          .reference = "PJY97 sec. 3.4; B. Garcia-Archilla, J. M. Sanz-Serna, R. D. Skeel 1998 for impulses in modes",
          .delivers = Delivers::full,
          .runs = "models whose fast forces are linear",
          .options = list_options<ModalOptions>(),
          .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
            return std::make_unique<ModalForm>(problem.as<MechanicalProblem>("modal"),
                                               read_options<ModalOptions>(options, "modal"));
          },
          .driving_method = [](const Problem&) -> std::string { return "dop853"; },
          .advise = modal_prospect};
}
}  // namespace trill
