// SPDX-License-Identifier: BSD-3-Clause
// The formulation `ritz`: a large linear structure in a few vectors that its loads and its start excite.
#include "formulation/prospect.hpp"
#include "multiscale/reduced_structure.hpp"
#include "multiscale/ritz_reduction.hpp"
#include "multiscale/structure_checks.hpp"
#include "trill/base/options.hpp"
#include "trill/formulation/reformulation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double default_tolerance = 1e-6;

struct RitzOptions {
  int vectors = 300;
  std::string estimate = "auto";
  void fields(OptionVisitor& v) {
    v.integer("vectors", vectors, Range::between(4, 3000), "max number of vectors, whatever the tolerance asks for");
    v.choice(
        "estimate", estimate, {"auto", "bound", "change", "statistical"},
        "what is taken for the error; change: how much the last third of the vectors has changed the outputs, where "
        "that is less than the bound; auto: the bound, and change if 42 solves do not make the bound small enough; "
        "statistical: 3.5 standard deviations of random phases for what rough initial data add");
  }
  Index solves_for_bound() const {
    return estimate == "change" ? 0 : estimate == "auto" ? solves_before_estimates : std::numeric_limits<Index>::max();
  }
  StartEstimate of_start() const {
    return estimate == "statistical" ? StartEstimate::statistical : StartEstimate::bound;
  }
};

class RitzForm final : public Reformulation {
 public:
  RitzForm(const Problem& problem, const RitzOptions& options)
      : structure_(problem.as<LinearStructure>("ritz")), options_(options), reduced_(structure_) {}

  const Problem& inner() const override { return reduced_; }

  void expect(const RunScope& scope) override {
    require_forwards(scope.t_begin, scope.t_end, "ritz");
    scope_ = scope;
  }

  void enter(const State& given, State& in, Notes& notes) override {
    if (!reduced_for(scope_, options_, given)) {
      reduction_ = reduce({structure_, given, scope_.t_end, tolerance(), structure_targets(structure_, scope_.of),
                           options_.vectors, options_.of_start(), nullptr, options_.solves_for_bound()});
      done_ = Done{scope_, options_, given};
    }
    reduced_.become(reduction_.system, reduction_.step);
    in = State(reduced_.layout(), given.t);
    in.q() = reduction_.x0;
    in.v() = reduction_.v0;
    warn(given.t, notes);
  }

  void inherit(const Reformulation& earlier) override {
    const auto* other = dynamic_cast<const RitzForm*>(&earlier);
    if (!other || !other->done_) return;
    done_ = other->done_;
    reduction_ = other->reduction_;
  }

  void leave(const State& in, State& out) const override {
    out.t = in.t;
    out.q().noalias() = reduction_.shapes * in.q();
    out.v().noalias() = reduction_.shapes * in.v();
  }

  std::string reluctance() const override {
    if (reduction_.reached) return "";
    const ReducedOutput& worst = worst_output();
    return fmt::format("{} vectors give {} to {:.1g} of its range only", reduction_.system.size(), worst.name,
                       worst.relative());
  }

  double model_error() const override {
    if (reduction_.outputs.empty() || reduction_.complete) return reduction_.floor;
    return std::max(worst_output().relative(), reduction_.floor);
  }

  std::string summary() const override {
    std::string text = fmt::format("{} vectors, {} of them converged modes, from {} solves with one factorisation of K",
                                   reduction_.system.size(), reduction_.modes, reduction_.solves);
    if (reduction_.rigid > 0)
      text += fmt::format("; the body is not held, and its {} rigid motions are followed too", reduction_.rigid);
    if (reduction_.complete)
      return text + "; they span all that loads and start can excite" + floor_text() + memory_text();
    for (const ReducedOutput& out : reduction_.outputs)
      text += fmt::format("; {} within {:.2g} ({}, {:.1g} of its {})", out.name, out.bound,
                          reduction_.proved ? "bound" : "estimate", out.relative(),
                          out.is_field ? "size, in the mean" : "range");
    if (reduction_.unmet_bound > 0) text += fmt::format("; the bound is {:.1g}", reduction_.unmet_bound);
    return text + floor_text() + memory_text();
  }

  void account(Counters& work) const override { work.factorisations += 1; }

  std::vector<Quantity> diagnostics() const override {
    return error_bands(structure_, structure_targets(structure_, scope_.of), reduction_.proved);
  }
  void diagnose(Out values) const override {
    Index k = 0;
    for (const ReducedOutput& out : reduction_.outputs)
      if (!out.is_field) values[k++] = reduction_.complete ? 0 : out.bound;
  }

 private:
  // What the reduction was made for.
  struct Done {
    RunScope scope;
    RitzOptions options;
    State start;
  };
  bool reduced_for(const RunScope& scope, const RitzOptions& options, const State& start) const {
    return done_ && done_->scope.tolerance == scope.tolerance && done_->scope.t_end == scope.t_end &&
           done_->scope.of == scope.of && done_->options.vectors == options.vectors &&
           done_->options.estimate == options.estimate && done_->start.t == start.t && done_->start.y == start.y;
  }

  std::string floor_text() const { return fmt::format("; rounding in K sets a floor of {:.1g}", reduction_.floor); }

  std::string memory_text() const {
    return "; " + text_of_factors(reduction_.engine, reduction_.bytes_of_factors, structure_.mass_matrix().rows());
  }

  const ReducedOutput& worst_output() const {
    return *std::max_element(
        reduction_.outputs.begin(), reduction_.outputs.end(),
        [](const ReducedOutput& a, const ReducedOutput& b) { return a.relative() < b.relative(); });
  }

  double tolerance() const { return scope_.tolerance > 0 ? scope_.tolerance : default_tolerance; }

  void warn(double t, Notes& notes) const {
    if (reduction_.complete) return;
    const ReducedOutput& worst = worst_output();
    if (reduction_.floor > tolerance())
      notes.raise_with(
          t, "rounding_of_stiffness",
          [&] {
            return fmt::format(
                "rounding in the entries of K alone causes an error of {:.1g} of the motion, so that {:.1g} cannot "
                "be reached with these matrices; a coarser mesh has a lower floor",
                reduction_.floor, tolerance());
          },
          Severity::warning, reduction_.floor, tolerance());
    if (reduction_.reached && reduction_.unmet_bound > 0)
      notes.raise_with(
          t, "estimate_for_bound",
          [&] {
            return fmt::format(
                "after {} solves it is proved only that {} is within {:.1g} of its {}; {:.1g} is an estimate, namely "
                "how far it moved over the last third of the vectors; --set estimate=bound goes on until the proved "
                "bound is small enough too",
                reduction_.solves, worst.name, reduction_.unmet_bound, worst.is_field ? "size" : "range",
                worst.relative());
          },
          Severity::info, worst.relative(), tolerance());
    if (!reduction_.reached)
      notes.raise_with(
          t, "reduction_incomplete",
          [&] {
            return fmt::format(
                "with {} vectors {} is within {:.1g} of its {} by its {}, not {:.1g}; {} contributes most",
                reduction_.system.size(), worst.name, worst.relative(), worst.is_field ? "size" : "range",
                reduction_.proved ? "bound" : "estimate", tolerance(), worst.worst);
          },
          Severity::warning, worst.relative(), tolerance());
  }

  const LinearStructure& structure_;
  RitzOptions options_;
  RunScope scope_{0, 0, 1, {}};
  std::optional<Done> done_;
  Reduction reduction_;
  ReducedStructure reduced_;
};

// One factorisation and some forty solves, then a product with the vectors for every row.
Prospect ritz_prospect(const ProblemFacts& facts, const Question& question) {
  Prospect out;
  if (!facts.structure) {
    out.objection = "it is for linear structures only";
    return out;
  }
  constexpr double rows = 300, solves = 60, vectors = 40, seconds_of_flop = 1e-9;
  const auto n = static_cast<double>(facts.coordinates);
  out.rtol = question.rtol.value_or(std::max(1e-12, share_for_reductions * question.accuracy));
  out.steps = rows;
  out.error = *out.rtol;
  const double setup = 3 * facts.factor_seconds + solves * (10 * facts.force_seconds + 1e-8 * n) + 1e-4;
  out.overhead = setup / rows + 4 * n * vectors * seconds_of_flop;
  out.why = fmt::format("the structure is linear, and a few vectors that its loads excite give {} with a {}",
                        facts.outputs > 0 ? "its outputs" : "its motion",
                        facts.proportional ? "bound of the error" : "error estimate");
  return out;
}
}  // namespace

ReformulationEntry ritz_entry() {
  return {
      .name = "ritz",
      .title = "reduces a large linear structure to vectors that its loads excite, and solves the oscillators exactly",
      .reference = "E. L. Wilson, M.-W. Yuan, J. M. Dickens, Earthquake Eng. Struct. Dyn. 10 (1982) 813-821",
      .delivers = Delivers::full,
      .free_of_oscillation = true,
      .runs = "linear structures",
      .options = list_options<RitzOptions>(),
      .make = [](const Problem& problem, const OptionSet& options) -> std::unique_ptr<Reformulation> {
        return std::make_unique<RitzForm>(problem, read_options<RitzOptions>(options, "ritz"));
      },
      .driving_method = [](const Problem&) -> std::string { return "oscillators"; },
      .methods = oscillator_methods,
      .ends_by = {},
      .rtol = nullptr,
      .share_of_accuracy = share_for_reductions,
      .advise = ritz_prospect};
}
}  // namespace trill
