// SPDX-License-Identifier: BSD-3-Clause
// A beam that bends in the plane: w(x) is given by cubic Hermite elements with w = w' = 0 at x = 0, in a frame (r,
// theta) that is tangent to the beam there. Its points are r + R(theta) (x + u(x), w(x)), where u is minus half the
// integral of w'^2 from the base to x: a beam keeps its length, so bending brings its points nearer to the base. Slopes
// are assumed to be small, and energies keep terms up to the second order in w. The terms of u are what stiffens a
// spinning beam (Kane, Ryan and Banerjee, J. Guidance 10 (1987) 139), and a beam under tension in general.
#include "model/bodies/body_expansion.hpp"

#include <fmt/format.h>

namespace trill {
namespace {
class BeamExpansion {
 public:
  BeamExpansion(const FileBeam& beam, ModelWriter& writer)
      : beam_(beam), writer_(writer), name_(beam.name.text), over_(FileText{name_ + ".element", beam.name.offset}) {}

  void expand(const std::optional<GravityTexts>& gravity) {
    write_elements();
    write_coordinates();
    write_ends();
    write_element_motion();
    if (beam_.shortening) write_shortening();
    write_kinetic();
    if (beam_.shortening) write_completion();
    write_bending();
    if (gravity) write_weight(*gravity);
  }

 private:
  // In the format {0} is the name of the beam.
  std::string text(const char* format) const { return fmt::format(fmt::runtime(format), name_); }
  FileValue made(const char* format) const { return writer_.made(text(format), beam_.name.offset); }
  void derive(const char* name, const char* format, const std::optional<FileText>& over = {}) {
    writer_.derive(text(name), text(format), beam_.name.offset, over);
  }
  void derive_given(const char* what, const FileValue& value) {
    writer_.file().derived.push_back({{name_ + what, value.piece.begin}, value, std::nullopt});
  }

  void write_elements() {
    FileSet set;
    set.name = *over_;
    set.size = beam_.elements;
    set.columns.push_back({{name_ + ".before", beam_.name.offset}, {}, {}, made("max({0}.element - 1, 0)")});
    set.columns.push_back({{name_ + ".free", beam_.name.offset}, {}, {}, made("if({0}.element == 0, 0, 1)")});
    writer_.file().sets.push_back(std::move(set));
    derive_given(".length", beam_.length);
    derive_given(".mass", beam_.mass);
    derive_given(".stiffness", beam_.stiffness);
    derive_given(".elements", beam_.elements);
    derive("{0}.h", "{0}.length/{0}.elements");
  }

  // The coordinates are the deflection and slope at the end of each element.
  void write_coordinates() {
    FrameCoordinates frame = frame_coordinates(writer_, beam_.name, beam_.start, beam_.unit, std::nullopt, {});
    std::vector<FileCoordinate>& all = writer_.file().coordinates;
    all.push_back(std::move(frame.position));
    all.push_back(std::move(frame.angle));
    for (const char* what : {".deflection", ".slope"}) {
      FileCoordinate c;
      c.name = {name_ + what, beam_.name.offset};
      c.start = {made("0"), {}};
      c.over = over_;
      if (std::string_view(what) == ".deflection") c.unit = beam_.unit;
      all.push_back(std::move(c));
    }
    writer_.file().small.push_back({name_ + ".slope", fmt::format("the slope of beam '{}'", name_)});
  }

  void write_ends() {
    const char *reach = "{0}.length", *reach_rate = "0";
    if (beam_.shortening) {
      writer_.derive_sum(name_ + ".shortening", text("{0}.lost"), *over_);
      writer_.derive_sum("v" + name_ + ".shortening", text("v{0}.lost"), *over_);
      reach = "({0}.length - {0}.shortening)";
      reach_rate = "(-v{0}.shortening)";
    }
    const auto with_reach = [&](const char* name, const char* format) {
      writer_.derive(text(name), fmt::format(fmt::runtime(format), name_, text(reach), text(reach_rate)),
                     beam_.name.offset, {});
    };
    derive("{0}.last", "{0}.elements - 1");
    derive("{0}.base", "point({0}.x, {0}.y)");
    derive("v{0}.base", "point(v{0}.x, v{0}.y)");
    with_reach("{0}.arm",
               "point(cos({0}.angle)*{1} - sin({0}.angle)*{0}[{0}.last].deflection, "
               "sin({0}.angle)*{1} + cos({0}.angle)*{0}[{0}.last].deflection)");
    derive("{0}.tip", "point({0}.x + {0}.arm.x, {0}.y + {0}.arm.y)");
    with_reach("v{0}.tip",
               "point(v{0}.x - v{0}.angle*{0}.arm.y - sin({0}.angle)*v{0}[{0}.last].deflection + cos({0}.angle)*{2}, "
               "v{0}.y + v{0}.angle*{0}.arm.x + cos({0}.angle)*v{0}[{0}.last].deflection + sin({0}.angle)*{2})");
    derive("{0}.tip_angle", "{0}.angle + {0}[{0}.last].slope");
    derive("v{0}.tip_angle", "v{0}.angle + v{0}[{0}.last].slope");
  }

  // Deflection w and slope s at both ends of an element, their rates, and integrals over the element: .sum of w,
  // .square of w^2, .moment of x w, .first of x, .second of x^2. Names that begin with v have the time derivative of w
  // in place of w.
  void write_element_motion() {
    for (const char* v : {"", "v"}) {
      const auto rate = [&](const char* what, const char* format) {
        writer_.derive(v + name_ + what, fmt::format(fmt::runtime(format), name_, v), beam_.name.offset, over_);
      };
      rate(".w0", "{0}.free*{1}{0}[{0}.before].deflection");
      rate(".s0", "{0}.free*{1}{0}[{0}.before].slope");
      rate(".w1", "{1}{0}[{0}.element].deflection");
      rate(".s1", "{1}{0}[{0}.element].slope");
      rate(".sum", "{0}.h/2*({1}{0}.w0 + {1}{0}.w1) + {0}.h^2/12*({1}{0}.s0 - {1}{0}.s1)");
      rate(".square",
           "{0}.h/210*(78*({1}{0}.w0^2 + {1}{0}.w1^2) + 54*{1}{0}.w0*{1}{0}.w1"
           " + {0}.h*(22*({1}{0}.w0*{1}{0}.s0 - {1}{0}.w1*{1}{0}.s1) + 13*({1}{0}.s0*{1}{0}.w1 - {1}{0}.w0*{1}{0}.s1))"
           " + {0}.h^2*(2*({1}{0}.s0^2 + {1}{0}.s1^2) - 3*{1}{0}.s0*{1}{0}.s1))");
    }
    derive("{0}.from", "{0}.element*{0}.h", over_);
    derive("v{0}.moment", "{0}.from*v{0}.sum + {0}.h^2/20*(3*v{0}.w0 + 7*v{0}.w1) + {0}.h^3/60*(2*v{0}.s0 - 3*v{0}.s1)",
           over_);
    derive("{0}.first", "{0}.h*({0}.from + {0}.h/2)", over_);
    derive("{0}.second", "{0}.h*({0}.from^2 + {0}.from*{0}.h + {0}.h^2/3)", over_);
  }

  // The slope on an element is s0 + c1 z + c2 z^2 with z from 0 to 1. The integrals of z^k times its square are .tilt0
  // to .tilt2; together they give what bending takes from the length of the element, .lost, and minus the integrals
  // over the beam of u, .lost_sum, and of x u, .lost_moment, as far as they come from this element.
  void write_shortening() {
    for (const char* v : {"", "v"}) {
      const auto rate = [&](const char* what, const char* format) {
        writer_.derive(v + name_ + what, fmt::format(fmt::runtime(format), name_, v), beam_.name.offset, over_);
      };
      rate(".c1", "6*({1}{0}.w1 - {1}{0}.w0)/{0}.h - 4*{1}{0}.s0 - 2*{1}{0}.s1");
      rate(".c2", "3*({1}{0}.s0 + {1}{0}.s1) - 6*({1}{0}.w1 - {1}{0}.w0)/{0}.h");
      rate(".lost", "{0}.h/2*{1}{0}.tilt0");
      rate(".lost_sum", "{0}.h/2*(({0}.length - {0}.from)*{1}{0}.tilt0 - {0}.h*{1}{0}.tilt1)");
    }
    for (int k = 0; k < 3; ++k) {
      writer_.derive(fmt::format("{}.tilt{}", name_, k),
                     fmt::format("{0}.s0^2/{1} + 2*{0}.s0*{0}.c1/{2} + (2*{0}.s0*{0}.c2 + {0}.c1^2)/{3}"
                                 " + 2*{0}.c1*{0}.c2/{4} + {0}.c2^2/{5}",
                                 name_, k + 1, k + 2, k + 3, k + 4, k + 5),
                     beam_.name.offset, over_);
      if (k == 2) continue;  // its rate is not needed
      writer_.derive(fmt::format("v{}.tilt{}", name_, k),
                     fmt::format("2*({0}.s0*v{0}.s0/{1} + ({0}.s0*v{0}.c1 + v{0}.s0*{0}.c1)/{2}"
                                 " + ({0}.s0*v{0}.c2 + v{0}.s0*{0}.c2 + {0}.c1*v{0}.c1)/{3}"
                                 " + ({0}.c1*v{0}.c2 + v{0}.c1*{0}.c2)/{4} + {0}.c2*v{0}.c2/{5})",
                                 name_, k + 1, k + 2, k + 3, k + 4, k + 5),
                     beam_.name.offset, over_);
    }
    derive("{0}.lost_moment",
           "{0}.h/4*(({0}.length^2 - {0}.from^2)*{0}.tilt0 - 2*{0}.from*{0}.h*{0}.tilt1 - {0}.h^2*{0}.tilt2)", over_);
  }

  // The kinetic energy is 1/2 mass/length times the integral of |r' + R(theta) ((u', w') + theta' (-w, x + u))|^2,
  // where u' and w' are rates.
  void write_kinetic() {
    derive("v{0}.forward", "cos({0}.angle)*v{0}.x + sin({0}.angle)*v{0}.y");
    derive("v{0}.sideways", "cos({0}.angle)*v{0}.y - sin({0}.angle)*v{0}.x");
    const std::string shortened = beam_.shortening
                                      ? text(
                                            " - 2*v{0}.angle^2*{0}.lost_moment - 2*v{0}.forward*v{0}.lost_sum"
                                            " - 2*v{0}.sideways*v{0}.angle*{0}.lost_sum")
                                      : "";
    writer_.file().kinetic.push_back(
        {writer_.made(
             text("{0}.mass/(2*{0}.length)*({0}.h*(v{0}.x^2 + v{0}.y^2) + v{0}.square"
                  " + v{0}.angle^2*({0}.second + {0}.square) + 2*v{0}.angle*(v{0}.moment - v{0}.forward*{0}.sum)"
                  " + 2*v{0}.sideways*(v{0}.sum + v{0}.angle*{0}.first)") +
                 shortened + ")",
             beam_.name.offset),
         over_});
  }

  // Without the product of the rate of w and theta' u, which is of the third order, already small deflections would
  // give the motion of the base against that of a beam with short elements a negative mass. u is replaced in it by the
  // line a + b x that has the same integrals of u and x u, which are all that the energy above has of u.
  void write_completion() {
    const auto sum = [&](const char* name, const char* of) { writer_.derive_sum(text(name), text(of), *over_); };
    sum("{0}.all_lost", "{0}.lost_sum");
    sum("{0}.all_lost_moment", "{0}.lost_moment");
    sum("v{0}.all_sum", "v{0}.sum");
    sum("v{0}.all_moment", "v{0}.moment");
    derive("{0}.drawn_slope", "12/{0}.length^3*({0}.all_lost*{0}.length/2 - {0}.all_lost_moment)");
    derive("{0}.drawn_base", "-{0}.all_lost/{0}.length - {0}.drawn_slope*{0}.length/2");
    writer_.file().kinetic.push_back(
        {made("{0}.mass/{0}.length*v{0}.angle*({0}.drawn_base*v{0}.all_sum + {0}.drawn_slope*v{0}.all_moment)"),
         std::nullopt});
  }

  // The curvature is linear on an element. The two gaps are its mean and its change towards the ends; together they
  // give the energy EI/2 times the integral of its square.
  void write_bending() {
    const auto gap = [&](const char* what, const char* stiffness, const char* label) {
      writer_.file().stiff.push_back(
          {writer_.made(text(what), beam_.name.offset, fmt::format("beam '{}' {}", name_, label)),
           writer_.made(text(stiffness), beam_.stiffness.piece.begin), beam_.group, over_});
    };
    gap("({0}.s1 - {0}.s0)/{0}.h", "{0}.stiffness*{0}.h", "mean curvature");
    gap("(2*({0}.w0 - {0}.w1)/{0}.h + {0}.s0 + {0}.s1)/{0}.h", "3*{0}.stiffness*{0}.h", "change of curvature");
  }

  void write_weight(const GravityTexts& gravity) {
    const std::string energy = fmt::format(
        "-{0}.mass/{0}.length*({0}.h*({1}*{0}.x + {2}*{0}.y) + {3}*({1}*cos({0}.angle) + {2}*sin({0}.angle))"
        " + {0}.sum*({2}*cos({0}.angle) - {1}*sin({0}.angle)))",
        name_, gravity.x, gravity.y, text(beam_.shortening ? "({0}.first - {0}.lost_sum)" : "{0}.first"));
    writer_.file().potentials.push_back({writer_.made(energy, beam_.name.offset), gravity.group, over_});
  }

  const FileBeam& beam_;
  ModelWriter& writer_;
  const std::string name_;
  const std::optional<FileText> over_;
};
}  // namespace

void expand_beam(const FileBeam& beam, const std::optional<GravityTexts>& gravity, ModelWriter& writer) {
  BeamExpansion(beam, writer).expand(gravity);
}
}  // namespace trill
