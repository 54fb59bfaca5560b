// SPDX-License-Identifier: BSD-3-Clause
// Constrained mechanisms: the alpha family and radau, compared with SUNDIALS IDA on the formulation of Gear, Gupta and
// Leimkuhler. Each method has the setting that reaches a given error of the slow coordinates in the least time. The
// reference is dop853 on the underlying equation, which has no formula in common with any of them.
#include "formulation/slow_manifold_start.hpp"
#include "ida_ggl.hpp"
#include "ratio.hpp"
#include "trill/driver/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace {
using namespace trill;
using namespace trill::bench;

struct Case {
  std::string name, model;
  OptionSet parameters;
  double to;
  std::vector<Index> slow;  // the components whose error counts
  std::optional<double> event;
  bool has_gaps, stiff;
};

std::vector<Case> cases() {
  std::vector<Case> all{{"rigid_pendulum", "rigid", {}, 10, {0, 1}, std::nullopt, false, false}};
  for (const char* k : {"1e4", "1e6", "1e8"}) {
    const std::string turning = fmt::format("{:g}", std::stod(k) / 10);
    all.push_back({fmt::format("bushing_{}", k),
                   "bushing_pendulum",
                   {{"kx", k}, {"ky", k}, {"ktheta", turning}, {"offset", "1e-4"}},
                   5,
                   {0, 1, 2},
                   std::nullopt,
                   true,
                   std::stod(k) >= 1e6});
  }
  all.push_back({"slider_crank", "slider_crank", {}, 1, {0, 10}, 0.3, true, true});
  return all;
}

std::vector<double> times_of(const Case& c) {
  std::vector<double> times;
  for (int k = 1; k <= 10; ++k) times.push_back(k == 3 && c.event ? *c.event : c.to * k / 10);
  return times;
}

RunPlan plan_for(const Case& c, const std::string& method) {
  RunPlan plan;
  plan.model = c.model;
  plan.parameters = c.parameters;
  plan.method = method;
  plan.to = c.to;
  plan.output = Times{times_of(c)};
  plan.native = Native::always;
  return plan;
}

// The rows at the times that were asked for, without those that events record.
Mat rows_of(const Case& c, const Solution& s) {
  const auto times = times_of(c);
  Mat rows(s.y().rows(), static_cast<Index>(times.size()));
  rows.setConstant(std::nan(""));
  for (std::size_t k = 0; k < times.size(); ++k)
    for (Index r = 0; r < s.rows(); ++r)
      if (std::abs(s.t[static_cast<std::size_t>(r)] - times[k]) < 1e-9 * c.to)
        rows.col(static_cast<Index>(k)) = s.y().col(r);
  return rows;
}

double error_of(const Case& c, const Mat& rows, const Mat& reference) {
  double error = 0;
  for (const Index i : c.slow) {
    const double most = (rows.row(i) - reference.row(i)).cwiseAbs().maxCoeff();
    if (!(most <= error)) error = most;
  }
  return error;
}

// One way to solve a case, with its result and its cost.
struct Candidate {
  std::string label;
  std::function<void()> run = {};
  double error = HUGE_VAL, seconds = HUGE_VAL;
  long steps = 0, residuals = 0;
};

constexpr double coarse = 1e-3, fine = 1e-5;          // the errors to be reached
constexpr std::array<double, 3> slacks{10, 1, 1e-2};  // ratios of atol to rtol
constexpr double patience = 2;                        // seconds
constexpr long most_steps = 300'000;                  // settings that need more steps are given up

void try_out(Candidate& c, const std::function<double(Candidate&)>& solve) {
  c.seconds = processor_seconds([&] { c.error = solve(c); });
  if (c.seconds < 0.2) c.seconds = std::min(c.seconds, processor_seconds([&] { solve(c); }));
}

const Candidate* best(const std::vector<Candidate>& all, double error) {
  const Candidate* found = nullptr;
  for (const Candidate& c : all)
    if (c.error <= error && (!found || c.seconds < found->seconds)) found = &c;
  return found;
}

// Whether tighter tolerances of the same kind need not be tried.
bool is_enough(const Candidate& last, const std::vector<Candidate>& before) {
  const Candidate* known = best(before, fine);
  return last.error <= fine || last.seconds > patience || (known && last.seconds > 2 * known->seconds);
}

std::vector<Candidate> ida_candidates(const Case& c, const std::shared_ptr<PreparedRun>& base, const Mat& reference) {
  const auto ida = std::make_shared<IdaGgl>(dynamic_cast<const MechanicalProblem&>(*base->problem));
  std::vector<Candidate> found;
  for (const bool velocities : {true, false})
    for (const int order : {2, 5})
      for (const double slack : slacks)
        for (int digits = 1; digits <= 20; ++digits) {
          const double rtol = std::pow(10, -0.5 * digits);
          const IdaSetting setting{rtol, rtol * slack, velocities, order};
          Candidate candidate{.label = fmt::format("IDA rtol {:.0e} atol {:.0e} order {}{}", rtol, rtol * slack, order,
                                                   velocities ? "" : " positions only")};
          const auto solve = [=, times = times_of(c)](long most) {
            return ida->run(base->start, times, setting, most, c.event);
          };
          candidate.run = [=] { keep(solve(10'000'000).rows(0, 0)); };
          try_out(candidate, [&](Candidate& self) {
            const IdaRun r = solve(most_steps);
            self.steps = r.steps;
            self.residuals = r.residuals;
            return r.ok ? error_of(c, r.rows, reference) : HUGE_VAL;
          });
          const bool enough = is_enough(candidate, found);
          found.push_back(std::move(candidate));
          if (enough) break;
        }
  return found;
}

struct Member {
  std::string method;
  OptionSet options;
};

std::vector<Candidate> our_candidates(const Case& c, const Member& member, const Mat& reference) {
  std::vector<Candidate> found;
  const auto consider = [&](const std::string& label, const std::function<void(RunPlan&)>& choose) {
    RunPlan plan = plan_for(c, member.method);
    plan.options = member.options;
    plan.max_steps = most_steps;
    choose(plan);
    std::string options;
    for (const auto& [name, value] : member.options) options += fmt::format(" {}={}", name, value);
    Candidate candidate{.label = fmt::format("{}{} {}", member.method, options, label)};
    const auto prepared = std::make_shared<PreparedRun>(prepare(plan));
    candidate.run = [prepared] { keep(prepared->run().y()(0, 0)); };
    try_out(candidate, [&](Candidate& self) {
      const Solution s = prepared->run();
      self.steps = static_cast<long>(s.outcome.counters.steps);
      self.residuals = static_cast<long>(s.outcome.counters.most_forces());
      return s.ok() ? error_of(c, rows_of(c, s), reference) : HUGE_VAL;
    });
    const bool enough = is_enough(candidate, found);
    found.push_back(std::move(candidate));
    return !enough;
  };
  for (const double slack : slacks)
    for (int digits = 1; digits <= 18; ++digits) {
      const double rtol = std::pow(10, -0.5 * digits);
      const auto choose = [&](RunPlan& plan) { plan.rtol = rtol, plan.atol = rtol * slack; };
      if (!consider(fmt::format("rtol {:.0e} atol {:.0e}", rtol, rtol * slack), choose)) break;
    }
  for (int doublings = 0; doublings <= 24; ++doublings) {
    const double steps = std::round(10 * std::pow(2, 0.5 * doublings));
    if (!consider(fmt::format("{} steps", steps), [&](RunPlan& plan) { plan.h = c.to / steps; })) break;
  }
  return found;
}

void say(const char* who, const Candidate* c) {
  if (c)
    std::fprintf(stderr, "  %-5s %-60s error %.1e, %.3g ms, %ld steps, %ld residuals\n", who, c->label.c_str(),
                 c->error, 1e3 * c->seconds, c->steps, c->residuals);
  else
    std::fprintf(stderr, "  %-5s no setting reaches it\n", who);
}

void compare(const Case& c, const char* what, double error, const std::vector<Candidate>& ours,
             const std::vector<Candidate>& theirs, bool gated) {
  const Candidate *mine = best(ours, error), *other = best(theirs, error);
  const std::string name = fmt::format("{}/{}/{:.0e}_over_ida", c.name, what, error);
  std::fprintf(stderr, "%s\n", name.c_str());
  say("ours", mine);
  say("IDA", other);
  double value = HUGE_VAL;
  if (mine && other)
    value = median_ratio(mine->run, other->run, mine->seconds + other->seconds > 0.3 ? 3 : 9);
  else if (mine)
    value = 0;
  if (gated)
    print_ratio(name.c_str(), value, 1.0);
  else
    std::printf("RATIO %s %.4f -\n", name.c_str(), value);
}
// The time of steps alone: the cost of the start cancels in the difference of two runs.
double seconds_per_step(int links) {
  struct Cost {
    double seconds = HUGE_VAL, steps = 0;
  };
  const auto cost = [&](double to) {
    const std::string n = fmt::format("{}", links);
    RunPlan plan;
    plan.model = "link_chain";
    plan.parameters = {{"n", n}};
    plan.method = "generalized_alpha";
    plan.rtol = 1e-5;
    plan.to = to;
    plan.output = Times{{}};
    plan.native = Native::always;
    PreparedRun run = prepare(plan);
    Cost least;
    for (int turn = 0; turn < 3; ++turn)
      least.seconds = std::min(least.seconds, processor_seconds([&] {
                                 const Solution s = run.run();
                                 least.steps = s.ok() ? static_cast<double>(s.outcome.counters.steps) : std::nan("");
                               }));
    return least;
  };
  const Cost whole = cost(1), half = cost(0.5);
  return (whole.seconds - half.seconds) / (whole.steps - half.steps);
}

void follow_chains() {
  std::vector<double> each_link;
  for (const int links : {100, 1000, 5000}) {
    each_link.push_back(seconds_per_step(links) / links);
    std::fprintf(stderr, "chain of %d links: %.3g us per step and link\n", links, 1e6 * each_link.back());
  }
  print_ratio("chain/per_link_1000_over_100", each_link[1] / each_link[0], 1.5);
  print_ratio("chain/per_link_5000_over_1000", each_link[2] / each_link[1], 1.5);
}
}  // namespace

// Arguments are names of cases, or "chains". Without arguments all of them are run.
int main(int argc, char** argv) {
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  const auto skips = [&](std::string_view name) {
    return !wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end();
  };
  for (const Case& c : cases()) {
    if (skips(c.name)) continue;
    RunPlan exact = plan_for(c, "dop853");
    exact.rtol = 1e-10;
    exact.atol = 1e-12;
    const auto base = std::make_shared<PreparedRun>(prepare(exact));
    const Solution solution = base->run();
    if (!solution.ok()) return 1;
    const Mat reference = rows_of(c, solution);
    const auto theirs = ida_candidates(c, base, reference);
    std::vector<Member> members;
    for (const char* rho : {"0", "0.5", "0.7", "0.9"}) members.push_back({"generalized_alpha", {{"rho", rho}}});
    if (c.has_gaps)
      for (const char* rho : {"0.5", "0.9"})
        members.push_back({"generalized_alpha", {{"rho", rho}, {"start", "slow"}}});
    std::vector<Candidate> damped, family;
    for (const Member& member : members)
      for (Candidate& found : our_candidates(c, member, reference)) damped.push_back(std::move(found));
    family = damped;
    for (const Member& member :
         {Member{"newmark", {}}, {"hht", {}}, {"wbz", {}}, {"radau", {}}, {"radau", {{"fast", "resolve"}}}})
      for (Candidate& found : our_candidates(c, member, reference)) family.push_back(std::move(found));
    compare(c, "generalized_alpha", coarse, damped, theirs, c.stiff);
    compare(c, "generalized_alpha", fine, damped, theirs, false);
    compare(c, "best", coarse, family, theirs, false);
    compare(c, "best", fine, family, theirs, true);
    if (!c.has_gaps) continue;
    // The time of IDA with a start on the slow manifold, which IDA itself does not offer.
    State& start = base->start;
    const SlowStart slow =
        SlowManifoldStart(dynamic_cast<const MechanicalProblem&>(*base->problem)).find(start.t, start.q(), start.v());
    start.q() = slow.q;
    start.v() = slow.v;
    compare(c, "generalized_alpha_and_slow_start", coarse, damped, ida_candidates(c, base, reference), false);
  }
  if (!skips("chains")) follow_chains();
  return 0;
}
