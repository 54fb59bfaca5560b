// SPDX-License-Identifier: BSD-3-Clause
// A reduced flexible body: its points are r + A(theta) (X + T q). The kinetic energy is that of the floating frame of
// reference with all terms up to the second order in q (Shabana, Dynamics of Multibody Systems, chapter 5). The
// geometric stiffness K_g of centrifugal forces enters as the kinetic energy -spin^2/2 q.K_g q: it gives the force
// -spin^2 K_g q, without which a fast spin would drive the body apart, and keeps the energy. Here spin = theta' +
// h.q'/I is the rate at which the body turns as a whole, by its angular momentum. With theta', the rate of the frame
// alone, the mass matrix would lose its sign at small deflections: a frame that turns while q undoes its motion has
// next to no energy.
#include "base/text.hpp"
#include "model/bodies/body_expansion.hpp"

#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double negligible_pair = 1e-14;  // relative to the largest entry

class ReducedExpansion {
 public:
  ReducedExpansion(const FileReduced& file, ModelWriter& writer)
      : file_(file),
        body_(file.body),
        writer_(writer),
        name_(file.name.text),
        modes_(FileText{name_ + ".mode", file.name.offset}),
        pairs_(FileText{name_ + ".pair", file.name.offset}) {}

  void expand(const std::optional<GravityTexts>& gravity) {
    write_sets();
    write_coordinates();
    for (const ReducedBody::Point& p : body_.points) write_point(p);
    write_kinetic();
    writer_.file().stiff.push_back({made("{0}[{0}.mode].amplitude", fmt::format("body '{}' mode", name_)),
                                    made("{0}.stiffness"), file_.group, modes_});
    if (body_.damping.cwiseAbs().maxCoeff() > 0) write_damping();
    if (gravity) write_weight(*gravity);
  }

 private:
  // In the format {0} is the name of the body.
  std::string text(const char* format) const { return fmt::format(fmt::runtime(format), name_); }
  FileValue made(const char* format, std::string label = {}) const {
    return writer_.made(text(format), file_.name.offset, std::move(label));
  }

  void add_column(FileSet& set, const std::string& what, std::vector<double> numbers) const {
    FileColumn column{{name_ + what, file_.name.offset}, std::move(numbers), {}, std::nullopt};
    column.offsets.assign(column.numbers.size(), file_.name.offset);
    set.columns.push_back(std::move(column));
  }

  void write_sets() {
    FileSet modes;
    modes.name = *modes_;
    const auto add = [&](const std::string& what, const Vec& numbers) {
      add_column(modes, what, {numbers.begin(), numbers.end()});
    };
    add(".stiffness", body_.stiffness);
    add(".push_x", body_.push_x);
    add(".push_y", body_.push_y);
    add(".stretch", body_.stretch);
    add(".swing", body_.swing);
    for (const ReducedBody::Point& p : body_.points) {
      if (&p == &body_.points.front()) continue;
      add("." + p.name + "_shape_x", p.shape_x);
      add("." + p.name + "_shape_y", p.shape_y);
      add("." + p.name + "_shape_angle", p.shape_angle);
    }
    writer_.file().sets.push_back(std::move(modes));
    write_pairs();
  }

  // Pairs of modes whose terms are more than rounding. There is at least one, so that the set is not empty.
  void write_pairs() {
    const Mat& bend = body_.convective;
    const Mat stiffen = file_.stiffening ? body_.stiffening : Mat::Zero(body_.modes(), body_.modes());
    const auto limit = [](const Mat& m) { return negligible_pair * m.cwiseAbs().maxCoeff(); };
    const double least[] = {limit(bend), limit(body_.gyroscopic), limit(body_.damping), limit(stiffen)};
    std::vector<double> first, second, bends, turns, damps, stiffens;
    for (Index i = 0; i < body_.modes(); ++i)
      for (Index j = 0; j < body_.modes(); ++j) {
        const double b = bend(i, j), g = body_.gyroscopic(i, j), d = body_.damping(i, j), s = stiffen(i, j);
        if (i + j > 0 && std::abs(b) <= least[0] && std::abs(g) <= least[1] && std::abs(d) <= least[2] &&
            std::abs(s) <= least[3])
          continue;
        first.push_back(static_cast<double>(i));
        second.push_back(static_cast<double>(j));
        bends.push_back(b);
        turns.push_back(g);
        damps.push_back(d);
        stiffens.push_back(s);
      }
    FileSet pairs;
    pairs.name = *pairs_;
    add_column(pairs, ".first", std::move(first));
    add_column(pairs, ".second", std::move(second));
    add_column(pairs, ".bend", std::move(bends));
    add_column(pairs, ".turn", std::move(turns));
    add_column(pairs, ".damp", std::move(damps));
    add_column(pairs, ".stiffen", std::move(stiffens));
    writer_.file().sets.push_back(std::move(pairs));
  }

  void write_coordinates() {
    FrameCoordinates frame = frame_coordinates(writer_, file_.name, file_.start, file_.unit, std::nullopt, {});
    std::vector<FileCoordinate>& all = writer_.file().coordinates;
    all.push_back(std::move(frame.position));
    all.push_back(std::move(frame.angle));
    FileCoordinate q;
    q.name = {name_ + ".amplitude", file_.name.offset};
    q.start = {made("0"), {}};
    q.over = modes_;
    all.push_back(std::move(q));
    const double lowest = std::sqrt(body_.stiffness.minCoeff());
    if (!file_.stiffening)
      writer_.file().slow_spins.push_back({name_ + ".angle", fmt::format("body '{}'", name_), lowest});
  }

  void write_point(const ReducedBody::Point& p) {
    for (const char* taken :
         {"x",       "y",       "z",      "angle",     "mode",    "pair",    "amplitude", "stiffness",
          "stretch", "swing",   "push_x", "push_y",    "first",   "second",  "bend",      "turn",
          "damp",    "stiffen", "spin",   "tightened", "forward", "sideways"})
      if (p.name == taken)
        throw writer_.error(file_.file.offset, fmt::format("a point of {} has the name '{}', which trill needs itself; "
                                                           "give it another and reduce the body again",
                                                           file_.file.text, taken));
    const std::string at = name_ + "." + p.name;
    const PlaceTexts frame = frame_of(name_, "");
    const auto derive = [&](const std::string& what, std::string value) {
      writer_.derive(what, std::move(value), file_.name.offset, std::nullopt);
    };
    if (&p == &body_.points.front()) {
      derive(at, fmt::format("point({}, {})", frame.x, frame.y));
      derive("v" + at, fmt::format("point({}, {})", frame.x_rate, frame.y_rate));
      derive(at + "_angle", frame.angle);
      derive("v" + at + "_angle", frame.angle_rate);
      return;
    }
    for (const char* v : {"", "v"})
      for (const char* part : {"x", "y", "angle"})
        writer_.derive_sum(fmt::format("{}{}_d{}", v, at, part),
                           fmt::format("{0}_shape_{1}*{2}{3}[{3}.mode].amplitude", at, part, v, name_), *modes_);
    const PlaceTexts place = point_of_frame(frame, fmt::format("({} + {}_dx)", format_number(p.x), at),
                                            fmt::format("({} + {}_dy)", format_number(p.y), at));
    derive(at, fmt::format("point({}, {})", place.x, place.y));
    derive("v" + at, fmt::format("point({0} + cos({2})*v{3}_dx - sin({2})*v{3}_dy, {1} + sin({2})*v{3}_dx + "
                                 "cos({2})*v{3}_dy)",
                                 place.x_rate, place.y_rate, frame.angle, at));
    derive(at + "_angle", fmt::format("{} + {}_dangle", frame.angle, at));
    derive("v" + at + "_angle", fmt::format("{} + v{}_dangle", frame.angle_rate, at));
  }

  void write_kinetic() {
    writer_.derive("v" + name_ + ".forward", text("cos({0}.angle)*v{0}.x + sin({0}.angle)*v{0}.y"), file_.name.offset,
                   std::nullopt);
    writer_.derive("v" + name_ + ".sideways", text("cos({0}.angle)*v{0}.y - sin({0}.angle)*v{0}.x"), file_.name.offset,
                   std::nullopt);
    const auto add = [&](std::string energy, const std::optional<FileText>& over) {
      writer_.file().kinetic.push_back({writer_.made(std::move(energy), file_.name.offset), over});
    };
    add(fmt::format("{1}/2*(v{0}.x^2 + v{0}.y^2) + {2}/2*v{0}.angle^2 + v{0}.angle*({3}*v{0}.sideways - "
                    "({4})*v{0}.forward)",
                    name_, format_number(body_.mass), format_number(body_.inertia), format_number(body_.moment_x),
                    format_number(body_.moment_y)),
        std::nullopt);
    add(text("v{0}[{0}.mode].amplitude^2/2"
             " + v{0}.forward*({0}.push_x*v{0}[{0}.mode].amplitude - v{0}.angle*{0}.push_y*{0}[{0}.mode].amplitude)"
             " + v{0}.sideways*({0}.push_y*v{0}[{0}.mode].amplitude + v{0}.angle*{0}.push_x*{0}[{0}.mode].amplitude)"
             " + v{0}.angle^2*{0}.stretch*{0}[{0}.mode].amplitude + v{0}.angle*{0}.swing*v{0}[{0}.mode].amplitude"),
        modes_);
    add(text("v{0}.angle^2/2*{0}.bend*{0}[{0}.first].amplitude*{0}[{0}.second].amplitude"
             " + v{0}.angle*{0}.turn*{0}[{0}.first].amplitude*v{0}[{0}.second].amplitude"),
        pairs_);
    if (!file_.stiffening) return;
    writer_.derive_sum("v" + name_ + ".swinging", text("{0}.swing*v{0}[{0}.mode].amplitude"), *modes_);
    writer_.derive_sum(name_ + ".tightened", text("{0}.stiffen*{0}[{0}.first].amplitude*{0}[{0}.second].amplitude"),
                       *pairs_);
    add(fmt::format("-(v{0}.angle + v{0}.swinging/{1})^2/2*{0}.tightened", name_, format_number(body_.inertia)),
        std::nullopt);
  }

  void write_damping() {
    writer_.file().forces.push_back({{{"", file_.name.offset}, {}},
                                     {made("-{0}.damp*v{0}[{0}.second].amplitude"), {}},
                                     std::nullopt,
                                     pairs_,
                                     made("{0}[{0}.first].amplitude")});
  }

  void write_weight(const GravityTexts& g) {
    const auto add = [&](const std::string& energy, const std::optional<FileText>& over) {
      writer_.file().potentials.push_back({writer_.made(energy, file_.name.offset), g.group, over});
    };
    // -(gx, gy).A(theta) (cx, cy)
    const auto lifted = [&](const std::string& cx, const std::string& cy) {
      return fmt::format(
          "-({1}*(cos({0}.angle)*{3} - sin({0}.angle)*{4}) + {2}*(sin({0}.angle)*{3} + cos({0}.angle)*{4}))", name_,
          g.x, g.y, cx, cy);
    };
    add(fmt::format("-{1}*({2}*{0}.x + {3}*{0}.y) + ({4})", name_, format_number(body_.mass), g.x, g.y,
                    lifted(format_number(body_.moment_x), "(" + format_number(body_.moment_y) + ")")),
        std::nullopt);
    add(fmt::format("{0}[{0}.mode].amplitude*({1})", name_, lifted(name_ + ".push_x", name_ + ".push_y")), modes_);
  }

  const FileReduced& file_;
  const ReducedBody& body_;
  ModelWriter& writer_;
  const std::string name_;
  const std::optional<FileText> modes_, pairs_;
};
}  // namespace

void expand_reduced(const FileReduced& body, const std::optional<GravityTexts>& gravity, ModelWriter& writer) {
  ReducedExpansion(body, writer).expand(gravity);
}
}  // namespace trill
