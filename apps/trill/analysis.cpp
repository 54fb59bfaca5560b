// SPDX-License-Identifier: BSD-3-Clause
// order, stability, compare: measure what methods do.
#include "analysis/convergence.hpp"
#include "analysis/cost_of_error.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "formulation/constraint_formulation.hpp"
#include "pictures.hpp"
#include "places.hpp"
#include "resonance.hpp"
#include "terminal.hpp"
#include "trill/analysis/stability.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill::cli {
namespace {
using nlohmann::json;

json number_json(double value) { return std::isfinite(value) ? json(value) : json(value > 0 ? "infinity" : "none"); }
std::string number_text(double value) { return std::isinf(value) ? "infinite" : fmt::format("{:.6g}", value); }

std::string fitting_model(const Accepts& accepts) {
  if (accepts.mechanical || accepts.first_order) return "kepler";
  if (accepts.constrained) return "rigid";
  if (accepts.langevin) return "langevin";
  return "rectifier";
}

json convergence_json(const std::vector<ConvergenceRow>& rows) {
  json list = json::array();
  for (const ConvergenceRow& row : rows)
    list.push_back({{"h", row.h},
                    {"rtol", row.rtol},
                    {"error_q", number_json(row.error_q)},
                    {"error_v", number_json(row.error_v)},
                    {"error_lambda", number_json(row.error_lambda)},
                    {"forces", row.counters.most_forces()},
                    {"steps", row.counters.steps},
                    {"seconds", row.counters.seconds}});
  return list;
}

// A formulation has the order and the stability of the method that drives it.
const MethodEntry& plain_method(const std::string& name) {
  if (const ReformulationEntry* formulation = Catalogue::all().find_formulation(name))
    throw UsageError(
        fmt::format("'{}' is a formulation, which has no order or stability of its own; name the method that drives "
                    "it, such as dop853",
                    formulation->name));
  return Catalogue::all().method(name);
}
}  // namespace

int order(const OrderArguments& a) {
  const MethodEntry& method = plain_method(a.method);
  const MethodInfo info = method.describe(a.options);
  if (info.owns_step)
    throw UsageError(info.name +
                     " varies its order and step size, so that its order cannot be observed with fixed steps");
  RunPlan plan;
  plan.model = a.model.empty() ? fitting_model(info.accepts) : a.model;
  plan.parameters = a.parameters;
  // Without noise there is an exact solution to compare with.
  if (info.accepts.langevin) plan.parameters.insert({{"kT", "0"}, {"q0", "1"}});
  plan.method = info.name;
  plan.options = a.options;
  const double span = std::min(2.0, make_model(plan.model, plan.parameters).info.run.to);
  plan.to = span;
  plan.h = first_step(plan, info.order >= 6 ? 12 : 24);
  const Reference reference = reference_solution(plan);
  const auto rows = convergence_table(plan, reference, 6);
  const double q = observed_order(rows, &ConvergenceRow::error_q), v = observed_order(rows, &ConvergenceRow::error_v),
               lambda = observed_order(rows, &ConvergenceRow::error_lambda);
  if (a.json) {
    print(json{{"method", info.name},
               {"model", plan.model},
               {"claimed", info.order},
               {"order_q", number_json(q)},
               {"order_v", number_json(v)},
               {"order_lambda", number_json(lambda)},
               {"reference", reference.origin},
               {"rows", convergence_json(rows)}}
              .dump(2) +
          "\n");
    return ExitCode::ok;
  }
  std::vector<std::vector<std::string>> table{{"h", "error in q", "error in v", "error in lambda", "forces"}};
  for (const ConvergenceRow& row : rows)
    table.push_back({fmt::format("{:.6g}", row.h), fmt::format("{:.3e}", row.error_q),
                     reference.at_end.layout.nv > 0 ? fmt::format("{:.3e}", row.error_v) : "-",
                     reference.at_end.layout.nl > 0 ? fmt::format("{:.3e}", row.error_lambda) : "-",
                     fmt::format("{}", row.counters.most_forces())});
  print(paragraph(fmt::format("{} on {} at t = {}, against {}\n\n{}\n", info.name, plan.model, span, reference.origin,
                              text_table(table))));
  const auto order_text = [](double value) {
    return std::isnan(value) ? std::string("not visible") : fmt::format("{:.2f}", value);
  };
  print(fmt::format("observed order: {} in q", order_text(q)));
  if (reference.at_end.layout.nv > 0) print(fmt::format(", {} in v", order_text(v)));
  if (reference.at_end.layout.nl > 0) print(fmt::format(", {} in lambda", order_text(lambda)));
  print(fmt::format("; claimed: {}\n", info.order > 0 ? std::to_string(info.order) : "varies"));
  return ExitCode::ok;
}

namespace {
std::string window_text(const StabilityWindow& w) {
  return fmt::format("{}{:.10g}, {}{}", w.has_from ? '[' : '(', w.from,
                     std::isinf(w.to) ? "infinity" : fmt::format("{:.10g}", w.to), w.has_to ? ']' : ')');
}

constexpr std::size_t most_listed = 8;

std::string windows_text(const std::vector<StabilityWindow>& windows) {
  if (windows.empty()) return "none";
  std::string text;
  for (std::size_t i = 0; i < std::min(windows.size(), most_listed); ++i)
    text += (i == 0 ? "" : " ") + window_text(windows[i]);
  return text + (windows.size() > most_listed ? " ..." : "");
}

json windows_json(const std::vector<StabilityWindow>& windows) {
  json list = json::array();
  for (const StabilityWindow& w : windows)
    list.push_back({{"from", w.from}, {"to", number_json(w.to)}, {"has_from", w.has_from}, {"has_to", w.has_to}});
  return list;
}

json matrix_json(const std::optional<Mat2>& m) {
  if (!m) return nullptr;
  return {{(*m)(0, 0), (*m)(0, 1)}, {(*m)(1, 0), (*m)(1, 1)}};
}

json stability_json(const std::string& method, const StabilityReport& r) {
  json rows = json::array(), touching = json::array();
  for (const StabilityRow& row : r.rows)
    rows.push_back({{"mu", row.mu},
                    {"radius", number_json(row.radius)},
                    {"damping", number_json(row.damping)},
                    {"phase", row.phase}});
  for (const TouchingPoint& p : r.touching) touching.push_back({{"mu", p.mu}, {"identity", p.identity}});
  return {
      {"method", method},
      {"exact", r.exact},
      {"interval_of_periodicity", number_json(r.periodicity_end)},
      {"interval_of_absolute_stability", number_json(r.absolute_end)},
      {"closed", {{"periodicity", windows_json(r.closed.periodicity)}, {"absolute", windows_json(r.closed.absolute)}}},
      {"open", {{"periodicity", windows_json(r.open.periodicity)}, {"absolute", windows_json(r.open.absolute)}}},
      {"double_eigenvalues", touching},
      {"p_stable", r.p_stable},
      {"strictly_p_stable", r.strictly_p_stable},
      {"i_stable", r.i_stable},
      {"radius_at_infinity", number_json(r.radius_at_infinity)},
      {"matrix_at_infinity", matrix_json(r.at_infinity)},
      {"dispersion_order", number_json(r.dispersion.order)},
      {"dispersion_constant", r.dispersion.constant},
      {"damping_order", number_json(r.damping.order)},
      {"damping_constant", r.damping.constant},
      {"rows", rows}};
}

std::string p_stable_text(const StabilityReport& r) {
  if (r.strictly_p_stable) return "yes";
  return r.p_stable ? "yes by the closed definition, no by the open one" : "no";
}

std::string infinity_text(const StabilityReport& r) {
  if (!r.exact) return fmt::format("largest |eigenvalue| {} at h*omega = 1e6", number_text(r.radius_at_infinity));
  if (std::isinf(r.radius_at_infinity)) return "unbounded";
  if (!r.at_infinity) return fmt::format("largest |eigenvalue| {}", number_text(r.radius_at_infinity));
  const Mat2& m = *r.at_infinity;
  return fmt::format("[[{:.6g}, {:.6g}], [{:.6g}, {:.6g}]]", m(0, 0), m(0, 1), m(1, 0), m(1, 1));
}

std::string term_text(const std::string& name, const LeadingTerm& term, const char* without) {
  if (std::isinf(term.order)) return without;
  return fmt::format("{} = {:.10g} (h*omega)^{:.0f} + ..., order {:.0f}", name, term.constant, term.order, term.order);
}

// Where eigenvalues meet; if there are many such points, the first ones.
std::string meetings_text(const std::vector<TouchingPoint>& points) {
  if (points.empty()) return "nowhere";
  std::string text;
  for (std::size_t i = 0; i < std::min(points.size(), most_listed); ++i)
    text += fmt::format("{}{:.6g}{}", i == 0 ? "" : ", ", points[i].mu, points[i].identity ? " (M = +-I)" : "");
  return text + (points.size() > most_listed ? ", ..." : "");
}

std::vector<std::vector<std::string>> stability_facts(const StabilityReport& r) {
  return {
      {"how it was found",
       r.exact        ? "exactly, from the coefficients"
       : r.has_memory ? "from long runs, because the method uses earlier steps: dominant eigenvalues, accurate to 1e-8"
                      : "from computed steps, by a scan and bisection; eigenvalues accurate to 1e-8"},
      {"periodicity, closed (JP95)", windows_text(r.closed.periodicity)},
      {"periodicity, open (PJY97)", windows_text(r.open.periodicity)},
      {"absolute stability, closed", windows_text(r.closed.absolute)},
      {"absolute stability, open", windows_text(r.open.absolute)},
      {"eigenvalues meet at", meetings_text(r.touching)},
      {"P-stable", p_stable_text(r)},
      {"M for h*omega -> infinity", infinity_text(r)},
      {"dispersion", term_text("b - 1", r.dispersion, "not visible")},
      {"damping", term_text("a", r.damping, "none")}};
}

std::string stability_text(const MethodInfo& info, const StabilityReport& r) {
  std::vector<std::vector<std::string>> table{
      {"h*omega", "largest |eigenvalue|", "damping a", "frequency b = phase / (h*omega)"}};
  for (const StabilityRow& row : r.rows)
    if (const double m = row.mu; std::abs(m / 0.5 - std::round(m / 0.5)) < 1e-9 && (m <= 4 || m == std::round(m)))
      table.push_back({fmt::format("{:.1f}", m), number_text(row.radius), fmt::format("{:.6g}", row.damping),
                       row.oscillates ? fmt::format("{:.6f}", row.phase / m) : "-"});
  std::string text = fmt::format("{}: {}\n\n{}\n", info.name, info.title, text_table(table));
  for (const auto& fact : stability_facts(r)) text += fmt::format("{:<28}{}\n", fact[0], fact[1]);
  return text;
}

// Scans far enough to see the whole last window.
StabilityReport analyse_far_enough(const MethodEntry& method, const OptionSet& options) {
  StabilityReport r = analyse_stability(method, options);
  double last = 0;
  for (const StabilityWindow& w : r.closed.absolute) last = std::max(last, std::isinf(w.to) ? w.from : w.to);
  return last > 9 && last < 100 ? analyse_stability(method, options, std::ceil(1.1 * last)) : r;
}
}  // namespace

int stability(const StabilityArguments& a) {
  check_page(a.report);
  check_pictures(a.svg);
  const MethodEntry& method = plain_method(a.method);
  const StabilityReport r = analyse_far_enough(method, a.options);
  const auto split = method.split_form(a.options);
  if (a.json) {
    json all = stability_json(method.info.name, r);
    if (split) all["resonance"] = resonance_json(*split);
    print(all.dump(2) + "\n");
  } else {
    print(paragraph(stability_text(method.describe(a.options), r) + (split ? resonance_text(*split) : "")));
  }
  const Table facts{.title = "On the oscillator q'' = -omega^2 q",
                    .note =
                        "Closed: points where both eigenvalues are +1 or both are -1 belong to the interval. Open: "
                        "they belong to it only if M = I or M = -I there.",
                    .columns = {"what", "value"},
                    .rows = stability_facts(r),
                    .marks = {}};
  std::vector<Chart> charts = stability_charts(method.info.name, r);
  std::vector<Table> tables{facts};
  if (split) {
    charts.push_back(filter_chart(*split));
    tables.push_back(unstable_table(*split));
  }
  write_charts(charts, method.info.name + ": stability", a.report, a.svg, a.json, tables);
  return ExitCode::ok;
}

namespace {
struct Curve {
  std::string method;
  bool by_tolerance = false;
  std::vector<ConvergenceRow> rows;
};

// A method, together with its formulation if several are compared.
struct Contender {
  Technique technique;
  std::string formulation;
};

bool solves_stages(const Technique& technique) {
  return technique.method && has_option(technique.method->options, "formulation");
}

// `--formulation index2,cs`: methods that solve constraints stage by stage run in each of these, others as they are.
std::vector<Contender> contenders(CompareArguments& a) {
  std::vector<Technique> techniques;
  for (const std::string& name : a.methods) techniques.push_back(Catalogue::all().technique(name));
  const std::vector<std::string> forms = split(a.plan.formulation, ',');
  std::vector<Contender> all;
  if (forms.size() < 2) {
    for (const Technique& technique : techniques) all.push_back({technique, a.plan.formulation});
    return all;
  }
  for (const std::string& form : forms) constraint_form(form);
  a.plan.formulation.clear();
  for (const Technique& technique : techniques) {
    if (!solves_stages(technique)) {
      all.push_back({technique, ""});
      continue;
    }
    for (const std::string& form : forms) all.push_back({technique, form});
  }
  return all;
}

Curve measure_curve(const CompareArguments& a, const Contender& contender, const Reference& reference) {
  RunPlan plan = a.plan;
  plan.method = contender.technique.name();
  plan.formulation = contender.formulation;
  const MethodInfo info = prepare(plan).way.method->info;
  Curve curve{plan.method, info.owns_step || info.error_order > 0, {}};
  if (a.plan.formulation.empty() && !contender.formulation.empty()) curve.method += " " + contender.formulation;
  if (curve.by_tolerance) {
    plan.rtol = 1e-4;
    plan.atol = 1e-7;
  } else {
    plan.h = first_step(plan, 10);
  }
  curve.rows = convergence_table(plan, reference, a.points);
  return curve;
}
}  // namespace

int compare(const CompareArguments& arguments) {
  CompareArguments a = arguments;
  Paths outputs = svg_files(a.svg, 2);
  outputs.push_back(a.report);
  const OptionSet inputs = make_model(a.plan.model, a.plan.parameters, a.plan.from.value_or(0)).inputs;
  check_page_name(a.report);
  check_apart(outputs, files_of_model(a.plan.model, inputs));
  check_page(a.report);
  check_pictures(a.svg);
  const std::vector<Contender> compared = contenders(a);
  const Reference reference = reference_solution(a.plan);
  std::vector<Curve> curves;
  for (const Contender& contender : compared) curves.push_back(measure_curve(a, contender, reference));
  std::string note = "Largest error of q and v at the end, compared with " + reference.origin;
  for (const Contender& contender : compared)
    if (const ReformulationEntry* formulation = contender.technique.formulation)
      note += fmt::format("; {} computes the {}, so that the oscillation itself counts as its error", formulation->name,
                          to_text(*formulation->delivers));
  Chart by_forces{.title = "Error against work",
                  .note = note,
                  .x = {"force evaluations", "", true},
                  .y = {"error", "", true},
                  .style = ChartStyle::both,
                  .series = {}};
  Chart by_time = by_forces;
  by_time.title = "Error against time";
  by_time.x.label = "solve time";
  by_time.x.unit = "s";
  std::vector<std::vector<std::string>> table{
      {"method", "h or rtol", "error", "forces", "iterations", "steps", "rejected", "time / s"}};
  json all = json::array();
  std::vector<CostCurve> costs;
  for (const Curve& curve : curves) {
    costs.push_back({curve.method, {}});
    ChartSeries forces{curve.method, {}, {}}, time{curve.method, {}, {}};
    for (const ConvergenceRow& row : curve.rows) {
      table.push_back({curve.method,
                       curve.by_tolerance ? fmt::format("rtol {:.0e}", row.rtol) : fmt::format("h {:.4g}", row.h),
                       std::isfinite(row.error()) ? fmt::format("{:.3e}", row.error()) : to_text(row.status),
                       fmt::format("{}", row.counters.most_forces()), fmt::format("{}", row.counters.newton_iterations),
                       fmt::format("{}", row.counters.steps), fmt::format("{}", row.counters.rejected),
                       fmt::format("{:.3g}", row.counters.seconds)});
      costs.back().points.push_back({row.error(), row.counters.seconds});
      forces.x.push_back(static_cast<double>(row.counters.most_forces()));
      time.x.push_back(row.counters.seconds);
      forces.y.push_back(row.error());
      time.y.push_back(row.error());
    }
    by_forces.series.push_back(forces);
    by_time.series.push_back(time);
    all.push_back({{"method", curve.method}, {"rows", convergence_json(curve.rows)}});
  }
  const std::string cheapest = cheapest_sentence(costs);
  if (a.json)
    print(json{{"model", a.plan.model}, {"reference", reference.origin}, {"methods", all}, {"cheapest", cheapest}}.dump(
              2) +
          "\n");
  else
    print(paragraph(fmt::format("{}. {}\n\n{}\n{}\n", a.plan.model, note, text_table(table), cheapest)));
  Table rows{.title = "What each run needed", .note = "", .columns = table.front(), .rows = {}, .marks = {}};
  rows.rows.assign(table.begin() + 1, table.end());
  write_charts({by_time, by_forces}, a.plan.model + ": methods compared", a.report, "", a.json, {rows},
               cheapest.empty() ? std::vector<std::string>{} : std::vector<std::string>{cheapest});
  write_charts({by_forces, by_time}, "", "", a.svg, a.json);
  return ExitCode::ok;
}
}  // namespace trill::cli
