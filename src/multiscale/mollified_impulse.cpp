// SPDX-License-Identifier: BSD-3-Clause
// (phi, psi)-methods: impulses by the slow force at averaged positions, mollified. SS08 sec. 2; Garcia-Archilla,
// Sanz-Serna, Skeel 1998.
#include "method/prospects.hpp"
#include "multiscale/impulse_stepper.hpp"
#include "trill/method/registry.hpp"

namespace trill {
class MollifiedImpulse final : public ImpulseStepper {
 public:
  static constexpr const char *usual_phi = "short", *usual_psi = "short*long";
  struct Options : TwoLevelOptions {
    std::string phi = usual_phi, psi = usual_psi, average, projection, levels_text;
    void fields(OptionVisitor& v) {
      constexpr const char* weights = "delta, short, long, lin, cubic, box(w), products with *, pieces(end: c0 c1 ..)";
      v.text("phi", phi, weights, "weight of the averages of positions; by force groups: torsions=short,pairs=lin");
      v.text("psi", psi, weights, "weight of the mollified forces, in the same way; psi = phi*long has no resonances");
      two_level_fields(v);
      v.text("average", average, "names of force groups, such as bonds+angles",
             "force groups along whose motion averages are taken; empty: the fastest level");
      v.text("projection", projection, "names of force groups with stiff gaps, such as bonds+angles",
             "instead of averages: slow forces are evaluated at the nearest position with closed gaps of these groups "
             "and do not act along them");
      v.text("levels", levels_text, "force groups, slowest first, such as torsions, angles/2, bonds",
             "more than two levels of forces; /2 means two steps in one step of the level before; empty: slow and fast "
             "forces");
    }
  };
  static std::vector<OptionSet> variants() {
    return {{},
            {{"phi", "short"}, {"psi", "short"}},
            {{"phi", "long"}, {"psi", "long"}, {"inner", "2"}},
            {{"phi", "long"}, {"psi", "long*long"}, {"inner", "2"}, {"inner_order", "4"}}};
  }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("name it, with a step size h, where slow forces are expensive and fast ones cheap");
  }
  static MethodInfo describe(const Options& options) {
    const bool projects = !options.projection.empty();
    const bool symplectic = projects || same_weights(read_weights(options.phi), read_weights(options.psi));
    return {.name = "mollified_impulse",
            .title = projects ? "Mollified impulse method with projection onto closed gaps of " + options.projection
                              : "Mollified impulse method (" + options.phi + ", " + options.psi + ")",
            .reference = "SS08 sec. 2; Garcia-Archilla, Sanz-Serna, Skeel, SIAM J. Sci. Comput. 20 (1998) 930-963",
            .accepts = {.mechanical = true},
            .order = 2,
            .dense_order = 2,
            .dense_degree = kept_degree,
            .symmetric = true,
            .symplectic = symplectic,
            .area_preserving = !symplectic,
            .constant_step = true};
  }

  // For the first pair, if groups of slow forces have different pairs.
  static SplitForm split_form(const Options& options) {
    const auto filter = [](const std::string& text) {
      return [weight = read_weights(text).front().weight](double x) { return weight.filter(x); };
    };
    return {filter(options.phi), filter(options.psi)};
  }

  MollifiedImpulse(const Problem& problem, const Options& options)
      : ImpulseStepper(describe(options), accepted(problem, "mollified_impulse"),
                       plan(accepted(problem, "mollified_impulse"), options)),
        options_(options) {}
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<MollifiedImpulse>(problem, options_);
  }

 private:
  static bool same_weights(const std::vector<WeightChoice>& phi, const std::vector<WeightChoice>& psi) {
    return std::equal(phi.begin(), phi.end(), psi.begin(), psi.end(), [](const WeightChoice& a, const WeightChoice& b) {
      return a.groups == b.groups && a.weight == b.weight;
    });
  }

  static ImpulsePlan plan(const MechanicalProblem& problem, const Options& options) {
    if (!options.levels_text.empty() && !options.fast.empty())
      throw UsageError("mollified_impulse: give 'fast' or 'levels', not both; the last level is the fast one");
    if (!options.projection.empty() &&
        (!options.average.empty() || options.phi != usual_phi || options.psi != usual_psi))
      throw UsageError(
          "mollified_impulse: with 'projection' slow forces are not averaged; leave out 'phi', 'psi' and 'average'");
    ImpulsePlan plan{.levels = options.levels_text.empty()
                                   ? options.levels(problem, "mollified_impulse")
                                   : read_levels(problem, options.levels_text, "mollified_impulse"),
                     .phi = read_weights(options.phi),
                     .psi = read_weights(options.psi),
                     .flow = options.flow()};
    if (!options.projection.empty()) {
      plan.projected = named_groups(problem, options.projection, "mollified_impulse");
      if (plan.levels.size() < 2)
        throw UsageError("mollified_impulse: 'projection' needs fast forces; name their groups by 'fast' or 'levels'");
    }
    plan.averaged = options.average.empty() ? plan.levels.back().groups
                                            : named_groups(problem, options.average, "mollified_impulse");
    return plan;
  }
  Options options_;
};
}  // namespace trill
TRILL_METHOD(mollified_impulse, MollifiedImpulse)
