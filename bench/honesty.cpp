// SPDX-License-Identifier: BSD-3-Clause
// How honest the statements of the check are. Runs every case of bench/honesty, finds its true error by a tight
// reference run, and counts wrong runs that were called green and right runs that were flagged, family by family. The
// cases are the comments "#: FAMILY options" in the models of that folder; a case with --sweep stands for one run for
// each value. With --list every case is printed, with --write the table is put into docs/guide/trust.md. A number
// selects a family.
#include "base/text.hpp"
#include "driver/check_audit.hpp"
#include "driver/check_compare.hpp"
#include "driver/check_repetition.hpp"
#include "trill/driver/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include <fmt/format.h>

namespace {
using namespace trill;
namespace fs = std::filesystem;

const char* const family_names[] = {"",
                                    "energy hidden by a fast partner",
                                    "forces even in the oscillation",
                                    "drag fed by a damped oscillation",
                                    "exchange under filters",
                                    "aliases of the step",
                                    "differences of large numbers",
                                    "narrow bumps in the frequency",
                                    "sparse output",
                                    "grazing events, short pulses",
                                    "soft forces nonlinear over the amplitude",
                                    "random motion"};
constexpr double wrong_factor = 3;

struct Case {
  int family = 0;
  std::string text;
  RunPlan plan;
  bool plot = false;  // judge the curve drawn through the rows
  std::string measure;
  double exact = std::nan("");  // the known average of that measure
};

[[noreturn]] void bad_case(const fs::path& file, const std::string& line) {
  std::cerr << file.string() << ": cannot read the case '" << line << "'\n";
  std::exit(2);
}

void set_option(Case& c, const std::string& name, const std::string& value) {
  const auto number = [&] { return parse_number(value).value_or(std::nan("")); };
  RunPlan& plan = c.plan;
  if (name == "method")
    plan.method = value;
  else if (name == "h")
    plan.h = number();
  else if (name == "rtol")
    plan.rtol = number();
  else if (name == "to")
    plan.to = number();
  else if (name == "dt")
    plan.output = Grid{number()};
  else if (name == "accuracy")
    plan.accuracy = number();
  else if (name == "seed")
    plan.seed = static_cast<std::uint64_t>(number());
  else if (name == "of")
    plan.of = split(value, ',');
  else
    plan.parameters[name] = value;
}

void add_cases(const fs::path& file, const std::string& line, std::vector<Case>& all) {
  std::istringstream words(line);
  Case base;
  base.plan.model = file.string();
  words >> base.family;
  std::vector<SweepAxis> axes;
  for (std::string word; words >> word;) {
    std::string value;
    if (word == "--plot") {
      base.plot = true;
      continue;
    }
    if (!word.starts_with("--") || !(words >> value)) bad_case(file, line);
    if (word == "--sweep")
      axes.push_back(parse_sweep(value));
    else if (word == "--exact") {
      const auto parts = split(value, '=');
      base.measure = parts.at(0);
      base.exact = parse_number(parts.at(1)).value();
    } else
      set_option(base, word.substr(2), value);
    if (word != "--sweep") base.text += word + " " + value + " ";
  }
  std::vector<Case> cases{base};
  for (const SweepAxis& axis : axes) {
    std::vector<Case> more;
    for (const Case& c : cases)
      for (const std::string& value : axis.values) {
        more.push_back(c);
        set_option(more.back(), axis.parameter, value);
        more.back().text += axis.parameter + "=" + value + " ";
      }
    cases = std::move(more);
  }
  all.insert(all.end(), cases.begin(), cases.end());
}

std::vector<Case> read_cases(int family) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TRILL_SOURCE_DIR) / "bench" / "honesty"))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Case> all;
  for (const fs::path& file : files) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("#: ")) add_cases(file, line.substr(3), all);
  }
  std::erase_if(all, [&](const Case& c) { return family > 0 && c.family != family; });
  return all;
}

// The exact motion, by dop853 with a tolerance near rounding.
Audit reference(const PreparedRun& run, const std::vector<double>& times, const Vec& scales, double to) {
  const CheckClock clock(HUGE_VAL, nullptr);
  const Auditor by{&Catalogue::all().method("dop853"), {}, 1e-12};
  auto found = audit(run, by, {run.start, times, to, scales, HUGE_VAL}, clock);
  if (!found || !found->complete) throw UsageError("the reference run failed");
  return *found;
}

Extent extent_of(const Audit& audit, Index n) {
  Extent extent(audit.curve.values.rows());
  for (Index k = 0; k < audit.curve.columns(); ++k) extent.look(audit.curve.values.col(k));
  extent.low.head(n) = extent.low.head(n).cwiseMin(audit.extent.low);
  extent.high.head(n) = extent.high.head(n).cwiseMax(audit.extent.high);
  return extent;
}

// The error of a curve that joins the rows by straight lines.
double plot_error(const PreparedRun& run, const Solution& s, const Vec& scales) {
  constexpr int points = 20'000;
  std::vector<double> times;
  const double from = s.t.front(), to = s.t.back();
  for (int k = 0; k <= points; ++k) times.push_back(from + (to - from) * k / points);
  times.back() = to;
  const Audit truth = reference(run, times, scales, to);
  double worst = 0;
  std::size_t at = 0;
  for (Index k = 0; k < truth.curve.columns(); ++k) {
    const double t = times[static_cast<std::size_t>(k)];
    while (at + 2 < s.t.size() && s.t[at + 1] < t) ++at;
    const double share = (t - s.t[at]) / (s.t[at + 1] - s.t[at]);
    const auto i = static_cast<Index>(at);
    const Vec joined = (1 - share) * s.y().col(i) + share * s.y().col(i + 1);
    const Vec range = truth.extent.high - truth.extent.low;
    worst = std::max(
        worst, ((joined - truth.curve.values.col(k).head(joined.size())).cwiseAbs().cwiseQuotient(range)).maxCoeff());
  }
  return worst;
}

double average_error(const Case& c, const Solution& s) {
  const Index k = s.quantity(c.measure);
  return std::abs(s.measured().row(k).mean() - c.exact) / c.exact;
}

double true_error(const Case& c, const PreparedRun& run, const Solution& s) {
  if (!c.measure.empty()) return average_error(c, s);
  const Index n = run.start.y.size();
  const bool slow = computes_slow_motion(run, s.outcome);
  const SampledRows rows = sample_rows(run, s.outcome, s);
  const Vec scales = judged_scales(run, rows.extent, rows.curve, conserved_by_run);
  if (c.plot) return plot_error(run, s, scales.head(n));
  std::optional<Averages> averages;
  if (slow) averages.emplace(*run.problem, run.start, rows.t_last);
  const Audit truth = reference(run, slow ? averages->times() : rows.curve.t, scales.head(n), rows.t_last);
  const Vec by = judged_scales(run, extent_of(truth, n), truth.curve, conserved_by_audit);
  const auto values = judged_values_of(run, slow);
  if (!slow) return compare(rows.curve, truth.curve, by, values).error;
  const JudgedCurve own = curve_at(run, averages->times(), rows.t_last);
  return compare(averages->of(own), averages->of(truth.curve), by, values).error;
}

struct Count {
  int wrong = 0, green_wrong = 0, right = 0, flagged_right = 0, between = 0, refused = 0;
  void add(const Count& o) {
    wrong += o.wrong, green_wrong += o.green_wrong, right += o.right, flagged_right += o.flagged_right,
        between += o.between, refused += o.refused;
  }
};

struct Judged {
  Count count;
  std::string line;
};

Judged judge(const Case& c) {
  Judged result;
  const std::string name = fs::path(c.plan.model).stem().string() + " " + c.text;
  try {
    PreparedRun run = prepare(c.plan);
    const Solution s = run.run();
    if (!s.ok()) {
      result.count.refused = 1;
      result.line = fmt::format("{:9} {}: {}", "refused", name, s.outcome.message);
      return result;
    }
    const double seconds = CheckTime{}.after(s.outcome.counters.seconds);
    const Trust trust = check_trust(run, s.outcome, s, {.most_seconds = seconds});
    const double error = true_error(c, run, s), accuracy = accuracy_of(c.plan);
    const bool green = trust.verdict == Verdict::green && std::isnan(trust.until);
    const bool wrong = error > wrong_factor * accuracy, right = error < accuracy;
    result.count = {wrong, wrong && green, right, right && !green, !wrong && !right, 0};
    const char* word = wrong && green    ? "LIES"
                       : right && !green ? "FLAGS"
                       : wrong           ? "wrong"
                       : right           ? "right"
                                         : "between";
    result.line =
        fmt::format("{:9} {}error {:.2g}; {}. {}", word, name + ": ", error, to_text(trust.verdict), trust.headline);
  } catch (const UsageError& e) {
    result.count.refused = 1;
    result.line = fmt::format("{:9} {}: {}", "refused", name, e.what());
  }
  return result;
}

std::string share(int part, int whole) { return whole == 0 ? "" : fmt::format("{:.1f} %", 100.0 * part / whole); }

std::string row(const std::string& name, const Count& c) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", name, c.wrong, c.green_wrong, c.right, c.flagged_right);
}

std::string table_of(const std::map<int, Count>& counts) {
  Count all;
  std::string text = "| family | wrong runs | called green | right runs | flagged |\n|---|---|---|---|---|\n";
  for (const auto& [family, count] : counts) {
    text += row(family_names[family], count);
    all.add(count);
  }
  return text + row("all", all) +
         fmt::format("\nOf the wrong runs {} were called green, of the right ones {} were flagged.\n",
                     share(all.green_wrong, all.wrong), share(all.flagged_right, all.right));
}

// Replaces the text between the marks on the page.
void write_table(const std::string& table) {
  const fs::path page = fs::path(TRILL_SOURCE_DIR) / "docs" / "guide" / "trust.md";
  std::ifstream in(page);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string begin = "<!-- honesty -->\n", end = "<!-- /honesty -->";
  const std::size_t from = text.find(begin) + begin.size();
  text.replace(from, text.find(end) - from, table);
  std::ofstream(page) << text;
}
}  // namespace

int main(int argc, char** argv) {
  bool list = false, write = false;
  int family = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    list = list || word == "--list";
    write = write || word == "--write";
    if (!word.starts_with("--")) family = std::atoi(word.c_str());
  }
  std::map<int, Count> counts;
  for (const Case& c : read_cases(family)) {
    const Judged judged = judge(c);
    counts[c.family].add(judged.count);
    if (list) std::cout << fmt::format("{:2} {}\n", c.family, judged.line) << std::flush;
  }
  const std::string table = table_of(counts);
  std::cout << table;
  if (write) write_table(table);
  return 0;
}
