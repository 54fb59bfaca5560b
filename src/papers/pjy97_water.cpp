// SPDX-License-Identifier: BSD-3-Clause
// PJY97 sec. 4.5: long steps for the forces between molecules, on 64 flexible waters (SPC/Fw, 12.42 A, damped and
// shifted charges up to 6 A, 300 K). At their energy, with inner steps of 0.25 fs for bonds and angles: what kicks,
// kicks through a projection and a split of the charges do to the energy. In a heat bath: what samplers make of bonds
// and pairs.
#include "papers/pjy97.hpp"
#include "papers/runs.hpp"
#include "trill/base/random.hpp"
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
constexpr int waters = 64;
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

// 64 waters (SPC/Fw) on a grid, turned at random.
std::string water_data() {
  constexpr int side = 4;
  constexpr double box = 12.42, bond = 1.012, half = 0.5 * 113.24 * pi / 180;
  std::string atoms, bonds, angles;
  for (int k = 0; k < side * side * side; ++k) {
    const double at[] = {(k % side + 0.5) * box / side, (k / side % side + 0.5) * box / side,
                         (k / side / side + 0.5) * box / side};
    Eigen::Vector3d axis, other;
    for (Index c = 0; c < 3; ++c) {
      axis[c] = random_normal({64, 0, static_cast<std::uint64_t>(k)}, static_cast<std::uint32_t>(c));
      other[c] = random_normal({64, 1, static_cast<std::uint64_t>(k)}, static_cast<std::uint32_t>(c));
    }
    axis.normalize();
    other = (other - other.dot(axis) * axis).normalized();
    const int o = 3 * k + 1;
    for (int i = 0; i < 3; ++i) {
      const Eigen::Vector3d from =
          i == 0 ? Eigen::Vector3d::Zero().eval()
                 : (bond * (std::cos(half) * axis + (i == 1 ? 1 : -1) * std::sin(half) * other)).eval();
      atoms += fmt::format("{} {} {} {} {:.9f} {:.9f} {:.9f}\n", o + i, k + 1, i == 0 ? 1 : 2, i == 0 ? -0.82 : 0.41,
                           at[0] + from[0], at[1] + from[1], at[2] + from[2]);
      if (i > 0) bonds += fmt::format("{} 1 {} {}\n", 2 * k + i, o, o + i);
    }
    angles += fmt::format("{} 1 {} {} {}\n", k + 1, o + 1, o, o + 2);
  }
  return fmt::format(
      "water\n\n192 atoms\n2 atom types\n128 bonds\n1 bond types\n64 angles\n1 angle types\n\n0 {0} xlo xhi\n0 {0} ylo "
      "yhi\n0 {0} zlo zhi\n\nMasses\n\n1 15.9994\n2 1.008\n\nPair Coeffs # lj/cut/coul/dsf\n\n1 0.1554253 3.165492\n2 "
      "0 "
      "0\n\nBond Coeffs # harmonic\n\n1 529.581 1.012\n\nAngle Coeffs # harmonic\n\n1 37.95 113.24\n\nAtoms # "
      "full\n\n{1}\nBonds\n\n{2}\nAngles\n\n{3}",
      box, atoms, bonds, angles);
}

struct LongSteps {
  std::string label, method;
  OptionSet options;
  double h;
};

PreparedRun prepare_water(const LongSteps& how, OptionSet parameters, double to, int every) {
  parameters.insert({{"cutoff", "6"}, {"damping", "0.25"}, {"coulomb", "dsf"}, {"excluded", "skip"}});
  RunPlan plan;
  plan.model = "water";
  plan.method = how.method;
  plan.options = how.options;
  plan.h = how.h;
  plan.to = to;
  plan.output = EveryStep{every};
  plan.native = Native::never;
  return prepare(plan, read_model("water.data", water_data(), parameters).problem);
}

OptionSet in_bath() { return {{"temperature", "300"}, {"friction", "5"}}; }

std::string levels_of(double h) { return fmt::format("bonds+angles:{},pair:1", std::lround(4 * h)); }
LongSteps kicks(double h) {
  return {fmt::format("kicks, {} fs", h), "respa", {{"levels", levels_of(h)}, {"resonance", "warn"}}, h};
}
LongSteps projected(double h) {
  return {fmt::format("kicks through rigid molecules, {} fs", h),
          "mollified_impulse",
          {{"fast", "bonds+angles"}, {"projection", "bonds+angles"}, {"inner", std::to_string(std::lround(2 * h))}},
          h};
}
LongSteps split_charges(double h) {
  return {fmt::format("charges split at 5.5 A, {} fs", h),
          "respa",
          {{"levels", fmt::format("bonds+angles:{},pair_short:{},pair_long:1", std::lround(4 * h), std::lround(h))},
           {"resonance", "warn"}},
          h};
}

// The slope of the energy, in kcal/mol/ps for each atom.
double drift_of(const Solution& s) {
  const Vec energy = s.measured().row(s.quantity("energy")).transpose(),
            t = 1e-3 * Eigen::Map<const Vec>(s.t.data(), static_cast<Index>(s.t.size()));
  const Vec from_mean = t.array() - t.mean();
  return from_mean.dot(energy) / from_mean.squaredNorm() / (3 * waters);
}

struct DriftRow {
  LongSteps how;
  OptionSet parameters;
  double drift, tolerance;
};

std::vector<DriftRow> drift_rows() {
  const OptionSet split{{"split", "5.5"}, {"smooth", "c1"}};
  return {{kicks(3), {}, 0, 5e-4},
          {kicks(4), {}, 0.013, 0.01},
          {projected(4.5), {}, 0, 0.002},
          {projected(5), {}, 0.0037, 0.005},
          {split_charges(5), split, 0.0044, 0.01}};
}

Solution from_warm(PreparedRun run, const Vec& y) {
  run.start.y = y;
  return run.run();
}

struct BathRow {
  LongSteps how;
  double bond, pair;  // mean O-H distance, and pair energy of a molecule
  bool judged = true;
};
std::vector<BathRow> bath_rows() {
  const OptionSet inner{{"fast", "bonds+angles"}, {"inner", "16"}};
  const auto kicked = [](double h) { return OptionSet{{"levels", levels_of(h)}, {"resonance", "warn"}}; };
  return {{{"BAOAB, 0.25 fs", "langevin_splitting", {}, 0.25}, 1.02973, -58.69},
          {{"LN, 4 fs", "ln", inner, 4}, 1.0299, -58.78},
          // How fast the thermostats of the other number answer is not known.
          {{"SIN(R), 4 fs", "sinr", inner, 4}, 1.0295, -58.22, false},
          {{"kicks around BAOAB, 2 fs", "langevin_respa", kicked(2), 2}, 1.02972, not_known},
          {{"kicks around BAOAB, 4 fs", "langevin_respa", kicked(4), 4}, 1.02849, not_known}};
}

void add_bath(FigureResult& result, const Vec& warm) {
  constexpr double sampled_for = 24000, bond_error = 6e-5, pair_error = 0.03;
  for (const BathRow& row : bath_rows()) {
    const int every = std::max(1, static_cast<int>(std::lround(20 / row.how.h)));
    const Solution s = from_warm(prepare_water(row.how, in_bath(), sampled_for, every), warm);
    const auto add = [&](const char* what, const Average& found, double expected, double error) {
      if (!std::isnan(expected))
        result.cells.push_back(judged_if(row.judged, sampled(row.how.label + what, found, expected, error)));
    };
    add(": mean O-H", average_of(s, "mean_bond_1"), row.bond, bond_error);
    add(": pair energy of a molecule", average_of(s, "pair_energy", waters), row.pair, pair_error);
  }
}

FigureResult water_figure(bool full) {
  FigureResult result;
  constexpr double short_tolerance = 0.01;
  const double warming = full ? 10000 : 1500, length = full ? 10000 : 1000;
  const Solution warmed =
      finished(prepare_water({"", "langevin_splitting", {}, 0.5}, in_bath(), warming, static_cast<int>(warming)));
  const Vec warm = warmed.y().col(warmed.rows() - 1);
  for (const DriftRow& row : drift_rows()) {
    const Solution s = from_warm(prepare_water(row.how, row.parameters, length, 1), warm);
    const double tolerance = full ? row.tolerance : std::max(row.tolerance, short_tolerance);
    result.cells.push_back(near(row.how.label + ": drift of energy, kcal/mol/ps/atom", s.ok() ? drift_of(s) : HUGE_VAL,
                                row.drift, tolerance));
  }
  const Solution torn = from_warm(prepare_water(kicks(4.75), {}, full ? 10000 : 4000, 10), warm);
  result.cells.push_back(near("kicks, 4.75 fs: blows up", torn.ok() ? 0 : 1, 1, 0));
  if (full) add_bath(result, warm);
  result.remark =
      "Drifts are those of single runs of 10 ps and known to their order of magnitude; the short version takes 1 ps. "
      "Rows in a bath are means over inner steps: where kicks are given the fast motion always stands in the same "
      "phase.";
  return result;
}
}  // namespace
}  // namespace papers::pjy97

void register_figure_pjy97_water(FigureRegistry& registry) {
  registry.add({"pjy97_water_steps", "Long steps on flexible water: drift of energy and averages", "PJY97 sec. 4.5",
                papers::pjy97::water_figure});
}
}  // namespace trill
