// SPDX-License-Identifier: BSD-3-Clause
// Messages about mistakes in netlists name the file, the line and the element.
#include "support/mentions.hpp"
#include "support/netlists.hpp"

namespace trill::testing_netlists {
namespace {
struct Mistake {
  const char* text;
  std::vector<std::string> place_and_names;
};

TEST(NetlistMistakes, OfStatements) {
  const Mistake mistakes[] = {
      {"+ r1 a 0 1\n", {"t.cir:2:1"}},
      {"r1 a 0 1\n.foo bar\n", {"t.cir:3:1", ".foo", ".tran"}},
      {"r1 a 0 1\n.trn 1u 1m\n", {"t.cir:3:1", ".trn", ".tran"}},
      {"r1 a 0 1\n.step param x 1 2\n", {"t.cir:3:1", "trill run FILE --sweep"}},
      {"r1 a 0 1\nj1 a 0 0 jm\n", {"t.cir:3:1", "j1"}},
      {"r1 a 0 1\nR1 a 0 2\n", {"t.cir:3:1", "'r1'", "t.cir:2"}},
      {"r1 a 0 0\n", {"t.cir:2:8", "resistance", "'r1'", "0"}},
      {"c1 a 0 0\n", {"t.cir:2:8", "capacitance", "'c1'", "0"}},
      {"l1 a 0 0\n", {"t.cir:2:8", "inductance", "'l1'", "0"}},
      {"c1 a 0 -1u\n", {"t.cir:2:11", "negative"}},
      {"r1 a 0\n", {"t.cir:2:7", "resistance"}},
      {"r1 a\n", {"t.cir:2:5", "second node"}},
      {"r1 a 0 1 2\n", {"t.cir:2:10", "'2'"}},
      {"r1 a 0 {1+\n", {"t.cir:2:8", "}"}},
      {"c1 a 0 1u foo=2\n", {"t.cir:2:11", "'foo'"}},
      {"v1 a 0 pulse(1)\n", {"t.cir:2:16", "pulse"}},
      {"v1 a 0 pulse(0 1 0 1u 1u 5u 4u)\n", {"t.cir:2:8", "period"}},
      {"v1 a 0 pwl(0 0 1 1 1 2)\n", {"t.cir:2:8", "increase"}},
      {"v1 a 0 pwl(0 0 1)\n", {"t.cir:2:8", "pairs"}},
      {"v1 a 0 sinus(0 1 1k)\n", {"t.cir:2:8", "'sinus'", "SIN"}},
      {"v1 a 0 sin(0 1 1k\n", {"t.cir:2:18", "')'"}},
      {"e1 a 0 poly(1) b 0 1 2\n", {"t.cir:2:8", "poly"}},
      {"f1 a 0 vx 2\nr1 a 0 1\n", {"t.cir:2:8", "'vx'"}},
      {"k1 l1 l2 0.5\nl1 a 0 1m\nr1 a 0 1\n", {"t.cir:2:7", "'l2'"}},
      {"k1 l1 l2 1.5\n", {"t.cir:2:10", "1.5"}},
      {"k1 l1 l2 1\n", {"t.cir:2:10", "1"}},
      {"b1 a 0 q=3\n", {"t.cir:2:8"}},
      {"b1 a 0 v=v(z)\nr1 a 0 1\n", {"t.cir:2:10", "'z'"}},
      {"b1 a 0 v=i(r1)\nr1 a 0 1\n", {"t.cir:2:10", "'r1'"}},
      {"r1 a 0 1\n.tran 1u\n.tran 1u 2u\n", {"t.cir:4:1", "t.cir:3"}},
      {"r1 a 0 1\n.tran 1u 0\n", {"t.cir:3:1"}},
      {"r1 a 0 1\n.tran 1u 1m 0 1u foo\n", {"t.cir:3:18", "'foo'"}},
      {"v1 a 0 1\nr1 a 0 1\n.ic v(z)=1\n", {"t.cir:4:7", "'z'"}},
      {"v1 a 0 1\nr1 a 0 1\n.options relto=1\n", {"t.cir:4:10", "'relto'", "reltol"}},
      {"v1 a 0 1\nr1 a 0 1\n.measure tran m avg v(z)\n", {"t.cir:4:23", "'z'"}},
      {"v1 a 0 1\nr1 a 0 1\n.measure tran m avg p(z)\n", {"t.cir:4:21"}},
      {"", {"t.cir", "no elements"}},
  };
  for (const Mistake& m : mistakes) EXPECT_THAT(netlist_complaint(m.text), tells(m.place_and_names)) << m.text;
}

TEST(NetlistMistakes, OfModels) {
  const Mistake mistakes[] = {
      {"d1 a 0 dx\n.model dy d\n", {"t.cir:2:8", "'dx'", "dy"}},
      {"d1 a 0 dx\n.model dx d(is=1n rz=3)\n", {"t.cir:3:19", "'rz'", "rs"}},
      {"d1 a 0 dx\n.model dx d(n=0)\n", {"t.cir:3:13", "'n'"}},
      {"d1 a 0 dx\n.model dx d(m=1)\n", {"t.cir:3:13", "'m'"}},
      {"d1 a 0 dx\n.model dx d(cjo=-1p)\n", {"t.cir:3:13", "'cjo'"}},
      {"d1 a 0 dx\n.model dx zener(is=1)\n", {"t.cir:3:11", "'zener'", "d, npn"}},
      {"d1 a 0 dx\n.model dx npn\n", {"t.cir:2:8", "'dx'", "npn"}},
      {"d1 a 0 dx\n.model dx d\n.model dx d\n", {"t.cir:4:1", "'dx'", "t.cir:3"}},
      {"m1 a b c d mx\n.model mx nmos(level=3)\n", {"t.cir:3:16", "level 3", "level 1"}},
      {"m1 a b c d mx\n.model mx nmos(vth0=0.4 level=8)\n", {"t.cir:3:25", "level 8", "level 1"}},
      {"m1 a b c mx\n.model mx nmos\n", {"t.cir:2:12", "model"}},
      {"m1 a b c d mx h=2\n.model mx nmos\n", {"t.cir:2:15", "'h'"}},
      {"m1 a b c d mx l=0\n.model mx nmos\n", {"t.cir:2:1", "'m1'"}},
      {"q1 a b qx\n.model qx npn\n", {"t.cir:2:10", "model"}},
      {"s1 a 0 b 0 sx\n.model sx sw(ron=0)\n", {"t.cir:3:14", "'ron'"}},
      {"w1 a 0 v9 sx\nr1 a 0 1\n.model sx csw\n", {"t.cir:2:8", "'v9'"}},
  };
  for (const Mistake& m : mistakes) EXPECT_THAT(netlist_complaint(m.text), tells(m.place_and_names)) << m.text;
}

TEST(NetlistMistakes, OfSubcircuits) {
  const Mistake mistakes[] = {
      {".subckt a p\nr1 p 0 1\n", {"t.cir:2:1", "'a'", ".ends"}},
      {"r1 a 0 1\n.ends\n", {"t.cir:3:1"}},
      {".subckt a p\nr1 p 0 1\n.ends b\n", {"t.cir:4:7", "'b'", "'a'"}},
      {".subckt a p p\n.ends\n", {"t.cir:2:13", "'p'"}},
      {".subckt a p\n.ends\n.subckt a q\n.ends\n", {"t.cir:4:1", "'a'", "t.cir:2"}},
      {"x1 n a\n.subckt b p\nr1 p 0 1\n.ends\n", {"t.cir:2:6", "'a'", "b"}},
      {"x1 n m a\n.subckt a p\nr1 p 0 1\n.ends\n", {"t.cir:2:8", "'a'", "1", "2"}},
      {"x1 n a k=2\n.subckt a p j=1\nr1 p 0 1\n.ends\n", {"t.cir:2:10", "'k'", "j"}},
      {".subckt a p\nx1 p b\n.ends\n.subckt b p\nx1 p a\n.ends\nx1 n a\n", {"t.cir:6:6", "'a'", "itself"}},
      {".subckt a p\nr1 p 0 {z}\n.ends\nx1 n a\n", {"t.cir:3:8", "'z'"}},
  };
  for (const Mistake& m : mistakes) EXPECT_THAT(netlist_complaint(m.text), tells(m.place_and_names)) << m.text;
}

TEST(NetlistMistakes, OfTheTopology) {
  const Mistake mistakes[] = {
      {"r1 a b 1\n.tran 1u 1m\n", {"t.cir:2:1", "ground"}},
      {"r1 0 gnd 1\n.tran 1u 1m\n", {"t.cir:2:1", "ground"}},
      {"v1 a 0 1\nr1 a 0 1\nr2 b c 1\n.tran 1u 1m uic\n", {"t.cir:4:1", "'b'"}},
      {"v1 a 0 1\nr1 a 0 1\ne1 a2 0 c 0 2\nr2 a2 0 1\n.tran 1u 1m uic\n", {"t.cir:4:1", "'c'"}},
      {"v1 a 0 1\nv2 a b 2\nr1 a 0 1\ne1 0 b a 0 1\n.tran 1u 1m\n", {"t.cir:5:1", "'e1'", "v1", "v2"}},
      {"v1 a a 1\nr1 a 0 1\n.tran 1u 1m\n", {"t.cir:2:1", "'v1'"}},
      {"i1 0 a 1\nr1 b 0 1\ng1 a 0 b 0 1\n.tran 1u 1m uic\n", {"t.cir:2:1", "'a'", "i1", "g1"}},
      {"v1 a 0 1\nl1 a b 1m\nl2 b c 1m\nr1 c 0 1\n.tran 1u 1m uic\n", {"t.cir:3:1", "'b'", "l1", "l2"}},
      {"v1 a 0 1\nc1 a b 1u\nc2 b 0 1u\n.tran 1u 1m\n", {"t.cir:3:1", "'b'", "c1", "c2", "uic"}},
      {"v1 a 0 1\nl1 a b 1m\nl2 b 0 1m\nr1 b 0 1\n.tran 1u 1m\n", {"t.cir:4:1", "'l2'", "l1", "v1", "uic"}},
  };
  for (const Mistake& m : mistakes) EXPECT_THAT(netlist_complaint(m.text), tells(m.place_and_names)) << m.text;
}

TEST(NetlistTopology, TakesWhatDeterminesItsVoltages) {
  EXPECT_EQ(netlist_complaint("v1 a 0 1\nc1 a b 1u\nc2 b 0 1u\n.tran 1u 1m uic\n"), "no error");
  EXPECT_EQ(netlist_complaint("v1 a 0 1\nl1 a 0 1m\n.tran 1u 1m uic\n"), "no error");
  EXPECT_EQ(netlist_complaint("v1 a 0 1\nl1 a b 1m\nr0 a b 1meg\nl2 b c 1m\nr1 c 0 1\n.tran 1u 1m uic\n"), "no error");
}

TEST(NetlistMistakes, OfSizeAreRefused) {
  std::string text = "v1 a 0 1\nr1 a 0 1\nx1 a s0\n";
  for (int k = 0; k < 30; ++k) {
    const std::string next = " p s" + std::to_string(k + 1) + "\n";
    text += ".subckt s" + std::to_string(k) + " p\nx1" + next + "x2" + next + ".ends\n";
  }
  text += ".subckt s30 p\nr1 p 0 1\n.ends\n.tran 1u 1m\n";
  EXPECT_THAT(netlist_complaint(text), mentions("at most", "elements"));
}
}  // namespace
}  // namespace trill::testing_netlists
