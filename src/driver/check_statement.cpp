// SPDX-License-Identifier: BSD-3-Clause
#include "driver/check_statement.hpp"

#include "driver/advice.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double least_model_error = 1e-14;  // estimates below this say nothing but that there is rounding
constexpr double margin = 0.3;               // of the accuracy: what a remedy aims at
constexpr double own_remedy_up_to = 0.2;     // errors larger than this say little about the order of the method
constexpr double shortest_horizon = 0.01;    // of the run: what a statement must reach to stand for it

// The same method with smaller steps, judged by its order.
std::string own_remedy(const PreparedRun& run, double error, double seconds) {
  const RunPlan& plan = run.plan;
  const double order = std::max(1, run.stepper->info().order), wanted = margin * accuracy_of(plan) / error;
  // A formulation that has methods of its own is named as the method.
  const bool own_methods = run.way.formulation && run.way.formulation->methods;
  std::string text = command_of(plan) + " --method " + (own_methods ? plan.formulation : plan.method);
  if (!plan.formulation.empty() && !own_methods) text += " --formulation " + plan.formulation;
  for (const auto& [name, value] : plan.options) text += fmt::format(" --set {}={}", name, value);
  const double finer = std::pow(wanted, 1 / order);
  if (plan.h) return fmt::format("{} --h {:.2g} (about {:.2g} s)", text, *plan.h * finer, seconds / finer);
  const double rtol = *plan.rtol * wanted;
  return rtol < smallest_rtol ? "" : fmt::format("{} --rtol {:.1g} (about {:.2g} s)", text, rtol, seconds / finer);
}

// The method that checks has no smaller tolerance, so that the error may be its own.
bool may_be_rounding(const Finding& finding, const Audit* audit) {
  return finding.error < smallest_checked && audit && audit->by.rtol <= smallest_rtol;
}

std::string remedy_for(const Finding& finding, const PreparedRun& run, const RunOutcome& outcome, bool slow,
                       const Audit* audit) {
  if (run.plan.model.empty() || finding.folding || may_be_rounding(finding, audit)) return "";
  const bool own = !slow && finding.error > 0 && finding.error < own_remedy_up_to;
  if (own)
    if (std::string text = own_remedy(run, finding.error, outcome.counters.seconds); !text.empty()) return text;
  if (!audit) return "";
  std::string text = fmt::format("{} --method {}", command_of(run.plan), audit->by.method->info.name);
  for (const auto& [name, value] : audit->by.options) text += fmt::format(" --set {}={}", name, value);
  return fmt::format("{} --rtol {:.0e} (about {:.2g} s)", text, audit->by.rtol, audit->seconds);
}

std::string error_text(const Finding& finding, Verdict verdict, bool slow) {
  if (finding.of.empty()) return fmt::format("No number differs, {}.", finding.how);
  const std::string what = slow ? "slow motion" : "run";
  if (verdict == Verdict::red)
    return fmt::format("Do not trust this {}: its error is {:.2g} of the range of {}, {}.", what, finding.error,
                       finding.of, finding.how);
  return fmt::format("The {} is right to {:.2g} of a range ({}), {}.", what, finding.error, finding.of, finding.how);
}

std::string horizon_text(const Finding& finding, double accuracy) {
  return fmt::format(
      "Right to {:.2g} until t = {:.3g}, {}; errors grow 2.7-fold in {:.2g}: later only energy and averages are meant.",
      accuracy, finding.until, finding.how, *finding.folding);
}

void add_model_error(Trust& trust, const PreparedRun& run, double accuracy) {
  const double error = run.reformulation && run.begun ? run.reformulation->model_error() : std::nan("");
  if (!(error >= least_model_error)) return;
  trust.rows.push_back({"error of the formulation itself (estimate)", "", error, 1});
  if (trust.verdict != Verdict::none) trust.verdict = std::max(trust.verdict, verdict_of(error, accuracy));
  trust.headline += fmt::format(" The equations of {} themselves have an estimated error of about {:.1g}.",
                                run.way.formulation->name, error);
}

void doubt(Trust& trust, const std::string& sentence) {
  if (trust.verdict == Verdict::green) trust.verdict = Verdict::amber;
  trust.headline += " " + sentence;
}
}  // namespace

void state(Trust& trust, const Finding& finding, const PreparedRun& run, const RunOutcome& outcome, bool slow,
           const Audit* audit) {
  const double accuracy = accuracy_of(run.plan), span = std::abs(*run.plan.to - *run.plan.from);
  trust.error = finding.error;
  trust.of = finding.of;
  trust.how = finding.how;
  trust.verdict = verdict_of(finding.error, accuracy);
  if (may_be_rounding(finding, audit)) trust.verdict = std::min(trust.verdict, Verdict::amber);
  // After its horizon a run still stands for the averages of a chaotic motion, unless it has left its energy.
  const bool foreseeable = finding.folding && std::abs(finding.until - *run.plan.from) > 3 * *finding.folding &&
                           std::abs(finding.until - *run.plan.from) < span &&
                           verdict_of(finding.of_conserved, accuracy) != Verdict::red;
  if (!finding.failure.empty()) {
    trust.verdict = Verdict::red;
    trust.headline = "Do not trust this run: " + finding.failure;
  } else if (trust.verdict != Verdict::green && foreseeable) {
    trust.verdict = Verdict::green;
    trust.until = finding.until;
    trust.headline = horizon_text(finding, accuracy);
    if (const double share = std::abs(finding.until - *run.plan.from) / span; share < shortest_horizon)
      doubt(trust, fmt::format("That is {:.1g} of the run: nothing is known about the rest.", share));
  } else {
    trust.headline = error_text(finding, trust.verdict, slow);
  }
  if (trust.verdict != Verdict::red && !finding.moments.empty()) trust.headline += " " + finding.moments;
  if (slow && trust.verdict != Verdict::red) trust.headline += " The phase of the oscillation is not computed.";
  if (!finding.measured && !finding.stated) add_model_error(trust, run, accuracy);
  if (!finding.events.empty() && trust.verdict != Verdict::red) doubt(trust, finding.events);
  if (!finding.output.empty() && trust.verdict != Verdict::red) doubt(trust, finding.output);
  const auto casts_doubt = [](const Notice& notice) { return notice.severity == Severity::doubt; };
  if (trust.verdict == Verdict::green && std::any_of(outcome.notices.begin(), outcome.notices.end(), casts_doubt)) {
    if (finding.measured)
      trust.headline += " The causes of the warnings above did no harm here.";
    else
      doubt(trust, "But read the warnings above: the check does not show what they warn of.");
  }
  if (trust.verdict == Verdict::green || trust.verdict == Verdict::none) return;
  if (finding.error > accuracy) trust.remedy = remedy_for(finding, run, outcome, slow, audit);
}
}  // namespace trill
