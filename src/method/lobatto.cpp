// SPDX-License-Identifier: BSD-3-Clause
// Lobatto IIIA and IIIB methods and their pair (JP95 sec. 2), and Lobatto IIIC (Hairer, Wanner, Solving ordinary
// differential equations II, sec. IV.5).
#include "method/implicit_rk.hpp"
#include "method/prospects.hpp"
#include "trill/method/linear_form.hpp"
#include "trill/method/registry.hpp"

namespace trill {
namespace {
enum class Family { a, b, c, pair };

struct LobattoOptions {
  int s = 4;
  void fields(OptionVisitor& v) {
    v.integer("s", s, Range::between(2, most_implicit_stages), "number of stages; the order is 2s - 2");
  }
};

MethodInfo describe_family(Family family, int s) {
  const bool keeps_amplitude = family == Family::a || family == Family::b;
  static const std::map<Family, std::pair<const char*, const char*>> names{
      {Family::a, {"lobatto_iiia", "Lobatto IIIA collocation method"}},
      {Family::b, {"lobatto_iiib", "Lobatto IIIB method"}},
      {Family::c, {"lobatto_iiic", "Lobatto IIIC method"}},
      {Family::pair, {"lobatto_pair", "Lobatto IIIA-IIIB pair of methods"}}};
  const auto [name, title] = names.at(family);
  MethodInfo info{
      .name = name,
      .title = title,
      .reference = family == Family::c ? "Hairer, Wanner, Solving ODEs II, IV.5" : "JP95 sec. 2; PJY97 sec. 2",
      .accepts = {.mechanical = true},
      .order = 2 * s - 2,
      .dense_order = std::min(2 * s - 2, 3),
      .implicit_step = true,
      .symmetric = family != Family::c,
      .p_stable = keeps_amplitude,
      .saves_memory = false,
      .constant_step = family != Family::c};
  if (family == Family::a) {
    info.accepts.first_order = true;
    info.dense_order = s;
    info.dense_degree = s - 1;
  }
  info.symplectic = family == Family::pair;
  return info;
}

const StageBlock& block_of(Family family, int s) {
  switch (family) {
    case Family::a:
      return stage_block(lobatto_iiia_tableau, s);
    case Family::b:
      return stage_block(lobatto_iiib_tableau, s);
    case Family::c:
      return stage_block(lobatto_iiic_tableau, s);
    case Family::pair:
      break;
  }
  return stage_block(lobatto_pair_tableau, s);
}

LinearForm form_of(Family family, int s) {
  switch (family) {
    case Family::a:
      return runge_kutta_form(extended_tableau(ImplicitFamily::lobatto_iiia, s));
    case Family::b:
      return runge_kutta_form(extended_tableau(ImplicitFamily::lobatto_iiib, s));
    case Family::c:
      return runge_kutta_form(extended_tableau(ImplicitFamily::lobatto_iiic, s));
    case Family::pair:
      break;
  }
  return partitioned_form(extended_tableau(ImplicitFamily::lobatto_iiia, s),
                          extended_tableau(ImplicitFamily::lobatto_iiib, s));
}

template <Family family>
class Lobatto final : public ImplicitRk {
 public:
  using Options = LobattoOptions;
  static std::vector<OptionSet> variants() { return {{}, {{"s", "2"}}, {{"s", "3"}}}; }
  static MethodInfo describe(const Options& options) { return describe_family(family, options.s); }
  static Prospect advise(const ProblemFacts&, const Question&) {
    return only_by_name("radau and gauss take less work; name it to compare with published results");
  }
  static LinearForm linear_form(const Options& options) { return form_of(family, options.s); }
  Lobatto(const Problem& problem, const Options& options) : ImplicitRk(problem, describe(options)), options_(options) {
    if (family == Family::pair && mechanics()->velocity_dependent(all_groups))
      refuse("needs forces that do not depend on velocity; use gauss");
  }
  std::unique_ptr<Stepper> clone(const Problem& problem) const override {
    return std::make_unique<Lobatto>(problem, options_);
  }

 private:
  ImplicitRkPlan plan(const ErrorScale&) override {
    const double k = options_.s * (options_.s - 1);
    return {.block = block_of(family, options_.s),
            .fast = family == Family::c ? FastMotion::damp : FastMotion::preserve,
            .alias = family == Family::a || family == Family::b ? k : 0,
            .damps = family == Family::c};
  }
  Options options_;
};
}  // namespace

void register_method_lobatto(Catalogue& catalogue) {
  add_method<Lobatto<Family::a>>(catalogue);
  add_method<Lobatto<Family::b>>(catalogue);
  add_method<Lobatto<Family::c>>(catalogue);
  add_method<Lobatto<Family::pair>>(catalogue);
}
}  // namespace trill
