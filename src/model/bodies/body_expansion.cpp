// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/bodies/body_picture.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
const std::optional<FileText> no_set;

class Expansion {
 public:
  Expansion(const BodyFile& bodies, const SourceText& source, ModelFile& file)
      : bodies_(bodies), writer_(source, file), file_(file), picture_(writer_) {}

  void expand() {
    for (const FileBody& b : bodies_.bodies) known_.emplace(b.name.text, Known{&b.over, &b.points, nullptr});
    for (const FileBeam& b : bodies_.beams) known_.emplace(b.name.text, Known{&no_set, nullptr, nullptr});
    for (const FileReduced& b : bodies_.reduced) known_.emplace(b.name.text, Known{&no_set, nullptr, &b.body});
    if (const auto& gravity = bodies_.gravity)
      gravity_ = GravityTexts{writer_.given("gravity.x", gravity->acceleration.part(0), no_set),
                              writer_.given("gravity.y", gravity->acceleration.part(1), no_set), gravity->group};
    for (const FileBody& b : bodies_.bodies) write_body(b);
    for (const FileBeam& b : bodies_.beams) {
      expand_beam(b, gravity_, writer_);
      picture_.add_beam(b);
    }
    for (const FileReduced& b : bodies_.reduced) expand_reduced(b, gravity_, writer_);
    for (const FileJoint& j : bodies_.joints) write_joint(j);
    for (const FileSpring& s : bodies_.springs) write_spring(s);
    for (const FileDamper& d : bodies_.dampers) write_damper(d);
    for (const FileBushing& b : bodies_.bushings) write_bushing(b);
    for (const FileLoadOnBody& f : bodies_.forces) write_force(f);
    for (const FileLoadOnBody& t : bodies_.torques) write_torque(t);
    for (const FileDriver& d : bodies_.drivers) write_driver(d);
    picture_.finish();
  }

 private:
  // A body with its named points. For a beam `points` is nullptr: its points are its ends. A reduced body has its own.
  struct Known {
    const std::optional<FileText>* over;
    const std::vector<FileBodyPoint>* points;
    const ReducedBody* reduced;
  };

  void write_body(const FileBody& b) {
    const std::string& name = b.name.text;
    FrameCoordinates frame = frame_coordinates(writer_, b.name, b.start, b.unit, b.over, b.points);
    frame.position.mass = b.mass;
    frame.angle.mass = b.inertia;
    frame.position.mass->label = frame.angle.mass->label = fmt::format("body '{}'", name);
    file_.coordinates.push_back(std::move(frame.position));
    file_.coordinates.push_back(std::move(frame.angle));
    file_.derived.push_back({{name + ".mass", b.name.offset}, b.mass, b.over});
    file_.derived.push_back({{name + ".inertia", b.name.offset}, b.inertia, b.over});
    for (const FileBodyPoint& p : b.points) write_point(b, p);
    if (gravity_) write_weight(b, *gravity_);
    picture_.add_body(b);
  }

  void write_point(const FileBody& b, const FileBodyPoint& p) {
    for (const char* taken : {"x", "y", "z", "angle", "mass", "inertia"})
      if (p.name.text == taken)
        throw writer_.error(
            p.name.offset,
            fmt::format("every body already has a value called '{}'; choose another name for this point", taken));
    const std::string name = b.name.text + "." + p.name.text;
    const std::string px = writer_.given(name + "_x", p.at.part(0), no_set);
    const std::string py = writer_.given(name + "_y", p.at.part(1), no_set);
    const PlaceTexts at = point_of_frame(frame_of(b.name.text, b.over ? "[" + b.over->text + "]" : ""), px, py);
    writer_.derive(name, fmt::format("point({}, {})", at.x, at.y), p.name.offset, b.over);
    writer_.derive("v" + name, fmt::format("point({}, {})", at.x_rate, at.y_rate), p.name.offset, b.over);
  }

  void write_weight(const FileBody& b, const GravityTexts& gravity) {
    const PlaceTexts frame = frame_of(b.name.text, b.over ? "[" + b.over->text + "]" : "");
    const std::string energy =
        fmt::format("-{}.mass*({}*{} + {}*{})", b.name.text, gravity.x, frame.x, gravity.y, frame.y);
    file_.potentials.push_back({writer_.made(energy, b.name.offset), gravity.group, b.over});
  }

  const Known& find_body(const FilePlace& place) const {
    const auto it = known_.find(place.body.text);
    if (it == known_.end()) {
      std::vector<std::string> names{"ground"};
      for (const auto& [name, body] : known_) names.push_back(name);
      throw writer_.error(place.body.offset,
                          fmt::format("there is no body '{}'{}", place.body.text, suggest(place.body.text, names)));
    }
    const Known& body = it->second;
    const std::string& name = it->first;
    if (*body.over && !place.index)
      throw writer_.error(
          place.body.offset,
          fmt::format("there is one body '{}' for each element of the set '{}'; say which one you mean: {}[...]", name,
                      (*body.over)->text, name));
    if (!*body.over && place.index)
      throw writer_.error(place.body.offset, fmt::format("'{}' is a single body and takes no index", name));
    return body;
  }

  const FileBodyPoint& find_point(const FilePlace& place, const Known& body) const {
    std::vector<std::string> names;
    for (const FileBodyPoint& p : *body.points) {
      if (p.name.text == place.point.text) return p;
      names.push_back(p.name.text);
    }
    throw writer_.error(place.point.offset, fmt::format("'{}' has no point '{}'{}", place.body.text, place.point.text,
                                                        suggest(place.point.text, names)));
  }

  // Derived names of values at this place begin with `owner`.
  PlaceTexts texts_of(const FilePlace& place, const std::string& owner, const std::optional<FileText>& over) {
    const auto part = [&](int k) {
      return place.at ? writer_.given(owner + (k == 0 ? "_x" : "_y"), place.at->part(k), over) : "0";
    };
    if (place.body.text.empty()) return ground_place(place, owner, over);
    const Known& body = find_body(place);
    const std::string& name = place.body.text;
    if (body.reduced) return reduced_place(place, *body.reduced);
    if (!body.points) return beam_place(place);
    std::string index;
    if (place.index) {
      file_.derived.push_back({{owner + "_index", place.offset}, *place.index, over});
      index = fmt::format("[{}_index]", owner);
    }
    const PlaceTexts frame = frame_of(name, index);
    if (place.at) {
      PlaceTexts at = point_of_frame(frame, part(0), part(1));
      if (!over && !place.index) picture_.attach(name, at);
      add_own_motion(place, owner, over, frame.angle, at);
      return at;
    }
    if (place.point.text.empty()) return frame;
    const auto [px, py] = local_texts(name, find_point(place, body));
    return point_of_frame(frame, px, py);
  }

  // The coordinates of a place may depend on t: then it moves by itself.
  std::string own_rate(const FilePlace& place, int k, const std::string& owner, const std::optional<FileText>& over) {
    const FileValue& value = place.at->part(k);
    if (value.number) return "0";
    const std::string name = owner + (k == 0 ? "_x_rate" : "_y_rate");
    file_.derived.push_back({{name, place.offset}, value, over, {}, true});
    return name;
  }

  PlaceTexts ground_place(const FilePlace& place, const std::string& owner, const std::optional<FileText>& over) {
    if (!place.at) return {"0", "0", "0", "0", "0", "0"};
    return {writer_.given(owner + "_x", place.at->part(0), over),
            writer_.given(owner + "_y", place.at->part(1), over),
            "0",
            own_rate(place, 0, owner, over),
            own_rate(place, 1, owner, over),
            "0"};
  }

  void add_own_motion(const FilePlace& place, const std::string& owner, const std::optional<FileText>& over,
                      const std::string& angle, PlaceTexts& at) {
    const std::string x = own_rate(place, 0, owner, over), y = own_rate(place, 1, owner, over);
    if (x == "0" && y == "0") return;
    at.x_rate += fmt::format(" + (cos({0})*{1} - sin({0})*{2})", angle, x, y);
    at.y_rate += fmt::format(" + (sin({0})*{1} + cos({0})*{2})", angle, x, y);
  }

  PlaceTexts reduced_place(const FilePlace& place, const ReducedBody& body) const {
    const std::string &name = place.body.text, &point = place.point.text;
    if (place.at)
      throw writer_.error(place.offset, fmt::format("a reduced body can be held only at its named points: \"{}.{}\"",
                                                    name, body.points.front().name));
    if (point.empty() || point == body.points.front().name) return frame_of(name, "");
    std::vector<std::string> names;
    for (const ReducedBody::Point& p : body.points) names.push_back(p.name);
    if (std::find(names.begin(), names.end(), point) == names.end())
      throw writer_.error(place.point.offset,
                          fmt::format("'{}' has no point '{}'{}", name, point, suggest(point, names)));
    const std::string at = name + "." + point;
    return {at + ".x", at + ".y", at + "_angle", "v" + at + ".x", "v" + at + ".y", "v" + at + "_angle"};
  }

  PlaceTexts beam_place(const FilePlace& place) const {
    const std::string& name = place.body.text;
    if (place.at || (place.point.text != "base" && place.point.text != "tip"))
      throw writer_.error(place.point.text.empty() ? place.offset : place.point.offset,
                          fmt::format("a beam can be held only at its ends: \"{0}.base\" or \"{0}.tip\"", name));
    if (place.point.text == "base") return frame_of(name, "");
    return {name + ".tip.x",       name + ".tip.y",       name + ".tip_angle",
            "v" + name + ".tip.x", "v" + name + ".tip.y", "v" + name + ".tip_angle"};
  }

  void take_name(const FileLink& link) {
    if (known_.contains(link.name.text) || !links_.insert(link.name.text).second)
      throw writer_.error(link.name.offset,
                          fmt::format("the name '{}' is already used; choose another", link.name.text));
  }

  // Writes derived names for what lies between two places: the gap as a point, the angle, and their rates.
  PlaceTexts write_link(const FileLink& link) {
    const std::string& name = link.name.text;
    take_name(link);
    const bool grounded = link.from.body.text.empty() && link.to.body.text.empty();
    const bool alone = link.from.body.text == link.to.body.text && !link.to.index;
    if (grounded)
      throw writer_.error(link.to.offset,
                          fmt::format("{} needs at least one body; both of its ends are on the ground", link.label));
    if (alone)
      throw writer_.error(
          link.to.offset,
          fmt::format("both ends of {} are on the same body '{}'; connect two bodies, or a body and the ground",
                      link.label, link.to.body.text));
    const PlaceTexts from = texts_of(link.from, name + ".from", link.over),
                     to = texts_of(link.to, name + ".to", link.over);
    const auto derive = [&](const std::string& what, std::string text) {
      writer_.derive(what, std::move(text), link.offset, link.over);
    };
    derive(name + ".gap", fmt::format("point({} - ({}), {} - ({}))", to.x, from.x, to.y, from.y));
    derive("v" + name + ".gap",
           fmt::format("point({} - ({}), {} - ({}))", to.x_rate, from.x_rate, to.y_rate, from.y_rate));
    derive(name + ".angle", fmt::format("{} - ({})", to.angle, from.angle));
    derive("v" + name + ".angle", fmt::format("{} - ({})", to.angle_rate, from.angle_rate));
    return from;
  }

  void constrain(const FileLink& link, std::string_view what, std::string text) {
    file_.constraints.push_back(
        {writer_.made(std::move(text), link.offset, fmt::format("{}{}", link.label, what)), link.over});
  }

  // Names what the last `count` constraints exert on the second body of the link.
  void name_reaction(const FileLink& link, const char* what, std::size_t count) {
    FileReaction reaction{{link.name.text + what, link.offset}, {}, true};
    for (std::size_t k = file_.constraints.size() - count; k < file_.constraints.size(); ++k)
      reaction.constraints.push_back(k);
    file_.reactions.push_back(std::move(reaction));
  }

  void write_joint(const FileJoint& j) {
    const std::string& name = j.name.text;
    const PlaceTexts from = write_link(j);
    if (j.kind == JointKind::prismatic || j.kind == JointKind::point_on_line) write_axis(j, from);
    picture_.add_joint(j, from);
    switch (j.kind) {
      case JointKind::revolute:
      case JointKind::rigid:
        constrain(j, " along x", name + ".gap.x");
        constrain(j, " along y", name + ".gap.y");
        name_reaction(j, ".force", 2);
        break;
      case JointKind::distance: {
        const std::string length = writer_.given(name + ".length", *j.length, j.over);
        constrain(j, "", fmt::format("({0}.gap.x^2 + {0}.gap.y^2 - {1}*{1})/(2*{1})", name, length));
        name_reaction(j, ".force", 1);
        break;
      }
      case JointKind::prismatic:
      case JointKind::point_on_line:
        constrain(j, " across its axis", name + ".across");
        name_reaction(j, ".force", 1);
        break;
    }
    if (j.kind != JointKind::rigid && j.kind != JointKind::prismatic) return;
    constrain(j, " in angle",
              fmt::format("{}.angle - ({})", name, writer_.given(name + ".rest", j.angle, "0", j.over)));
    name_reaction(j, ".torque", 1);
  }

  // How far the joint has moved along an axis fixed to the first body, and across it.
  void write_axis(const FileJoint& j, const PlaceTexts& from) {
    const std::string& name = j.name.text;
    std::string ux = "1", uy = "0";
    if (j.axis) {
      const std::string ax = writer_.given(name + ".axis_x", j.axis->part(0), j.over);
      const std::string ay = writer_.given(name + ".axis_y", j.axis->part(1), j.over);
      ux = fmt::format("{}/hypot({}, {})", ax, ax, ay);
      uy = fmt::format("{}/hypot({}, {})", ay, ax, ay);
    }
    const std::string axis = name + ".axis";
    writer_.derive(axis,
                   fmt::format("point(cos({0})*{1} - sin({0})*{2}, sin({0})*{1} + cos({0})*{2})", from.angle, ux, uy),
                   j.offset, j.over);
    writer_.derive(name + ".travel", fmt::format("dot({}, {}.gap)", axis, name), j.offset, j.over);
    writer_.derive(name + ".across", fmt::format("{0}.x*{1}.gap.y - {0}.y*{1}.gap.x", axis, name), j.offset, j.over);
  }

  void write_spring(const FileSpring& s) {
    const std::string& name = s.name.text;
    const PlaceTexts from = write_link(s);
    if (!s.rotational) picture_.add_between(PictureKind::spring, s, from);
    const std::string stiffness = writer_.given(name + ".stiffness", s.stiffness, s.over);
    const std::string rest = writer_.given(name + ".rest", s.rest, "0", s.over);
    std::vector<std::string> gaps;
    if (s.rotational)
      gaps = {fmt::format("{}.angle - ({})", name, rest)};
    else if (s.rest)
      gaps = {fmt::format("norm({}.gap) - ({})", name, rest)};
    else
      gaps = {name + ".gap.x", name + ".gap.y"};
    for (const std::string& gap : gaps) {
      if (s.stiff)
        file_.stiff.push_back({writer_.made(gap, s.offset, s.label), s.stiffness, s.group, s.over});
      else
        file_.potentials.push_back(
            {writer_.made(fmt::format("{}/2*({})^2", stiffness, gap), s.offset, s.label), s.group, s.over});
    }
  }

  void push_along(const FileLink& link, const std::string& along, FileValue value) {
    file_.forces.push_back({{{"", link.offset}, {}},
                            {std::move(value), {}},
                            link.group,
                            link.over,
                            writer_.made(along, link.offset, link.label)});
  }

  void write_damper(const FileDamper& d) {
    const std::string& name = d.name.text;
    const PlaceTexts from = write_link(d);
    if (!d.rotational) picture_.add_between(PictureKind::damper, d, from);
    const std::string damping = writer_.given(name + ".damping", d.damping, d.over);
    const std::string force = d.rotational ? fmt::format("-{}*v{}.angle", damping, name)
                                           : fmt::format("-{0}*dot({1}.gap, v{1}.gap)/norm({1}.gap)", damping, name);
    push_along(d, d.rotational ? name + ".angle" : fmt::format("norm({}.gap)", name),
               writer_.made(force, d.offset, d.label));
  }

  // The directions are those of the frame of the first body, which turns.
  void write_bushing(const FileBushing& b) {
    const std::string& name = b.name.text;
    const PlaceTexts from = write_link(b);
    picture_.add_between(PictureKind::spring, b, from);
    const auto derive = [&](const char* prefix, const char* what, const char* text) {
      writer_.derive(prefix + name + what, fmt::format(fmt::runtime(text), name, from.angle, from.angle_rate), b.offset,
                     b.over);
    };
    derive("", ".along", "cos({1})*{0}.gap.x + sin({1})*{0}.gap.y");
    derive("", ".across", "cos({1})*{0}.gap.y - sin({1})*{0}.gap.x");
    derive("v", ".along", "cos({1})*v{0}.gap.x + sin({1})*v{0}.gap.y + ({2})*{0}.across");
    derive("v", ".across", "cos({1})*v{0}.gap.y - sin({1})*v{0}.gap.x - ({2})*{0}.along");
    const std::string rest = writer_.given(name + ".rest", b.angle, "0", b.over);
    const std::string gaps[] = {name + ".along", name + ".across", fmt::format("{}.angle - ({})", name, rest)};
    const char* const words[] = {"along", "across", "angle"};
    for (int k = 0; k < 3; ++k) {
      const FileValue& stiffness = b.stiffness.part(k);
      const std::string label = fmt::format("{} {}", b.label, k < 2 ? words[k] : "turning");
      if (b.stiff && !(*b.stiff)[static_cast<std::size_t>(k)])
        write_soft(b, fmt::format("{}.{}_stiffness", name, words[k]), stiffness, gaps[k], label);
      else if (stiffness.number != 0.0)
        file_.stiff.push_back({writer_.made(gaps[k], b.offset, label), stiffness, b.group, b.over,
                               b.stiff ? std::nullopt : std::optional(b.offset)});
      if (!b.damping || b.damping->part(k).number == 0.0) continue;
      const std::string damping =
          writer_.given(fmt::format("{}.{}_damping", name, words[k]), b.damping->part(k), b.over);
      push_along(b, fmt::format("{}.{}", name, words[k]),
                 writer_.made(fmt::format("-{}*v{}.{}", damping, name, words[k]), b.offset, label));
    }
  }

  // The group of a bushing is that of its stiff directions.
  void write_soft(const FileBushing& b, const std::string& name, const FileValue& stiffness, const std::string& gap,
                  const std::string& label) {
    const std::string factor = writer_.given(name, stiffness, b.over);
    file_.potentials.push_back(
        {writer_.made(fmt::format("{}/2*({})^2", factor, gap), b.offset, label), std::nullopt, b.over});
  }

  void write_force(const FileLoadOnBody& f) {
    if (f.to.body.text.empty())
      throw writer_.error(f.to.offset,
                          fmt::format("{} needs a body to act on, and this place is on the ground", f.label));
    take_name(f);
    const PlaceTexts at = texts_of(f.to, f.name.text + ".at", f.over);
    push_along(f, at.x, f.value.part(0));
    push_along(f, at.y, f.value.part(1));
  }

  void write_torque(const FileLoadOnBody& t) {
    write_link(t);
    push_along(t, t.name.text + ".angle", t.value);
  }

  void write_driver(const FileDriver& d) {
    take_name(d);
    const std::string of = writer_.given(d.name.text + ".of", d.of, d.over);
    const std::string value = writer_.given(d.name.text + ".value", d.value, d.over);
    constrain(d, "", fmt::format("{} - {}", of, value));
    name_reaction(d, ".force", 1);
  }

  const BodyFile& bodies_;
  ModelWriter writer_;
  ModelFile& file_;
  std::optional<GravityTexts> gravity_;
  std::map<std::string, Known> known_;
  std::set<std::string> links_;
  BodyPicture picture_;
};
}  // namespace

void expand_bodies(const BodyFile& bodies, const SourceText& source, ModelFile& file) {
  Expansion(bodies, source, file).expand();
}
}  // namespace trill
