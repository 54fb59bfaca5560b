// SPDX-License-Identifier: BSD-3-Clause
// Moving pictures: the positions of the points of models, what is drawn by default, and mistakes in [picture].
#include "model/molecule/molecule_model.hpp"
#include "model/text/particle_picture.hpp"
#include "report/moving_picture.hpp"
#include "report/picture_frames.hpp"
#include "support/text_models.hpp"
#include "trill/model/text_problem.hpp"

#include <fstream>
#include <iterator>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trill::testing_models {
namespace {
using testing::AllOf;
using testing::HasSubstr;

std::vector<std::string> kinds_of(const ModelPicture& picture) {
  std::vector<std::string> kinds;
  for (const PictureShape& shape : picture.shapes())
    kinds.push_back(fmt::format("{} {}x{}", to_text(shape.kind), shape.elements, shape.points));
  return kinds;
}

const char* const hanging_bar = R"toml(
[bodies]
bar = { mass = 1, inertia = 1, points = { top = [0, 0.5], end = [0, -1.5] }, start = { top = [0, 0] } }
[[joint]]
kind = "revolute"
to = "bar.top"
[[spring]]
from = [2, 0]
to = "bar.end"
stiffness = 1
length = 1
)toml";

TEST(MovingPictures, PartsOfMechanismsAreWhereTheyAre) {
  const auto picture = picture_of_text("m.toml", hanging_bar, {});
  ASSERT_TRUE(picture);
  EXPECT_THAT(kinds_of(*picture), testing::ElementsAre("body 1x2", "pin 1x1", "spring 1x2"));
  // After a quarter turn the end, which was 2 below the top, is 2 to the right of it.
  const double q[] = {0.5, 0, std::numbers::pi / 2}, v[] = {0, 0, 0};
  std::vector<double> numbers(static_cast<std::size_t>(picture->numbers()));
  picture->evaluate(0, q, v, numbers.data());
  const double expected[] = {0, 0, 2, 0, 0, 0, 2, 0, 2, 0};
  for (std::size_t k = 0; k < numbers.size(); ++k) EXPECT_NEAR(numbers[k], expected[k], 1e-15) << k;
}

TEST(MovingPictures, ABeamIsACubicCurve) {
  const auto picture = picture_of_text("m.toml", R"toml(
[beams]
rod = { length = 2, mass = 1, stiffness = 1, elements = 1 }
)toml",
                                       {});
  ASSERT_TRUE(picture);
  EXPECT_THAT(kinds_of(*picture), testing::ElementsAre("line 1x5"));
  const double q[] = {0, 0, 0, 0.1, 0.075}, v[5] = {};  // bent by a force at its tip
  std::vector<double> numbers(10);
  picture->evaluate(0, q, v, numbers.data());
  for (int k = 0; k < 5; ++k) {
    const double z = k / 4.0;
    EXPECT_DOUBLE_EQ(numbers[static_cast<std::size_t>(2 * k)], 2 * z);
    EXPECT_NEAR(numbers[static_cast<std::size_t>(2 * k + 1)], 0.1 * (3 * z * z - z * z * z) / 2, 1e-15);
  }
}

TEST(MovingPictures, GuessesPointsBondsAndLattices) {
  const auto kinds = [](const char* text) {
    const auto picture = picture_of_text("m.toml", text, {});
    return picture ? kinds_of(*picture) : std::vector<std::string>{};
  };
  EXPECT_THAT(
      kinds("[coordinates]\nx1 = 1\ny1 = 0\nx2 = 2\ny2 = 0\nz = 1\n[[potential]]\nenergy = \"x1^2 + y1*x2 + y2*z\"\n"),
      testing::ElementsAre("point 1x1", "point 1x1"));
  EXPECT_THAT(kinds(R"toml(
sets.mass = 4
sets.bond = 3
[coordinates]
r = { over = "mass", point = 3, start = ["mass", 0, 0] }
[[stiff]]
over = "bond"
gap = "distance(r[bond], r[bond + 1]) - 1"
stiffness = 100
[[potential]]
energy = "distance(r[0], r[3])^2"
)toml"),
              testing::ElementsAre("point 4x1", "line 3x2"));
  EXPECT_THAT(
      kinds("sets.mass = 5\n[coordinates]\nu = { over = \"mass\", start = 0 }\n[[potential]]\nenergy = \"u[1]^2\"\n"),
      testing::ElementsAre("curve 5x1"));
  EXPECT_THAT(kinds("[coordinates]\nphi = 1\n[[potential]]\nenergy = \"phi^2\"\n"), testing::IsEmpty());
}

std::string said_of(const std::string& picture) {
  try {
    read_model("m.toml",
               "sets.mass = 3\n[coordinates]\nx = 1\ny = 2\nr = { over = \"mass\", point = 2, start = [0, 0] }\n"
               "[picture]\n" +
                   picture + "\n[[potential]]\nenergy = \"x*y + r[0].x^2\"\n");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MovingPictures, MistakesShowTheirPlace) {
  EXPECT_EQ(
      said_of("points = [\"point(x, y)\", { at = \"r[mass]\", over = \"mass\", colour = \"red\", trail = true }]"),
      "accepted");
  EXPECT_THAT(said_of("points = [\"pont\"]"), AllOf(HasSubstr("m.toml:7:12: unknown name 'pont'")));
  EXPECT_THAT(said_of("points = [\"point(x, yy)\"]"), AllOf(HasSubstr("m.toml:7:"), HasSubstr("'yy'; did you mean")));
  EXPECT_THAT(said_of("points = [\"x\"]"),
              AllOf(HasSubstr("m.toml:7:12: "), HasSubstr("x is a number"), HasSubstr("point(x, y)")));
  EXPECT_THAT(said_of("points = \"r[0]\""), AllOf(HasSubstr("m.toml:7:"), HasSubstr("must be a list")));
  EXPECT_THAT(said_of("points = [3]"), AllOf(HasSubstr("m.toml:7:"), HasSubstr("expressions in quotes")));
  EXPECT_THAT(said_of("lines = [\"r[0]\"]"),
              AllOf(HasSubstr("m.toml:7:"), HasSubstr("2 or more points, but this one has 1")));
  EXPECT_THAT(said_of("springs = [[\"r[0]\", \"r[1]\", \"r[2]\"]]"), HasSubstr("2 points, but this one has 3"));
  EXPECT_THAT(said_of("points = [\"r[mass]\"]"), HasSubstr("'mass' is a set"));
  EXPECT_THAT(said_of("points = [\"r[3]\"]"), HasSubstr("numbered 0 to 2"));
  EXPECT_THAT(said_of("points = [{ at = \"r[0]\", over = \"masses\" }]"), HasSubstr("no set 'masses'"));
  EXPECT_THAT(said_of("points = [{ at = \"r[0]\", colour = \"<script>\" }]"), HasSubstr("is not a colour"));
  EXPECT_THAT(said_of("points = [{ at = \"r[0]\", size = 3 }]"), HasSubstr("'size'"));
  EXPECT_THAT(said_of("curves = [{ through = \"r[0]\" }]"), HasSubstr("'over' must name it"));
  EXPECT_THAT(said_of("dots = []"), HasSubstr("'dots'"));
}

// x = cos t, y = sin t in a few rows. Because velocities are used, points between the rows lie on the circle.
TEST(MovingPictures, FramesLieOnTheCurveBetweenTheRows) {
  Solution solution;
  solution.info.problem = "circle";
  solution.info.model_text =
      "[coordinates]\nx = { start = 1, velocity = 0 }\ny = { start = 0, velocity = 1 }\n[[potential]]\nenergy = \"(x^2 "
      "+ y^2)/2\"\n";
  solution.info.layout = {2, 2, 0, 0};
  for (int k = 0; k <= 16; ++k) {
    const double t = k * std::numbers::pi / 8;
    solution.append(t, Vec{{std::cos(t), std::sin(t), -std::sin(t), std::cos(t)}}, Vec());
  }
  const ReportRun run = report_run(solution);
  const auto picture = moving_picture(run, 0, 2 * std::numbers::pi, 1e5);
  ASSERT_TRUE(picture);
  EXPECT_GT(picture->frames, 500);
  for (Index f = 0; f < picture->frames; ++f) {
    const double t = 2 * std::numbers::pi * static_cast<double>(f) / static_cast<double>(picture->frames - 1);
    const auto number = [&](std::size_t k) {
      return picture->centre[k] + 2 * picture->half[k] * picture->data[static_cast<std::size_t>(2 * f) + k] / 32767.0;
    };
    EXPECT_NEAR(number(0), std::cos(t), 3e-4) << t;
    EXPECT_NEAR(number(1), std::sin(t), 3e-4) << t;
  }
  EXPECT_FALSE(moving_picture(run, 0, 0, 1e5)) << "no stretch of time";
}

// Two water molecules in a box of side 10, one of them across its edge. Bonds are drawn to the nearest image.
TEST(MovingPictures, AtomsAndBondsOfMolecules) {
  const Particles particles{{"O", "H", "H", "O", "H", "H"}, {10, 10, 10}};
  ParticlePicture picture(particles, {{0, 1}, {0, 2}, {3, 4}, {3, 5}});
  EXPECT_THAT(kinds_of(picture), testing::ElementsAre("line 4x2", "point 4x1", "point 2x1"));
  EXPECT_EQ(picture.note(), "Atoms, seen along the z axis: 4 H (grey), 2 O (red).");
  ASSERT_TRUE(picture.fits(18));
  const double q[] = {1, 2, 3, 2, 2, 3, 1, 3, 3, 9.5, 5, 5, 0.25, 5, 5, 9.5, 6, 5};
  std::vector<double> numbers(static_cast<std::size_t>(picture.numbers()));
  picture.evaluate(0, q, nullptr, numbers.data());
  const std::vector<double> bonds(numbers.begin(), numbers.begin() + 16), atoms(numbers.begin() + 16, numbers.end());
  EXPECT_THAT(bonds, testing::ElementsAre(1, 2, 2, 2, 1, 2, 1, 3, 9.5, 5, 10.25, 5, 9.5, 5, 9.5, 6));
  EXPECT_THAT(atoms, testing::ElementsAre(2, 2, 1, 3, 0.25, 5, 9.5, 6, 1, 2, 9.5, 5));
}

TEST(MovingPictures, BondsAreThoseOfTheFile) {
  const auto text_of = [](const char* name) {
    std::ifstream in(std::string(TRILL_SOURCE_DIR "/examples/molecules/") + name);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const Bonds waters = bonds_in("water", text_of("water.data"), {});
  ASSERT_EQ(waters.size(), 432u);
  for (std::size_t k = 0; k < waters.size(); ++k) EXPECT_EQ(waters[k][0] / 3, waters[k][1] / 3) << k;
  const Bonds acetamide = bonds_in("acetamide", text_of("acetamide.psf"), {});
  EXPECT_EQ(acetamide.size(), 5u);  // six atoms without a ring
  for (const auto& [a, b] : acetamide) EXPECT_TRUE(a >= 0 && a < 6 && b >= 0 && b < 6 && a != b);
  EXPECT_TRUE(bonds_in("none", "[coordinates]\nx = 1\n", {}).empty());
}

// A membrane with one free point, seen from the front right. The picture is 1.5 wide, so 0.01 is enlarged 10 times.
TEST(MovingPictures, DisplacementsOfStructuresAreMagnified) {
  Solution solution;
  solution.info.problem = "drum";
  solution.info.model_text = "[structure]\ngenerate = { shape = \"membrane\", points = 1 }\n";
  solution.info.layout = {1, 1, 0, 0};
  for (int k = 0; k <= 4; ++k) solution.append(k, Vec{{0.0025 * k, 0.0025}}, Vec());
  const auto picture = film_of(report_run(solution), 0, 4, 5);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->note, "Displacements are multiplied by 10.");
  ASSERT_EQ(picture->shapes.size(), 1u);
  EXPECT_EQ(picture->shapes[0].elements, 12);  // lines between 9 points
  const auto number = [&](Index frame, Index k) {
    const auto axis = static_cast<std::size_t>(k % 2);
    return picture->centre[axis] +
           2 * picture->half[axis] * picture->data[static_cast<std::size_t>(frame * picture->numbers + k)] / 32767.0;
  };
  Index moved = 0;
  for (Index k = 0; k < picture->numbers; k += 2) {
    const double up = number(4, k + 1) - number(0, k + 1);
    if (std::abs(up) < 1e-3) continue;
    ++moved;
    EXPECT_NEAR(up, 0.1, 1e-3);
    EXPECT_NEAR(number(4, k), 0.75, 1e-3);  // 0.5 and half of the depth 0.5
  }
  EXPECT_EQ(moved, 4) << "ends of the lines that meet in the middle";
  solution.info.layout = {0, 0, 0, 0};
  EXPECT_FALSE(film_of(report_run(solution), 0, 4, 5)) << "a run of something else";
}

// The only point of a drum is drawn on both sides at a tenth of the size, whatever the length of the vector.
TEST(MovingPictures, AShapeIsDrawnBetweenItsEnds) {
  const auto points = picture_of_text("drum", "[structure]\ngenerate = { shape = \"membrane\", points = 1 }\n", {});
  ASSERT_TRUE(points);
  State rest(Layout{1, 1, 0, 0});
  for (const double length : {1.0, -3e-7}) {
    const auto picture = picture_of_shape(*points, rest, Vec{{length}});
    ASSERT_TRUE(picture);
    ASSERT_EQ(picture->frames, 2);
    double most = 0;
    const auto count = static_cast<std::size_t>(picture->numbers);
    for (std::size_t k = 0; k < count; ++k)
      most = std::max(most, std::abs(2 * picture->half[k % 2] * (picture->data[count + k] - picture->data[k]) / 32767));
    double low = HUGE_VAL, high = -HUGE_VAL;  // x plus half of the depth: 1.5 wide
    for (std::size_t k = 0; k < count; k += 2) {
      low = std::min<double>(low, picture->data[k]);
      high = std::max<double>(high, picture->data[k]);
    }
    EXPECT_NEAR(2 * picture->half[0] * (high - low) / 32767, 1.5, 1e-3);
    EXPECT_NEAR(most, 2 * 0.15, 1e-3);
  }
  EXPECT_FALSE(picture_of_shape(*points, rest, Vec{{0.0}}));
  EXPECT_FALSE(picture_of_shape(*points, rest, Vec{{1.0, 0.0}}));
}

TEST(MovingPictures, FramesAreWrittenAsPicturesWithTheirTimes) {
  Solution solution;
  solution.info.problem = "fall";
  solution.info.problem_title = "A <fall>";
  solution.info.time_unit = "s";
  solution.info.model_text =
      "[coordinates]\nx = { start = 0, velocity = 1 }\ny = { start = 0, velocity = 2 }\n"
      "[[potential]]\nenergy = \"0*x\"\n";
  solution.info.layout = {2, 2, 0, 0};
  for (int k = 0; k <= 4; ++k) solution.append(k, Vec{{1.0 * k, 2.0 * k, 1, 2}}, Vec());
  const std::vector<std::string> frames = trill::picture_frames(report_run(solution), 5);
  ASSERT_EQ(frames.size(), 5u);
  EXPECT_THAT(frames[3], HasSubstr("t = 3 s"));
  EXPECT_THAT(frames[3], HasSubstr("A &lt;fall&gt;"));
  // The picture is 8 high, so 420 pixels are 8 units. At t = 4 the point is 2 to the right of the middle and 4 above
  // it.
  EXPECT_THAT(frames[4], HasSubstr("cx=\"425.0\" cy=\"30.0\""));
  solution.info.model_text = "";
  EXPECT_TRUE(trill::picture_frames(report_run(solution)).empty());
}

TEST(MovingPictures, EveryShippedModelHasAReadablePictureOrNone) {
  for (const char* name : {"four_bar", "squeezer", "link_chain", "flexible_rod", "kepler", "two_springs", "car_axis"}) {
    const ModelEntry& entry = ModelRegistry::all().find(name);
    EXPECT_TRUE(picture_of_text(name, std::string(entry.text), {})) << name;
  }
}
}  // namespace
}  // namespace trill::testing_models
