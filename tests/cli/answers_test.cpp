// SPDX-License-Identifier: BSD-3-Clause
// The output of the tool: JSON for programs, statements on trust, pages and pictures.
#include "papers/figure.hpp"
#include "tool.hpp"
#include "trill/method/registry.hpp"
#include "trill/problem/model_registry.hpp"
#include "trill/solution/solution_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace trill::testing_cli {
namespace {
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json json_of(const fs::path& directory, const std::string& line, int code = 0) {
  const Ended ended = trill_in(directory, words_of(line));
  EXPECT_EQ(ended.code, code) << line << "\n" << ended.err;
  const json parsed = json::parse(ended.out, nullptr, false);
  EXPECT_FALSE(parsed.is_discarded()) << line << "\n" << ended.out;
  return parsed;
}

void expect_fields(const json& object, const std::vector<const char*>& names, const std::string& what) {
  for (const char* name : names) EXPECT_TRUE(object.contains(name)) << what << " has no " << name;
}

TEST(Json, ListsAgreeWithTheRegistries) {
  const json methods = json_of("", "list methods --json"), models = json_of("", "list models --json"),
             figures = json_of("", "list figures --json"), formulations = json_of("", "list formulations --json");
  ASSERT_EQ(methods.size(), Catalogue::all().methods().size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const MethodEntry& entry = Catalogue::all().methods()[i];
    expect_fields(methods[i],
                  {"name", "title", "reference", "order", "symmetric", "symplectic", "p_stable", "owns_step",
                   "problems", "options"},
                  entry.info.name);
    EXPECT_EQ(methods[i]["name"], entry.info.name);
    EXPECT_EQ(methods[i]["order"], entry.info.order);
    EXPECT_EQ(methods[i]["symplectic"], entry.info.symplectic);
    EXPECT_EQ(methods[i]["p_stable"], entry.info.p_stable);
    ASSERT_EQ(methods[i]["options"].size(), entry.options.size());
    for (std::size_t k = 0; k < entry.options.size(); ++k)
      EXPECT_EQ(methods[i]["options"][k]["name"], entry.options[k].name);
  }
  ASSERT_EQ(models.size(), ModelRegistry::all().entries().size());
  for (std::size_t i = 0; i < models.size(); ++i) {
    const ModelDescription model = ModelRegistry::all().entries()[i].describe();
    EXPECT_EQ(models[i]["name"], model.info.name);
    expect_fields(models[i], {"title", "reference", "equations", "parameters", "run"}, model.info.name);
    ASSERT_EQ(models[i]["parameters"].size(), model.parameters.size());
  }
  ASSERT_EQ(figures.size(), FigureRegistry::all().entries().size());
  EXPECT_THAT(formulations.dump(), HasSubstr("\"rigid_limit\""));
}

TEST(Json, OfARun) {
  const Directory directory;
  const json r = json_of(directory.path(), "run stiff_spring --to 1 --json --out run.h5 --report run.html");
  expect_fields(r,
                {"model", "method", "status", "message", "steps", "rejected", "forces", "newton_iterations", "seconds",
                 "settings", "parameters", "trust", "notices", "files"},
                "run");
  EXPECT_EQ(r["status"], "reached_end");
  EXPECT_EQ(r["files"]["solution"], "run.h5");
  EXPECT_EQ(r["files"]["report"], "run.html");
  const SolutionFile file(directory / "run.h5");
  EXPECT_EQ(r["steps"], file.outcome().counters.steps);
  EXPECT_EQ(r["trust"]["headline"], file.trust().headline);
  EXPECT_EQ(r["trust"]["components"].size(), file.trust().rows.size());
  EXPECT_GT(file.trust().rows.size(), file.info().components.size());  // measures are judged as well
}

TEST(Json, OfAFailedRun) {
  const json r = json_of("", "run harmonic --method verlet --h 3 --to 6000 --json", 1);
  EXPECT_EQ(r["status"], "non_finite");
  EXPECT_THAT(r["message"].get<std::string>(), HasSubstr("energy"));
  EXPECT_EQ(r["trust"]["verdict"], "red");
}

TEST(Json, OfOtherVerbsIsNotMixedWithOtherOutput) {
  const Directory directory;
  const json figure = json_of(directory.path(), "figure pjy97_fig1 --json --report f.html --svg f");
  EXPECT_EQ(figure["ok"], true);
  expect_fields(figure["cells"].at(0),
                {"what", "ours", "expected", "deviation", "tolerance", "ok", "origin", "published"}, "cell");
  const json stability = json_of(directory.path(), "stability verlet --json --report s.html --svg s");
  EXPECT_NEAR(stability["interval_of_periodicity"].get<double>(), 2.0, 1e-6);
  const json compare =
      json_of(directory.path(), "compare kepler --methods verlet,dop853 --points 2 --to 2 --json --report c.html");
  EXPECT_EQ(compare["methods"].size(), 2u);
  const json order = json_of(directory.path(), "order verlet --json");
  EXPECT_NEAR(order["order_q"].get<double>(), 2, 0.2);
  const json inspect = json_of(directory.path(), "inspect stiff_spring --json");
  expect_fields(inspect, {"model", "modes", "gap", "fast_energy", "methods", "recommended", "why"}, "inspect");
  for (const char* name : {"c.html", "f-1.svg", "f.html", "s-1.svg", "s-2.svg", "s.html"})
    EXPECT_TRUE(fs::exists(directory / name)) << name;
}

TEST(Json, OfStabilityHasBothDefinitions) {
  const Directory directory;
  const json verlet = json_of(directory.path(), "stability verlet --json");
  EXPECT_EQ(verlet["exact"], true);
  EXPECT_EQ(verlet["closed"]["periodicity"],
            json::parse(R"([{"from": 0.0, "to": 2.0, "has_from": true, "has_to": true}])"));
  EXPECT_EQ(verlet["open"]["periodicity"][0]["has_to"], false);
  EXPECT_EQ(verlet["double_eigenvalues"], json::parse(R"([{"mu": 2.0, "identity": false}])"));
  EXPECT_EQ(verlet["matrix_at_infinity"], nullptr);
  EXPECT_NEAR(verlet["dispersion_constant"].get<double>(), 1.0 / 24, 1e-15);
  EXPECT_EQ(verlet["damping_order"], "infinity");
  const json midpoint = json_of(directory.path(), "stability implicit_midpoint --json");
  EXPECT_EQ(midpoint["strictly_p_stable"], true);
  EXPECT_EQ(midpoint["open"]["absolute"][0]["to"], "infinity");
  EXPECT_EQ(midpoint["matrix_at_infinity"], json::parse("[[-1.0, 0.0], [0.0, -1.0]]"));
  EXPECT_EQ(json_of(directory.path(), "stability langevin_splitting --json")["exact"], false);
}

TEST(Json, EveryModelRunsWithItsDefaults) {
  for (const ModelEntry& entry : ModelRegistry::all().entries()) {
    const json r = json_of("", "run " + entry.name + " --json --trust never");
    EXPECT_EQ(r["status"], "reached_end") << entry.name;
    const std::string named = entry.describe().info.run.method;  // if empty, trill chooses
    if (!named.empty()) {
      EXPECT_EQ(r["method"], named) << entry.name;
    }
  }
}

TEST(Trust, IsRedForARunThatIsWrong) {
  const Directory directory;
  const std::string run = "run stiff_spring --method verlet --h 0.05 --to 10 ";
  const Ended words = trill_in(directory.path(), words_of(run + "--report run.html --out run.h5"));
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_THAT(words.out, HasSubstr("trust: red. Do not trust this run"));
  const json r = json_of(directory.path(), run + "--json");
  EXPECT_EQ(r["trust"]["verdict"], "red");
  EXPECT_THAT(r["trust"]["headline"].get<std::string>(), HasSubstr("Do not trust this run"));
  EXPECT_EQ(SolutionFile(directory / "run.h5").trust().verdict, Verdict::red);
  const std::string data = page_data(directory / "run.html");
  EXPECT_TRUE(json::accept(data));
  EXPECT_THAT(data, HasSubstr("Do not trust this run"));
  EXPECT_THAT(data, HasSubstr("\"red\""));
  ASSERT_EQ(trill_in(directory.path(), words_of("report run.h5 -o again.html")).code, 0);
  EXPECT_THAT(page_data(directory / "again.html"), HasSubstr("Do not trust this run"));
}

// The step is longer than the run. A repetition with half the step would be the same single step.
TEST(Trust, IsRedForOneHugeStep) {
  for (const char* line : {"run harmonic --h 100", "run harmonic --h 40 --to 20", "run kepler --method rk4 --h 1e6",
                           "run harmonic --h 50 --to -20"})
    EXPECT_EQ(json_of("", std::string(line) + " --json")["trust"]["verdict"], "red") << line;
}

TEST(Trust, IsNotSpoiledByTheStepLimitOfTheRun) {
  EXPECT_EQ(json_of("", "run harmonic --h 0.01 --to 10 --max-steps 1000 --json")["trust"]["verdict"], "green");
}

TEST(Trust, IsGreenForAGoodRun) {
  const Directory directory;
  const Ended words =
      trill_in(directory.path(), words_of("run stiff_spring --method dop853 --rtol 1e-10 --report run.html"));
  EXPECT_EQ(words.code, 0);
  EXPECT_THAT(words.out, HasSubstr("trust: green. "));
  const std::string data = page_data(directory / "run.html");
  EXPECT_THAT(data, HasSubstr("\"green\""));
  EXPECT_THAT(data, Not(HasSubstr("Do not trust")));
}

TEST(Trust, IsNotComputedUnlessWanted) {
  const json r = json_of("", "run stiff_spring --json --trust never");
  EXPECT_EQ(r["trust"]["verdict"], "none");
  EXPECT_THAT(r["trust"]["headline"].get<std::string>(), HasSubstr("--check off"));
}

TEST(Trust, OfARunThatEndsEarlyIsRed) {
  const json r = json_of("", "run stiff_spring --json --max-steps 10", 1);
  EXPECT_EQ(r["status"], "step_limit");
  EXPECT_EQ(r["trust"]["verdict"], "red");
}

// Puts web/test/check_page.mjs into a folder with the modules that it needs.
class Page : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path modules = fs::path(TRILL_TOOL).parent_path() / "web/node_modules";
    const fs::path checks = fs::path(TRILL_SOURCE_DIR) / "web/test";
    if (run({"node", "--version"}, {}).code != 0) GTEST_SKIP() << "node is missing";
    if (!fs::exists(modules / "playwright-core")) GTEST_SKIP() << "the report page was not built here: no " << modules;
    fs::copy(checks, web_ / "test", fs::copy_options::recursive);
    fs::create_directory_symlink(fs::canonical(modules), web_ / "node_modules");
  }
  bool has_browser() {
    return run({"node", "--input-type=module", "-e", "import {findBrowser} from './test/browser.mjs'; findBrowser()"},
               {.directory = web_.path()})
               .code == 0;
  }
  Directory directory_, web_;
};

// All pages are opened in one browser, since its start takes longer than the checks.
TEST_F(Page, OfRunsAndFiguresOpenInABrowser) {
  for (const char* line : {"run stiff_spring --method verlet --h 1e-3 --to 10 --report run.html",
                           "run stiff_spring --method verlet --h 1e-5 --to 10 --trust never --report long.html",
                           "run kepler --method verlet --h 1e-3 --out a.h5", "run kepler --out b.csv",
                           "report a.h5 b.csv -o both.html", "figure pjy97_fig1 --report figure.html"})
    ASSERT_EQ(trill_in(directory_.path(), words_of(line)).code, 0) << line;
  EXPECT_LT(fs::file_size(directory_ / "long.html"), 5'000'000u);  // although there were a million steps
  if (!has_browser()) GTEST_SKIP() << "chromium is missing";
  Words command{"node", "test/check_page.mjs"};
  for (const char* page : {"run.html", "long.html", "both.html", "figure.html"}) command.push_back(directory_ / page);
  const Ended checked = run(command, {.directory = web_.path(), .timeout = 200});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

// Checks that tags are opened and closed in order, without bare & or <, with a single root named svg.
std::string trouble_with_xml(const std::string& text) {
  std::vector<std::string> open;
  int roots = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '&') {
      const auto end = text.find(';', at);
      if (end == std::string::npos || end - at > 8) return fmt::format("a bare & at {}", at);
      at = end + 1;
    } else if (text[at] != '<') {
      if (open.empty() && !std::isspace(static_cast<unsigned char>(text[at]))) return "text outside the root";
      ++at;
    } else {
      const auto end = text.find('>', at);
      if (end == std::string::npos) return "an open tag at the end";
      const std::string tag = text.substr(at + 1, end - at - 1);
      at = end + 1;
      if (tag.starts_with("?") || tag.starts_with("!")) continue;
      const std::string name = tag.substr(tag.starts_with("/"), tag.find_first_of(" \n/", 1) - tag.starts_with("/"));
      if (tag.starts_with("/")) {
        const std::string closed = tag.substr(1);
        if (open.empty() || open.back() != closed) return "</" + closed + "> closes nothing";
        open.pop_back();
      } else {
        if (open.empty() && (++roots > 1 || name != "svg")) return "the root is " + name;
        if (!tag.ends_with("/")) open.push_back(name);
      }
    }
  }
  if (!open.empty()) return open.back() + " is not closed";
  return roots == 1 ? "" : "no root";
}

TEST(Pictures, AreWellFormed) {
  const Directory directory;
  ASSERT_EQ(
      trill_in(directory.path(), words_of("run stiff_spring --method verlet --h 1e-3 --to 10 -q --out run.h5")).code,
      0);
  const Ended ended = trill_in(directory.path(), words_of("report run.h5 --svg"));
  ASSERT_EQ(ended.code, 0) << ended.err;
  int pictures = 0;
  for (const std::string& name : directory.names()) {
    if (name == "run.h5") continue;
    EXPECT_TRUE(name.starts_with("run-") && name.ends_with(".svg")) << name;
    EXPECT_EQ(trouble_with_xml(read_text(directory / name)), "") << name;
    EXPECT_THAT(ended.out, HasSubstr(name + "\n"));
    ++pictures;
  }
  EXPECT_GE(pictures, 2);
}
}  // namespace
}  // namespace trill::testing_cli
