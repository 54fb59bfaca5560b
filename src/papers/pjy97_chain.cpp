// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.4 and 4.5: what samplers make of the bonds and angles of an alkane with 20 united atoms at 300 K,
// without forces between other atoms, so that the exact variances are those of single bonds and angles. Methods with
// long steps for torsions take inner steps of 2 fs for bonds and angles. Beside it an oscillator (add_slow_share).
#include "papers/pjy97.hpp"
#include "papers/runs.hpp"
#include "trill/model/text_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace papers::pjy97 {
namespace {
using std::numbers::pi;
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr int atoms_of_chain = 20;
// <(r - r0)^2> and <(theta - theta0)^2>, by quadrature, times half the stiffness: the energy of one of them.
constexpr double bond_energy = 225 * 1.326284e-3, angle_energy = 62.1 * 4.776976e-3;

std::string chain_data() {
  const double a = 114 * pi / 180, dx = 1.54 * std::sin(a / 2), dy = 1.54 * std::cos(a / 2);
  std::string text = fmt::format(
      "chain\n\n{0} atoms\n2 atom types\n{1} bonds\n1 bond types\n{2} angles\n1 angle types\n{3} dihedrals\n1 dihedral "
      "types\n\nMasses\n\n1 14.027\n2 15.035\n\nPair Coeffs # lj/cut\n\n1 0 3.95\n2 0 3.75\n\nBond Coeffs # "
      "harmonic\n\n1 225 1.54\n\nAngle Coeffs # harmonic\n\n1 62.1 114\n\nDihedral Coeffs # opls\n\n1 1.41104 -0.27102 "
      "3.14502 0\n\nAtoms # molecular\n\n",
      atoms_of_chain, atoms_of_chain - 1, atoms_of_chain - 2, atoms_of_chain - 3);
  for (int i = 0; i < atoms_of_chain; ++i)
    text += fmt::format("{} 1 {} {:.9f} {:.9f} 0\n", i + 1, i % (atoms_of_chain - 1) == 0 ? 2 : 1, i * dx, i % 2 * dy);
  int atoms = 1;
  for (const char* title : {"Bonds", "Angles", "Dihedrals"}) {
    ++atoms;
    text += fmt::format("\n{}\n\n", title);
    for (int i = 1; i + atoms <= atoms_of_chain + 1; ++i) {
      text += fmt::format("{} 1", i);
      for (int k = 0; k < atoms; ++k) text += fmt::format(" {}", i + k);
      text += '\n';
    }
  }
  return text;
}

struct Sampler {
  std::string label, method;
  OptionSet options;
  double friction, h;  // 1/ps, fs
};

RunPlan plan_of(const Sampler& sampler, double to, int every) {
  RunPlan plan;
  plan.model = "figure";
  plan.method = sampler.method;
  plan.options = sampler.options;
  plan.h = sampler.h;
  plan.to = to;
  plan.output = EveryStep{every};
  plan.native = Native::never;
  return plan;
}

// Where the other numbers were printed without their error: a percent, and more where slow heating makes it grow.
double usual_error(double expected) { return expected > 1.3 ? 0.05 * expected : 0.01; }

struct ChainRow {
  Sampler sampler;
  double bonds, angles;  // variances over the exact ones; NaN: not known
  double ps, full_ps;    // length of the run; 0: in the full version only
  double bond_error = none;
};

ChainRow single(const char* name, const char* method, double h, double bonds, double error, double ps) {
  return {{fmt::format("{}, {} fs", name, h), method, {}, 5, h}, bonds, none, ps, 1000, error};
}
ChainRow held(double friction, double h, double bonds, double angles, double ps) {
  return {{fmt::format("LN, friction {}/ps, {} fs", friction, h),
           "ln",
           {{"fast", "bonds+angles"}, {"inner", digits(h / 2)}},
           friction,
           h},
          bonds,
          angles,
          ps,
          2000};
}
ChainRow linearised(double h, double ps) {
  ChainRow row = held(5, h, 1.01, none, ps);
  row.sampler.label = fmt::format("LN linearised, {} fs", h);
  row.sampler.options["force"] = "linear";
  row.full_ps = 200;
  return row;
}
ChainRow kicked(double h, double bonds, double angles, double ps) {
  return {{fmt::format("impulses with BAOAB, {} fs", h),
           "langevin_respa",
           {{"levels", fmt::format("bonds+angles:{},dihedrals+pair:1", digits(h / 2))}, {"resonance", "warn"}},
           5,
           h},
          bonds,
          angles,
          ps,
          2000};
}
// The other numbers are stated without their friction. They are those of 20/ps; at 5/ps LIN runs away from 16 fs on.
ChainRow implicit(double h, double bonds, double angles, double ps) {
  return {{fmt::format("LIN, friction 20/ps, {} fs", h), "lin", {}, 20, h}, bonds, angles, ps, 100};
}

std::vector<ChainRow> chain_rows() {
  return {single("BAOAB", "langevin_splitting", 2, 1.000, 0.006, 0),
          single("BAOAB", "langevin_splitting", 4, 1.006, 0.004, 0),
          single("BAOAB", "langevin_splitting", 6, 0.990, 0.006, 0),
          single("BAOAB", "langevin_splitting", 8, 1.009, 0.005, 80),
          single("LN inner", "ln", 2, 1.005, none, 0),
          single("LN inner", "ln", 4, 1.000, none, 0),
          single("LN inner", "ln", 6, 0.989, none, 0),
          single("LN inner", "ln", 8, 1.006, none, 80),
          single("BBK", "bbk", 2, 1.015, 0.007, 0),
          single("BBK", "bbk", 4, 1.127, 0.007, 80),
          single("BBK", "bbk", 6, 1.336, 0.008, 0),
          single("BBK", "bbk", 8, 1.859, 0.017, 80),
          held(5, 8, 1.009, 1.006, 0),
          held(5, 16, 1.056, 1.025, 80),
          held(5, 24, 1.15, 1.15, 0),
          held(5, 48, 1.42, 2.92, 0),
          held(20, 16, 1.012, 1.004, 0),
          held(20, 48, 1.05, 1.36, 40),
          linearised(4, 0),
          linearised(8, 8),
          linearised(16, 0),
          kicked(16, 1.002, 1.008, 80),
          kicked(24, 1.038, 1.034, 0),
          kicked(32, 1.34, 1.23, 0),
          kicked(48, 2.0, 3.2, 0),
          implicit(8, 0.993, 0.984, 0),
          implicit(16, 0.978, 1.009, 8),
          implicit(40, 1.04, 1.26, 0)};
}

void add_to_chart(Chart& chart, const Sampler& how, double ratio) {
  const std::string name = how.label.substr(0, how.label.rfind(", "));
  auto found = std::find_if(chart.series.begin(), chart.series.end(),
                            [&](const ChartSeries& series) { return series.label == name; });
  if (found == chart.series.end()) found = chart.series.insert(found, ChartSeries{name, {}, {}});
  add_point(*found, how.h, ratio);
}

void add_chain(FigureResult& result, Chart& chart, const ChainRow& row, bool full) {
  const double fs = 1000 * (full ? row.full_ps : row.ps);
  if (fs == 0) return;
  const Sampler& how = row.sampler;
  const TextModel model =
      read_model("chain.data", chain_data(), {{"temperature", "300"}, {"friction", digits(how.friction)}});
  const int every = std::max(1, static_cast<int>(16 / how.h));
  const Solution s = finished(prepare(plan_of(how, fs, every), model.problem->clone()));
  const auto add = [&](const char* name, const char* what, double each, int count, double expected, double error) {
    if (!std::isnan(expected))
      result.cells.push_back(sampled(how.label + what, average_of(s, name, each * count), expected,
                                     std::isnan(error) ? usual_error(expected) : error));
  };
  add_to_chart(chart, how, average_of(s, "bond_energy", bond_energy * (atoms_of_chain - 1)).mean);
  add("bond_energy", ": variance of bonds over the exact one", bond_energy, atoms_of_chain - 1, row.bonds,
      row.bond_error);
  add("angle_energy", ": variance of angles over the exact one", angle_energy, atoms_of_chain - 2, row.angles, none);
}

FigureResult chain_figure(bool full) {
  FigureResult result;
  Chart chart{"Variance of bonds over the exact one",
              "an alkane of 20 united atoms at 300 K",
              {"step", "fs", false},
              {"variance", "", false},
              ChartStyle::line,
              {}};
  for (const ChainRow& row : chain_rows()) add_chain(result, chart, row, full);
  add_slow_share(result, full);
  result.charts.push_back(std::move(chart));
  result.remark =
      "300 K, friction 5/ps, inner steps of 2 fs. Exact variances by quadrature over a single bond or angle. Rows are "
      "means over inner steps where a method has them. BAOAB and LN have the variance of bonds right at every stable "
      "step, BBK heats them. Forces that are held (LN) or kick (impulses) heat bonds from 16 or 24 fs on, half the "
      "period of a bond being 19 fs.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_chain(FigureRegistry& registry) {
  registry.add({"pjy97_chain_variances", "Variances of bonds and angles of a chain, by methods for Langevin dynamics",
                "PJY97 sec. 4.4 and 4.5", papers::pjy97::chain_figure});
}
}  // namespace trill
