// SPDX-License-Identifier: BSD-3-Clause
// The contents of the pages that the tool writes. Their appearance is tested in a browser (web/test).
#include "cli/tool.hpp"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {
using namespace trill::testing_cli;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// Decodes base64 text into doubles.
std::vector<double> numbers_of(const json& data) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, held = 0;
  for (const char c : data.get<std::string>()) {
    if (c == '=') break;
    bits = (bits << 6 | static_cast<unsigned>(digits.find(c))) & 0xFFFFFF;
    if ((held += 6) >= 8) bytes += static_cast<char>(bits >> (held -= 8) & 255);
  }
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  return numbers;
}

json data_of(const fs::path& page) { return json::parse(page_data(page)); }

class Pages : public testing::Test {
 protected:
  Ended trill(const Words& words) const { return trill_in(directory_.path(), words); }
  Directory directory_;
};

TEST_F(Pages, SpectrumIsShownOnRequestOfWhatIsNamedWithTheFrequenciesOfTheModel) {
  EXPECT_EQ(trill({"run", "stiff_spring", "--out", "run.h5", "--report", "run.html", "--spectrum", "--of", "r"}).code,
            0);
  EXPECT_EQ(trill({"report", "run.h5", "-o", "again.html", "--spectrum", "--of", "r"}).code, 0);
  for (const char* page : {"run.html", "again.html"}) {
    const json spectra = data_of(directory_ / page)["runs"][0]["spectrum"];
    ASSERT_EQ(spectra.size(), 1u) << page;
    EXPECT_EQ(spectra[0]["series"][0]["label"], "r");
    // The frequency is sqrt(k/m) with k = 1/epsilon^2 = 1000.
    ASSERT_EQ(spectra[0]["marks"].size(), 1u) << page;
    EXPECT_NEAR(spectra[0]["marks"][0]["x"].get<double>(), 31.6228, 1e-3);
  }
}

TEST_F(Pages, SpectrumOfAnUnknownNameAndWithoutAPageAreRefused) {
  EXPECT_EQ(trill({"run", "stiff_spring", "--out", "run.h5"}).code, 0);
  const Ended unknown = trill({"report", "run.h5", "--spectrum", "--of", "radius"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no component or quantity with that name"));
  EXPECT_EQ(trill({"report", "run.h5", "--of", "r"}).code, 2);
  EXPECT_EQ(trill({"run", "stiff_spring", "--spectrum"}).code, 2);
}

// x = a cos t: at t = pi it is -a, its mean is 0 and its largest value a.
constexpr const char* pendulum = R"(
[parameters]
a = 1
b = 1
[coordinates]
x = { start = "a", velocity = 0 }
[[potential]]
energy = "x^2/2"
[[measure]]
name = "double_x"
value = "2*b*x"
[run]
to = 3.141592653589793
)";

TEST_F(Pages, ASweepShowsEveryMeasureAgainstTheParameterAndLeadsToThePagesOfItsRuns) {
  write_text(directory_ / "swing.toml", pendulum);
  const Ended ended = trill({"run", "swing.toml", "--sweep", "a=1:4:4", "--out", "all #1/", "--report", "sweep.html"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, Not(HasSubstr("Too coarse")));
  const json page = data_of(directory_ / "sweep.html");
  const json* chart = nullptr;
  for (const json& one : page["charts"])
    if (one["title"] == "double_x against a") chart = &one;
  ASSERT_NE(chart, nullptr);
  const std::vector<std::vector<double>> expected{{-2, -4, -6, -8}, {0, 0, 0, 0}, {2, 4, 6, 8}};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double> found = numbers_of((*chart)["series"][k]["y"]);
    ASSERT_EQ(found.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[k][i], 0.02) << k << ' ' << i;
  }
  const json table = page["tables"][0];
  EXPECT_EQ(table["links"][1], "./all%20%231/a%3D2.html");
  EXPECT_EQ(data_of(directory_ / "all #1/a=2.html")["runs"].size(), 1u);
  for (const char* silent : {"h", "error", "status"})
    EXPECT_THAT(table["columns"].get<Words>(), Not(testing::Contains(silent)));
}

TEST_F(Pages, ASweepOverTwoParametersIsAHeatMapAndSaysWhereItIsTooCoarse) {
  write_text(directory_ / "swing.toml", pendulum);
  const Ended ended =
      trill({"run", "swing.toml", "--sweep", "a=1,2,3,10", "--sweep", "b=1,2", "--report", "sweep.html"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("at the end (a = 3 to 10)"));
  const json page = data_of(directory_ / "sweep.html");
  EXPECT_EQ(page["summary"].size(), 2u) << page["summary"];  // the energy and double_x
  for (const json& one : page["charts"]) {
    if (one["title"] != "double_x over a and b") continue;
    EXPECT_EQ(one["style"], "heat");
    const std::vector<double> x = numbers_of(one["series"][2]["x"]), y = numbers_of(one["series"][2]["y"]),
                              z = numbers_of(one["series"][2]["z"]);
    ASSERT_EQ(z.size(), 8u);
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z[i], 2 * x[i] * y[i], 0.02);
    return;
  }
  FAIL() << "no heat map";
}

TEST_F(Pages, AComparisonSaysWhichMethodIsTheCheapestAndShowsTheTable) {
  const Ended ended =
      trill({"compare", "stiff_spring", "--methods", "dopri5,dop853", "--to", "2", "--report", "work.html"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, testing::ContainsRegex("To an error of 1e-0[0-9] dop[a-z0-9]* needs [0-9.]+ [mu]s, the next"));
  const json page = data_of(directory_ / "work.html");
  EXPECT_THAT(page["summary"][0].get<std::string>(), HasSubstr("To an error of"));
  EXPECT_EQ(page["tables"][0]["rows"].size(), 8u);
}

TEST_F(Pages, EnergyOfADrivenModelIsShownWithTheWorkFromARunAndFromItsFile) {
  write_text(directory_ / "pull.toml",
             "[coordinates]\nx = { start = 0, velocity = 0 }\n[[force]]\non = \"x\"\nvalue = \"cos(t) - vx/10\"\n");
  ASSERT_EQ(trill({"run", "pull.toml", "--to", "3", "--out", "run.h5", "--report", "run.html"}).code, 0);
  ASSERT_EQ(trill({"report", "run.h5", "-o", "again.html"}).code, 0);
  for (const char* page : {"run.html", "again.html"}) {
    Words names;
    const json shown = data_of(directory_ / page);
    for (const json& series : shown["runs"][0]["series"]) names.push_back(series["name"]);
    EXPECT_THAT(names, testing::IsSupersetOf({"work done", "energy lost", "energy balance"})) << page;
  }
}

TEST_F(Pages, FramesAreWrittenIntoANewFolderAlone) {
  ASSERT_EQ(trill({"run", "kepler", "--to", "2", "--out", "run.h5"}).code, 0);
  const Ended ended = trill({"report", "run.h5", "--frames", "film"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(read_text(directory_ / "film/frame-0240.svg"), HasSubstr("t = 2<"));
  EXPECT_FALSE(fs::exists(directory_ / "run.html"));
  EXPECT_EQ(trill({"report", "run.h5", "--frames", "film"}).code, 2) << "it is not empty any more";
}

TEST_F(Pages, PrintIsAPageForPaper) {
  ASSERT_EQ(trill({"run", "kepler", "--to", "2", "--out", "run.h5"}).code, 0);
  ASSERT_EQ(trill({"report", "run.h5", "--print", "-o", "paper.html"}).code, 0);
  EXPECT_THAT(read_text(directory_ / "paper.html"), HasSubstr("<html data-print lang=\"en\""));
  EXPECT_EQ(data_of(directory_ / "paper.html")["runs"].size(), 1u);
}

// If averages were asked for, they come first on the page.
TEST_F(Pages, AveragesAreTheAnswerWhereTheyWereAskedFor) {
  ASSERT_EQ(trill({"run", "langevin", "--want", "statistics", "--to", "100", "--report", "run.html"}).code, 0);
  const json page = data_of(directory_ / "run.html");
  EXPECT_THAT(page["title"].get<std::string>(), HasSubstr(": averages, by "));
  ASSERT_FALSE(page["summary"].empty());
  EXPECT_THAT(page["summary"][0].get<std::string>(), HasSubstr("on average (standard error"));
  EXPECT_TRUE(page["runs"][0]["random"].get<bool>());
}

TEST_F(Pages, ASteadyStateBeginsWithItsPeriodAndHasATableOfIt) {
  write_text(directory_ / "filter.cir",
             "Low pass\nV1 in 0 SIN(1 3 1k)\nR1 in out 1k\nC1 out 0 10u IC=0\nRload out 0 1k\n.tran 10u 20m uic\n");
  ASSERT_EQ(trill({"run", "filter.cir", "--want", "steady", "--report", "run.html"}).code, 0);
  const json page = data_of(directory_ / "run.html");
  EXPECT_EQ(page["summary"][0], "Period 0.001 s, frequency 1000 Hz.");
  ASSERT_EQ(page["tables"].size(), 2u);
  EXPECT_EQ(page["tables"][0]["title"], "One period");
  for (const json& row : page["tables"][0]["rows"]) {
    if (row[0] != "v(in)") continue;
    EXPECT_NEAR(std::stod(row[2].get<std::string>()), 1, 1e-4) << "mean of 1 + 3 sin";
    EXPECT_NEAR(std::stod(row[6].get<std::string>()), 6, 1e-2) << "ripple";
    EXPECT_NEAR(std::stod(row[7].get<std::string>()), 3, 1e-3) << "first harmonic";
  }
}

TEST_F(Pages, MoleculesMove) {
  const std::string water = TRILL_SOURCE_DIR "/examples/molecules/water.data";
  ASSERT_EQ(trill({"run", water, "--to", "0.5", "--check", "off", "--report", "run.html", "--out", "run.h5"}).code, 0);
  ASSERT_EQ(trill({"report", "run.h5", "-o", "again.html"}).code, 0);
  for (const char* name : {"run.html", "again.html"}) {
    const json picture = data_of(directory_ / name)["runs"][0]["picture"];
    ASSERT_TRUE(picture.is_object()) << name;
    EXPECT_EQ(picture["note"], "Atoms, seen along the z axis: 432 H (grey), 216 O (red).");
    EXPECT_EQ(picture["shapes"].size(), 3u) << "bonds and two kinds of atoms";
  }
}

TEST_F(Pages, AFigureBeginsWithItsVerdict) {
  ASSERT_EQ(trill({"figure", "pjy97_fig1", "--report", "fig.html"}).code, 0);
  const json page = data_of(directory_ / "fig.html");
  EXPECT_EQ(page["summary"][0], "Recomputed from PJY97 fig. 1.");
  EXPECT_THAT(page["summary"][1].get<std::string>(),
              HasSubstr("values are within their tolerance. No published numbers"));
  EXPECT_THAT(page["tables"][0]["note"].get<std::string>(), HasSubstr("independent computation"));
}
}  // namespace
