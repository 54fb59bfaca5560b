// SPDX-License-Identifier: BSD-3-Clause
// The shipped text models, compared with the same models written in C++ (twins), and their entries in the registry.
#include "base/text.hpp"
#include "support/equal_mechanics.hpp"
#include "support/twins/twins.hpp"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {
using namespace trill;
using namespace trill::test;
namespace fs = std::filesystem;

struct Case {
  std::string model;
  OptionSet given;
  double to = 2;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

class Twins : public testing::TestWithParam<Case> {
 protected:
  const ModelEntry& text_ = ModelRegistry::all().find(GetParam().model);
  const ModelEntry& twin_ = twins().find(GetParam().model);
};

Vec measures(const Problem& problem, const State& s) {
  Vec values(static_cast<Index>(problem.quantities().size()));
  problem.measure(s, values);
  return values;
}

TEST_P(Twins, SayTheSameOfThemselves) {
  ASSERT_FALSE(text_.text.empty());
  EXPECT_EQ(text_.name, twin_.name);
  const ModelDescription a = text_.describe(), b = twin_.describe();
  EXPECT_EQ(a.info.title, b.info.title);
  EXPECT_EQ(a.info.reference, b.info.reference);
  EXPECT_EQ(a.info.run.method, b.info.run.method);
  EXPECT_EQ(a.info.run.to, b.info.run.to);
  EXPECT_EQ(a.info.run.h, b.info.run.h);
  EXPECT_EQ(a.info.run.rtol, b.info.run.rtol);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    EXPECT_EQ(a.parameters[i].name, b.parameters[i].name);
    EXPECT_EQ(a.parameters[i].value, b.parameters[i].value);
    EXPECT_EQ(a.parameters[i].allowed, b.parameters[i].allowed);
    EXPECT_EQ(a.parameters[i].what, b.parameters[i].what);
  }
}

TEST_P(Twins, HaveTheSameMechanics) {
  const auto text = text_.make(GetParam().given), twin = twin_.make(GetParam().given);
  expect_equal(text->initial_state().y, twin->initial_state().y, "start");
  expect_equal_mechanics(*text, *twin);
  expect_equal_mechanics(*text->clone(), *twin);
  const auto *bath = dynamic_cast<const LangevinProblem*>(text.get()),
             *other = dynamic_cast<const LangevinProblem*>(twin.get());
  ASSERT_EQ(bath == nullptr, other == nullptr);
  if (!bath) return;
  EXPECT_EQ(bath->gamma(), other->gamma());
  EXPECT_EQ(bath->kT(), other->kT());
}

// The text model may have additional measures.
TEST_P(Twins, MeasureTheSame) {
  const auto text = text_.make(GetParam().given), twin = twin_.make(GetParam().given);
  const auto of_text = text->quantities(), of_twin = twin->quantities();
  std::mt19937_64 random(7);
  for (int k = 0; k < 20; ++k) {
    const State s = random_state(*twin, random);
    const Vec a = measures(*text, s), b = measures(*twin, s);
    for (std::size_t j = 0; j < of_twin.size(); ++j) {
      const auto same = [&](const Quantity& q) { return q.name == of_twin[j].name; };
      const auto found = std::find_if(of_text.begin(), of_text.end(), same);
      ASSERT_NE(found, of_text.end()) << of_twin[j].name;
      const double value = b[static_cast<Index>(j)];
      EXPECT_NEAR(a[found - of_text.begin()], value, 1e-13 * (1 + std::abs(value))) << of_twin[j].name;
    }
  }
}

TEST_P(Twins, HaveTheSameClosedForm) {
  const auto text = text_.make(GetParam().given), twin = twin_.make(GetParam().given);
  Vec a(twin->layout().size()), b = a;
  if (!text->exact(0, a)) GTEST_SKIP();
  for (const double t : {0.0, 0.3, 1.7, -2.0, 40.0}) {
    ASSERT_TRUE(text->exact(t, a));
    ASSERT_TRUE(twin->exact(t, b));
    expect_equal(a, b, "closed form", 1e-12);
  }
}

TEST_P(Twins, RunAlike) {
  const RunDefaults defaults = text_.describe().info.run;
  RunPlan plan;
  plan.method = defaults.method;
  plan.to = GetParam().to;
  if (defaults.h > 0)
    plan.h = defaults.h;
  else
    plan.rtol = defaults.rtol;
  const Vec a = end_of(text_.make(GetParam().given), plan), b = end_of(twin_.make(GetParam().given), plan);
  expect_equal(a, b, "end", 1e-9);
}

const Case cases[] = {
    {"harmonic", {}},
    {"harmonic", {{"omega", "30"}, {"q0", "-0.4"}, {"v0", "2"}}},
    {"forced", {}},
    {"forced", {{"nu", "3"}, {"omega", "3"}, {"F", "0.7"}, {"v0", "2"}}},
    {"forced", {{"nu", "0"}, {"q0", "0"}}},
    {"forced", {{"nu", "9.9999999"}}},
    {"fermi_pasta_ulam", {}},
    {"fermi_pasta_ulam", {{"m", "1"}, {"omega", "20"}}},
    {"fermi_pasta_ulam", {{"m", "40"}, {"omega", "5"}}},
    {"stiff_spring", {}},
    {"stiff_spring", {{"epsilon", "0.1"}, {"x0", "-0.4"}, {"u0", "1"}, {"v0", "0.5"}}},
    {"stiff_spring_polar", {}},
    {"stiff_spring_polar", {{"epsilon", "0.1"}, {"x0", "-0.4"}, {"u0", "1"}, {"v0", "0.5"}}},
    {"rigid", {}},
    {"rigid", {{"theta0", "0.4"}, {"omega0", "-1.5"}}},
    {"two_springs", {}, 1},
    {"two_springs", {{"omega1", "100"}, {"omega2", "2"}, {"stretch1", "20"}, {"u1", "3"}}, 1},
    {"two_springs", {{"omega1", "50"}, {"omega2", "50"}}, 1},
    {"langevin", {}},
    {"langevin", {{"gamma", "0.3"}, {"kT", "2"}, {"particles", "40"}, {"b", "1.5"}, {"k", "0.5"}, {"q0", "-0.4"}}},
    {"kepler", {}},
    {"kepler", {{"e", "0"}, {"mu", "3"}}},
};
INSTANTIATE_TEST_SUITE_P(Shipped, Twins, testing::ValuesIn(cases),
                         [](const auto& info) { return info.param.model + "_" + std::to_string(info.index); });

TEST(Shipped, EveryTwinIsCompared) {
  std::set<std::string> compared;
  for (const Case& c : cases) compared.insert(twins().find(c.model).name);
  EXPECT_EQ(compared.size(), twins().entries().size());
}

TEST(Shipped, EveryFileIsListed) {
  const fs::path folder = fs::path(TRILL_SOURCE_DIR) / "models";
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".toml") continue;
    const std::string name = fs::relative(file.path(), folder).replace_extension("").generic_string();
    const ModelEntry& entry = ModelRegistry::all().find(name);
    EXPECT_EQ(entry.name, name);
    EXPECT_EQ(entry.text.size(), fs::file_size(file.path())) << name;
  }
}

TEST(Shipped, NamesAreSortedAndFoundByTheirLastPart) {
  const auto& entries = ModelRegistry::all().entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& name = entries[i].name;
    if (i > 0) {
      EXPECT_LT(entries[i - 1].name, name);
    }
    EXPECT_EQ(&ModelRegistry::all().find(name), &entries[i]);
    EXPECT_EQ(&ModelRegistry::all().find(name.substr(name.rfind('/') + 1)), &entries[i]);
  }
}

TEST(Shipped, ARunRecordsTheText) {
  RunPlan plan;
  plan.model = "two_springs";
  const PreparedRun run = prepare(plan);
  EXPECT_EQ(run.options.info.problem, "pendulum/two_springs");
  EXPECT_EQ(run.options.info.problem_reference, "SAT09 sec. 4");
  EXPECT_EQ(run.options.info.model_text, ModelRegistry::all().find("two_springs").text);
  plan.model = "beam";
  EXPECT_EQ(prepare(plan).options.info.model_text, "");
}

TEST(Shipped, ADescriptionIsThatOfTheModelItself) {
  for (const ModelEntry& entry : ModelRegistry::all().entries()) {
    if (entry.text.empty()) continue;
    const TextModel model = read_model(entry.name, std::string(entry.text));
    const ModelDescription described = entry.describe();
    EXPECT_EQ(described.info.run.method, model.info.run.method) << entry.name;
    EXPECT_EQ(described.info.run.to, model.info.run.to) << entry.name;
    EXPECT_EQ(described.info.run.h, model.info.run.h) << entry.name;
    EXPECT_EQ(described.info.equations, model.info.equations) << entry.name;
    const auto parameters = model.problem->parameters();
    ASSERT_EQ(described.parameters.size(), parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_EQ(described.parameters[i].name, parameters[i].name);
      EXPECT_EQ(parse_number(described.parameters[i].value), parameters[i].value);
    }
  }
}
}  // namespace
