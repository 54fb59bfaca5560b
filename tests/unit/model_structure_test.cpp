// SPDX-License-Identifier: BSD-3-Clause
// Linear structures from Matrix Market files: the beam written to files is the beam.
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
