// SPDX-License-Identifier: BSD-3-Clause
// The text of a netlist: numbers, statements, included files, parameters and formulas.
#include "model/netlist/card.hpp"
#include "model/netlist/spice_number.hpp"
#include "support/mentions.hpp"
#include "support/netlists.hpp"

#include <filesystem>
#include <fstream>
#include <numbers>

#include <fmt/format.h>

namespace trill::testing_netlists {
namespace {
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

TEST(NetlistNumber, HasScalesAndUnits) {
  const std::pair<const char*, double> cases[] = {{"1", 1},
                                                  {"-2.5", -2.5},
                                                  {"+3e-2", 0.03},
                                                  {".5", 0.5},
                                                  {"1f", 1e-15},
                                                  {"3p", 3e-12},
                                                  {"10n", 1e-8},
                                                  {"4.7u", 4.7e-6},
                                                  {"2m", 2e-3},
                                                  {"1.5k", 1500},
                                                  {"2meg", 2e6},
                                                  {"1g", 1e9},
                                                  {"2t", 2e12},
                                                  {"2mil", 50.8e-6},
                                                  {"100uf", 1e-4},
                                                  {"10kohm", 1e4},
                                                  {"5v", 5},
                                                  {"1megohm", 1e6},
                                                  {"1e3k", 1e6},
                                                  {"6.25e-3h", 6.25e-3},
                                                  {"10\xc2\xb5", 1e-5},
                                                  {"10\xce\xbc"
                                                   "f",
                                                   1e-5},
                                                  {"10\xb5h", 1e-5}};
  for (const auto& [text, value] : cases) {
    const auto number = spice_number(text);
    ASSERT_TRUE(number) << text;
    EXPECT_DOUBLE_EQ(*number, value) << text;
  }
}

TEST(NetlistNumber, RefusesWhatIsNone) {
  for (const char* text : {"", "-", "a", "k", "inf", "nan", "1k5", "1..2", "1e999", "--1", "+-1", "1_0"})
    EXPECT_FALSE(spice_number(text)) << text;
  EXPECT_EQ(leading_number("4.7k*2")->length, 4u);
}

TEST(NetlistCards, ContinueAndLoseTheirComments) {
  const CardDeck deck = read_cards(ModelFolder(), "t.cir",
                                   "The Title ; with all\n"
                                   "* a comment\n"
                                   "R1 A B ; behind a statement\n"
                                   "* between\n"
                                   "+ 10K $ too\n"
                                   "\n"
                                   "   c1 b 0 1$u\n"
                                   ".END\n"
                                   "R9 not read\n");
  EXPECT_EQ(deck.title, "The Title ; with all");
  ASSERT_EQ(deck.cards.size(), 2u);
  EXPECT_EQ(deck.cards[0].text(), "r1 a b 10k");
  EXPECT_EQ(deck.cards[1].text(), "c1 b 0 1$u");
  EXPECT_EQ(deck.cards[0].place(), "t.cir:3");
  EXPECT_THAT(deck.cards[0].error(0, "x").what(), StartsWith("t.cir:3:1: x"));
  EXPECT_THAT(deck.cards[0].error(7, "x").what(), StartsWith("t.cir:5:3: x"));
  EXPECT_THAT(deck.cards[1].error(3, "x").what(), StartsWith("t.cir:7:7: x"));
}

TEST(NetlistCards, LeaveControlBlocksOut) {
  const TextModel model = netlist("v1 a 0 1\nr1 a 0 1\n.control\nrun\nfoo bar\n.endc\n.tran 1u 1m\n.end\n");
  ASSERT_EQ(model.warnings.size(), 1u);
  EXPECT_THAT(model.warnings[0], HasSubstr("t.cir:4"));
  EXPECT_THAT(netlist_complaint("r1 a 0 1\n.control\nrun\n"), StartsWith("t.cir:3:1"));
  EXPECT_THAT(netlist_complaint("r1 a 0 1\n.endc\n"), StartsWith("t.cir:3:1"));
}

class NetlistFiles : public testing::Test {
 protected:
  NetlistFiles()
      : folder_(fs::path(testing::TempDir()) /
                (std::string("netlists_") + testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "parts");
  }
  ~NetlistFiles() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  TextModel load() const { return load_model(folder_ / "main.cir"); }
  std::string complaint_about_main() const {
    try {
      load();
    } catch (const UsageError& e) {
      const std::string whole = e.what();
      return whole.substr(0, whole.find('\n'));
    }
    return "no error";
  }
  fs::path folder_;
};

TEST_F(NetlistFiles, IncludeOthersBesideThem) {
  write("main.cir", "title\n.include \"parts/Values.inc\"\nV1 a 0 {volts}\nR1 a b 1k\nX1 b pull\n.tran 1u 1m\n.end\n");
  write("parts/Values.inc", ".param volts=6\n.inc deeper.inc\n");
  write("parts/deeper.inc", ".subckt pull p\nR1 p 0 2k\n.ends\n");
  EXPECT_NEAR(start_value(load(), "v(b)"), 4, 1e-9);
}

TEST_F(NetlistFiles, TakeOneSectionOfALibrary) {
  write("main.cir", "title\n.lib models.lib FAST\nV1 a 0 6\nR1 a b 1k\nR2 b 0 {r}\n.tran 1u 1m\n");
  write("models.lib", ".lib slow\n.param r=1\n.endl\n.lib fast\n.param r=1k\n.endl fast\n");
  EXPECT_NEAR(start_value(load(), "v(b)"), 3, 1e-9);
  write("main.cir", "title\n.lib models.lib none\nR2 b 0 1\n");
  EXPECT_THAT(complaint_about_main(), mentions("models.lib", "'none'"));
}

TEST_F(NetlistFiles, AreNamedWhereTheyAreMissingOrIncludeThemselves) {
  write("main.cir", "title\nR1 a 0 1\n.include parts/a.inc\n");
  EXPECT_THAT(complaint_about_main(), mentions("main.cir:3:", "parts/a.inc"));
  write("parts/a.inc", "* nothing\n.include b.inc\n");
  EXPECT_THAT(complaint_about_main(), mentions("a.inc:2:", "b.inc"));
  write("parts/b.inc", ".include a.inc\n");
  EXPECT_THAT(complaint_about_main(), mentions("b.inc:1:", "a.inc"));
  write("parts/b.inc", "R2 a 0 zero\n");
  EXPECT_THAT(complaint_about_main(), mentions("b.inc:1:8", "zero"));
  write("main.cir", "title\nR1 a 0 1\n.include ../outside.inc\n");
  EXPECT_THAT(complaint_about_main(), mentions("main.cir:3:", "outside.inc"));
  write("main.cir", "title\n.include /etc/hostname\n");
  EXPECT_THAT(complaint_about_main(), mentions("main.cir:2:", "absolute"));
}

TEST_F(NetlistFiles, AreAllPartOfTheTextOfTheModel) {
  write("main.cir", "title\n.include part.inc\nV1 a 0 1\n.tran 1u 1m\n");
  write("part.inc", "R1 a 0 17\n");
  EXPECT_THAT(load().text, mentions("V1 a 0 1", "R1 a 0 17"));
}

double parameter_of(const std::string& formula) {
  const TextModel model = netlist(".param two=2 neg=-3\n.param x={" + formula + "}\nv1 a 0 1\nr1 a 0 1\n.tran 1u 1m\n");
  for (const Parameter& p : model.problem->parameters())
    if (p.name == "x") return p.value;
  return NAN;
}

TEST(NetlistFormula, HasTheOperatorsAndFunctionsOfSpice) {
  const std::pair<const char*, double> cases[] = {{"1+2*3^2", 19},
                                                  {"2**3", 8},
                                                  {"-two^2", -4},
                                                  {"4.7k/two", 2350},
                                                  {"1u*2meg", 2},
                                                  {"2*PI", 2 * std::numbers::pi},
                                                  {"two > 1 ? 5 : 6", 5},
                                                  {"two < 1 ? 5 : two == 2 ? 7 : 8", 7},
                                                  {"(two > 1 && neg > 0) + 10", 10},
                                                  {"two > 1 || neg > 0", 1},
                                                  {"!(two > 1)", 0},
                                                  {"!0 + 1", 2},
                                                  {"ln(exp(1))", 1},
                                                  {"log(exp(2))", 2},
                                                  {"log10(1000)", 3},
                                                  {"limit(5, 0, 3)", 3},
                                                  {"limit(neg, 3, 0)", 0},
                                                  {"pwr(neg, 2)", 9},
                                                  {"pwrs(neg, 2)", -9},
                                                  {"sgn(neg)", -1},
                                                  {"u(neg) + u(two)", 1},
                                                  {"uramp(two)", 2},
                                                  {"min(neg, two) + max(neg, two)", -1},
                                                  {"if(neg < 0, sqrt(16), 0)", 4},
                                                  {"{two}*{neg - 1}", -8},
                                                  {"atan2(1, 1)*4", std::numbers::pi}};
  for (const auto& [text, value] : cases) EXPECT_NEAR(parameter_of(text), value, 1e-12) << text;
}

TEST(NetlistFormula, IsRefusedWithItsPlace) {
  for (const char* text : {"two+", "two two", "foo", "foo(2)", "sqrt(1,2)", "(two", "two)", "1/0", "v(a)", "time",
                           "two ? 1", "", "sqrt(-1)", "two = 1", "#", "limit(1,2)", "2k5", "1e999"})
    EXPECT_THAT(
        netlist_complaint(std::string(".param two=2\n.param x={") + text + "}\nv1 a 0 1\nr1 a 0 1\n.tran 1u 1m\n"),
        StartsWith("t.cir:3:10: "))
        << text;
}

TEST(NetlistParameters, OfFormulasWithoutBracesKeepTheirCommas) {
  const std::string circuit = "v1 a 0 {b}\nr1 a 0 1\n.tran 1u 1m\n";
  EXPECT_NEAR(start_value(".param a=2 b=if(a>1, 3, 4), c=5\n" + circuit, "v(a)"), 3, 1e-12);
  EXPECT_NEAR(start_value(".param a=2 b=max(a,{a*4})+1\n" + circuit, "v(a)"), 9, 1e-12);
  EXPECT_THAT(netlist_complaint(".param b=3 4\n" + circuit), mentions("t.cir:2:"));
}

TEST(NetlistParameters, MayBeDefinedInAnyOrderAndGivenFromOutside) {
  const std::string text = ".param b={a*2} a=3\n.param c = a+b d='c'\nv1 n 0 {d}\nr1 n 0 1\n.tran 1u 1m\n";
  EXPECT_NEAR(start_value(netlist(text), "v(n)"), 9, 1e-9);
  EXPECT_NEAR(start_value(netlist(text, {{"a", "2k"}}), "v(n)"), 6000, 1e-6);
  EXPECT_NEAR(start_value(netlist(text, {{"C", "5"}}), "v(n)"), 5, 1e-9);
  EXPECT_THAT(netlist_complaint(text, {{"q", "1"}}), mentions("'q'"));
  EXPECT_THAT(netlist_complaint(text, {{"a", "x"}}), mentions("a", "'x'"));
  EXPECT_THAT(netlist_complaint(".param a={b} b={c} c={a}\nr1 n 0 {a}\n"), mentions("t.cir:2:", "depends on itself"));
}

TEST(NetlistParameters, OfLongChainsAreRefusedAndNotACrash) {
  std::string text = ".param p0=1\n";
  for (int k = 1; k < 3000; ++k) text += ".param p" + std::to_string(k) + "={p" + std::to_string(k - 1) + "}\n";
  EXPECT_THAT(netlist_complaint(text + "v1 a 0 {p2999}\nr1 a 0 1\n.tran 1u 1m\n"), mentions("chain"));
}

TEST(NetlistParameters, OfChainsOfNestedFormulasAreRefused) {
  std::string text = ".param p0=1\n";
  const std::string open(120, '('), close(120, ')');
  for (int k = 1; k < 100; ++k) text += fmt::format(".param p{}={{{}p{}{}}}\n", k, open, k - 1, close);
  EXPECT_THAT(netlist_complaint(text + "v1 a 0 {p99}\nr1 a 0 1\n.tran 1u 1m\n"), mentions("nested"));
}

TEST(NetlistFormula, OfManyNegationsIsRefused) {
  EXPECT_THAT(netlist_complaint(".param a={" + std::string(50'000, '!') + "1}\nr1 n 0 {a}\n"), mentions("nested"));
}

TEST(NetlistFormula, OfDeepNestingIsRefused) {
  const std::string deep = std::string(5000, '(') + "1" + std::string(5000, ')');
  EXPECT_THAT(netlist_complaint(".param a={" + deep + "}\nr1 n 0 {a}\n"), mentions("t.cir:2:", "nested"));
}
}  // namespace
}  // namespace trill::testing_netlists
