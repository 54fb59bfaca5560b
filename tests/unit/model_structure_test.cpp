// SPDX-License-Identifier: BSD-3-Clause
// Linear structures from Matrix Market files: a beam that is written to files and read again is the same beam.
#include "problem/structure.hpp"
#include "support/mentions.hpp"
#include "support/solution_files.hpp"
#include "support/text_models.hpp"

namespace trill::testing_models {
namespace {
using testing_files::TemporaryDirectory;

void write_matrix(const std::filesystem::path& path, const SpMat& m) {
  std::ofstream out(path);
  out << fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", m.rows(), m.cols(), m.nonZeros());
  for (Index j = 0; j < m.outerSize(); ++j)
    for (SpMat::InnerIterator it(m, j); it; ++it)
      out << fmt::format("{} {} {}\n", it.row() + 1, it.col() + 1, it.value());
}

void write_vector(const std::filesystem::path& path, const Vec& v) {
  std::ofstream out(path);
  out << fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", v.size());
  for (const double x : v) out << fmt::format("{}\n", x);
}

class TextStructures : public testing::Test {
 protected:
  TextStructures() : beam_(ModelRegistry::all().find("beam").make({{"damping_ratio", "0.02"}, {"elements", "4"}})) {
    const LinearStructure& s = structure(*beam_);
    write_matrix(folder_ / "M.mtx", s.mass_matrix());
    write_matrix(folder_ / "K.mtx", s.stiffness_matrix());
    write_matrix(folder_ / "C.mtx", s.damping_matrix());
    Vec f(8);
    s.load(0, f);
    write_vector(folder_ / "f.mtx", f);
  }
  static const LinearStructure& structure(const Problem& p) { return p.as<LinearStructure>("the test"); }
  TextModel load(const std::string& text, const OptionSet& given = {}) const {
    std::ofstream(folder_ / "m.toml") << text;
    return load_model(folder_ / "m.toml", given);
  }
  std::string said(const std::string& text) const {
    try {
      load(text);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "no error";
  }

  TemporaryDirectory folder_;
  std::unique_ptr<Problem> beam_;
};

const std::string matrices = "[structure]\nmass = \"M.mtx\"\nstiffness = \"K.mtx\"\n";

TEST_F(TextStructures, EqualTheBeam) {
  const TextModel model =
      load("time_unit = \"s\"\n" + matrices + "damping = \"C.mtx\"\nload = { vector = \"f.mtx\" }\n");
  const LinearStructure &a = structure(*model.problem), &b = structure(*beam_);
  ASSERT_EQ(a.layout(), b.layout());
  EXPECT_EQ(a.time_unit(), "s");
  EXPECT_EQ(a.components()[0].name, "u1");
  EXPECT_EQ(a.components()[15].name, "vu8");
  expect_equal(Mat(a.mass_matrix()), Mat(b.mass_matrix()), "M", 0);
  const State s = shifted_start(a);
  expect_equal(force_of(a, 0, s.q(), s.v()), force_of(b, 0, s.q(), s.v()), "force");
  const Jacobians x = jacobians_of(a, 0, s.q(), s.v()), y = jacobians_of(b, 0, s.q(), s.v());
  expect_equal(dense(x.by_position), dense(y.by_position), "df/dq", 0);
  expect_equal(dense(x.by_velocity), dense(y.by_velocity), "df/dv", 0);
  Vec energy(1), other(2);
  a.measure(s, energy);
  b.measure(s, other);
  EXPECT_NEAR(energy[0], other[0], 1e-12 * std::abs(other[0]));
  const RunPlan plan = plan_with("dop853", 0.2, 1e-7);
  expect_equal(last_of(run_of(model.problem->clone(), plan)), last_of(run_of(beam_->clone(), plan)), "run", 1e-9);
  EXPECT_FALSE(a.potential(all_groups, 0, s.q()));
}

TEST_F(TextStructures, LoadsStartsAndParameters) {
  write_vector(folder_ / "u0.mtx", Vec::LinSpaced(8, 0, 1));
  write_vector(folder_ / "v0.mtx", Vec::LinSpaced(8, 2, 3));
  const TextModel model =
      load("parameters.a = 2\n[derived]\nramp = \"a*t^2\"\n" + matrices +
               "load = { vector = \"f.mtx\", factor = \"1 + ramp\" }\nstart = \"u0.mtx\"\nvelocity = \"v0.mtx\"\n",
           {{"a", "3"}});
  const LinearStructure& a = structure(*model.problem);
  const State s = a.initial_state();
  expect_equal(s.q(), Vec::LinSpaced(8, 0, 1), "start");
  expect_equal(s.v(), Vec::LinSpaced(8, 2, 3), "velocity");
  Vec f(8), unit(8);
  a.load(0.5, f);
  structure(*beam_).load(0, unit);
  expect_equal(f, 1.75 * unit, "load");
  EXPECT_FALSE(a.velocity_dependent(all_groups));
  const double potential = *a.potential(all_groups, 0.5, s.q());
  EXPECT_NEAR(potential, 0.5 * s.q().dot(a.stiffness_matrix() * s.q()) - 1.75 * unit.dot(s.q()),
              1e-12 * std::abs(potential));
}

TEST_F(TextStructures, HaveSeveralLoadsAndOutputs) {
  write_vector(folder_ / "east.mtx", Vec::Ones(8));
  std::ofstream(folder_ / "quake.csv") << "time,a\n0,0\n1,4\n3,-2\n";
  const TextModel model =
      load("parameters.F = 3\n" + matrices +
           "load = [{ on = \"u2\", value = \"F\", factor = \"t\" }, { ground = \"east.mtx\", table = "
           "\"quake.csv\" }]\n[structure.outputs]\ntip = \"u7\"\n"
           "drift = { vector = \"east.mtx\", value = 0.5, unit = \"m\" }\n");
  const LinearStructure& s = structure(*model.problem);
  Vec f(8);
  s.load(2, f);
  const Vec weight = s.mass_matrix() * Vec::Ones(8);
  expect_equal(f, 6 * Vec::Unit(8, 1) - 1.0 * weight, "load at t = 2, where the table is 1");
  s.load(3.5, f);
  expect_equal(f, 10.5 * Vec::Unit(8, 1), "load after the table");
  EXPECT_THAT(s.breakpoints(0, 5), testing::ElementsAre(1, 3));
  const auto quantities = s.quantities();
  ASSERT_EQ(quantities.size(), 3u);
  EXPECT_EQ(quantities[1].name, "tip");
  EXPECT_EQ(quantities[2].unit, "m");
  State at = s.initial_state();
  at.q() = Vec::LinSpaced(8, 1, 8);
  Vec values(3);
  s.measure(at, values);
  EXPECT_DOUBLE_EQ(values[1], 7);
  EXPECT_DOUBLE_EQ(values[2], 18);
}

TEST_F(TextStructures, AreDampedInSeveralWays) {
  const auto damping = [&](const std::string& text) {
    return Mat(structure(*load(matrices + text).problem).damping_matrix());
  };
  const Mat m(structure(*beam_).mass_matrix()), k(structure(*beam_).stiffness_matrix());
  expect_equal(damping("damping = { mass = 0.5, stiffness = 1e-3 }\n"), Mat(0.5 * m + 1e-3 * k), "proportional");
  // (a0/omega + a1 omega)/2 is the damping ratio: 0.02 both at 3 and at 7.
  expect_equal(damping("damping = { ratio = 0.02, between = [3, 7] }\n"), Mat(0.084 * m + 0.004 * k), "by its ratio");
  EXPECT_NEAR(0.5 * (0.084 / 3 + 0.004 * 3), 0.02, 1e-15);
  const Mat dashpot = damping("dashpot = { on = \"u7\", value = 0.3 }\n");
  expect_equal(dashpot, Mat(0.3 * Vec::Unit(8, 6) * Vec::Unit(8, 6).transpose()), "dashpot");
  EXPECT_TRUE(structure(*load(matrices + "damping = { mass = 1 }\n").problem).proportional_damping());
  EXPECT_FALSE(structure(*load(matrices + "dashpot = { on = \"u1\", value = 1 }\n").problem).proportional_damping());
}

TEST_F(TextStructures, MistakesInLoadsAndOutputsHaveAPlace) {
  std::ofstream(folder_ / "back.csv") << "time,a\n0,0\n1,4\n1,5\n";
  EXPECT_THAT(said(matrices + "load = { on = \"u9\" }\n"), tells({"", "m.toml:4:15", "'u9'", "u1 to u8"}));
  EXPECT_THAT(said(matrices + "load = { on = \"u1\", vector = \"f.mtx\" }\n"),
              tells({"", "m.toml:4", "'vector'", "'on'"}));
  EXPECT_THAT(said(matrices + "load = { on = \"u1\", table = \"back.csv\" }\n"),
              tells({"", "back.csv:4", "'time'", "increase"}));
  EXPECT_THAT(said(matrices + "damping = { ratio = 0.1 }\n"), tells({"", "m.toml:4", "two frequencies"}));
  for (const char* ratio : {"1.5", "-0.02", "1"})
    EXPECT_THAT(said(matrices + "damping = { ratio = " + ratio + ", between = [3, 7] }\n"),
                tells({"", "m.toml:4:21", "critical damping", ratio}));
  EXPECT_THAT(said(matrices + "dashpot = { on = \"u7\", value = -0.3 }\n"),
              tells({"", "m.toml:4:32", "negative", "-0.3", "damping = "}));
  EXPECT_THAT(said(matrices + "[structure.outputs]\ntip = \"u0\"\n"), tells({"", "m.toml:5:7", "'u0'", "u8"}));
  EXPECT_THAT(said(matrices + "[structure.outputs]\nu3 = \"u1\"\n"), tells({"", "m.toml:5:1", "'u3'", "another name"}));
  EXPECT_THAT(said("[structure]\ngenerate = { shape = \"plte\" }\n"), tells({"", "m.toml:2:22", "'plte'", "plate"}));
  SpMat lopsided = structure(*beam_).mass_matrix();
  lopsided.coeffRef(0, 2) *= 2;
  write_matrix(folder_ / "M.mtx", lopsided);
  EXPECT_THAT(said(matrices), tells({"", "m.toml:2:8", "M.mtx", "not symmetric", "row", "column"}));
}

// If a file contains one half of a symmetric matrix but is declared as general, the other half is missing.
TEST_F(TextStructures, HalvesThatAreAnnouncedAsWholesAreRefused) {
  const SpMat whole = structure(*beam_).stiffness_matrix(), half = whole.triangularView<Eigen::Lower>();
  write_matrix(folder_ / "K.mtx", half);
  EXPECT_THAT(said(matrices),
              tells({"", "m.toml:3:13", "K.mtx", "general", "one side of the diagonal", "'symmetric'"}));
  SpMat meant = half;
  meant.insert(0, 1) = 0;
  write_matrix(folder_ / "K.mtx", meant);
  EXPECT_EQ(said(matrices), "no error");
}

TEST_F(TextStructures, MistakesInNodesAndLinesHaveAPlace) {
  std::ofstream(folder_ / "nodes.csv") << "x,y,uy\n0,0,0\n1,0,1\n2,0,3\n";
  std::ofstream(folder_ / "far.csv") << "x,y,uy\n0,0,8\n0,1,9\n";
  std::ofstream(folder_ / "part.csv") << "x,y,uy\n0,0,0\n0,0,1.5\n";
  std::ofstream(folder_ / "still.csv") << "x,y\n0,0\n";
  std::ofstream(folder_ / "other.csv") << "x,q\n0,0\n";
  std::ofstream(folder_ / "lines.csv") << "a,b\n1,2\n2,4\n";
  EXPECT_EQ(said(matrices + "nodes = \"nodes.csv\"\n"), "no error");
  EXPECT_THAT(said(matrices + "nodes = \"nodes.csv\"\nlines = \"lines.csv\"\n"),
              tells({"", "lines.csv:3", "'b'", "4", "1 to 3"}));
  EXPECT_THAT(said(matrices + "lines = \"lines.csv\"\n"), tells({"", "m.toml:4:9", "'nodes'"}));
  EXPECT_THAT(said(matrices + "nodes = \"far.csv\"\n"), tells({"", "far.csv:3", "'uy'", "9", "0 to 8"}));
  EXPECT_THAT(said(matrices + "nodes = \"part.csv\"\n"), tells({"", "part.csv:3", "1.5", "whole number"}));
  EXPECT_THAT(said(matrices + "nodes = \"still.csv\"\n"), tells({"", "m.toml:4:9", "still.csv", "ux, uy and uz"}));
  EXPECT_THAT(said(matrices + "nodes = \"other.csv\"\n"), tells({"", "m.toml:4:9", "'q'"}));
}

TEST_F(TextStructures, ForcesThatNoEnergyGivesHaveNoPotential) {
  EXPECT_TRUE(structure(*load(matrices).problem).potential(all_groups, 0, Vec::Ones(8)));
  SpMat lopsided = structure(*beam_).stiffness_matrix();
  lopsided.coeffRef(0, 2) *= 2;
  write_matrix(folder_ / "K.mtx", lopsided);
  EXPECT_FALSE(structure(*load(matrices).problem).potential(all_groups, 0, Vec::Ones(8)));
}

TEST_F(TextStructures, MistakesHaveAPlace) {
  write_vector(folder_ / "short.mtx", Vec::Zero(3));
  write_matrix(folder_ / "small.mtx", SpMat(Mat::Identity(3, 3).sparseView()));
  const SpMat negative = -structure(*beam_).mass_matrix();
  write_matrix(folder_ / "negative.mtx", negative);
  EXPECT_THAT(said("[structure]\nmass = \"M.mtx\"\nstiffness = \"small.mtx\"\n"),
              tells({"", "m.toml:3:13", "small.mtx", "3 x 3", "8 x 8"}));
  EXPECT_THAT(said(matrices + "start = \"short.mtx\"\n"), tells({"", "short.mtx", "3 rows", "8"}));
  EXPECT_THAT(said("[structure]\nmass = \"negative.mtx\"\nstiffness = \"K.mtx\"\n"),
              tells({"", "mass matrix", "positive definite"}));
  EXPECT_THAT(said("[structure]\nmass = \"none.mtx\"\nstiffness = \"K.mtx\"\n"), tells({"", "none.mtx"}));
  EXPECT_THAT(said(matrices + "load = { vector = \"f.mtx\", factor = \"u1\" }\n"), tells({"", "'u1'", "name"}));
  EXPECT_THAT(said(matrices + "load = { vector = \"f.mtx\", factor = \"1/t\" }\n"), tells({"", "load is inf"}));
}
}  // namespace
}  // namespace trill::testing_models
