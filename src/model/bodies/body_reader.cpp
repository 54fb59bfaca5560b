// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/bodies/body_file.hpp"
#include "model/expression/parser.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::array joint_kinds = {std::pair("revolute", JointKind::revolute),
                                    std::pair("prismatic", JointKind::prismatic), std::pair("rigid", JointKind::rigid),
                                    std::pair("distance", JointKind::distance),
                                    std::pair("point_on_line", JointKind::point_on_line)};
constexpr std::array spring_kinds = {std::pair("linear", false), std::pair("rotational", true)};

class BodyReader {
 public:
  BodyReader(const SourceText& source, const ModelFolder& folder) : source_(source), folder_(folder) {}

  BodyFile read(TableReader& root) {
    root.each_entry("bodies", [&](const FileText& name, const toml::node& node) { read_body(name, node); });
    root.each_entry("beams", [&](const FileText& name, const toml::node& node) { read_beam(name, node); });
    root.each_table("joint", [&](TableReader& r) { read_joint(r); });
    root.each_table("spring", [&](TableReader& r) { read_spring(r); });
    root.each_table("damper", [&](TableReader& r) {
      FileDamper damper{read_link(r, "damper", file_.dampers.size()), r.needed_value("damping")};
      damper.rotational = kind(r, spring_kinds).value_or(false);
      file_.dampers.push_back(std::move(damper));
    });
    root.each_table("bushing", [&](TableReader& r) { read_bushing(r); });
    root.each_table("torque", [&](TableReader& r) {
      FileLoadOnBody torque{read_names(r, "torque", file_.torques.size()), {r.needed_value("value"), {}}};
      torque.from = read_place(r, "from");
      torque.to = needed_place(r, "on");
      file_.torques.push_back(std::move(torque));
    });
    root.each_table("driver", [&](TableReader& r) {
      FileLink link = read_names(r, "driver", file_.drivers.size());
      file_.drivers.push_back({std::move(link), r.needed_value("of"), r.needed_value("value")});
    });
    root.section("gravity", [&](TableReader& r) {
      const toml::node& acceleration = r.needed_node("acceleration");
      file_.gravity = FileGravity{plane_of(acceleration, "acceleration", "'acceleration'"), r.name("group")};
    });
    return std::move(file_);
  }

  FileLoadOnBody read_force(TableReader& r, std::size_t number) const {
    FileLoadOnBody force{read_names(r, "force", number), plane_of(r.needed_node("value"), "value", "'value'")};
    force.to = needed_place(r, "at");
    return force;
  }

 private:
  FileValues list_of(std::size_t count, const toml::node& node, std::string_view key, std::string_view message) const {
    const toml::array* list = node.as_array();
    if (!list || list->size() != count) throw source_.error(offset_of(source_, node), message);
    return read_values(source_, node, key);
  }
  FileValues plane_of(const toml::node& node, std::string_view key, std::string_view what) const {
    return list_of(2, node, key, fmt::format("{} must be a list of two values: [x, y]", what));
  }
  static FileValue positive(FileValue value, std::string_view what) {
    if (value.number && !(*value.number > 0)) throw value.error(std::string(what) + " must be positive");
    return value;
  }
  std::optional<FileValues> plane(TableReader& r, const char* key) const {
    const toml::node* node = r.find(key);
    return node ? std::optional(plane_of(*node, key, fmt::format("'{}'", key))) : std::nullopt;
  }

  template <class Kinds>
  std::optional<typename Kinds::value_type::second_type> kind(TableReader& r, const Kinds& kinds) const {
    const auto word = r.text("kind");
    if (!word) return std::nullopt;
    std::vector<std::string> known;
    for (const auto& [name, meaning] : kinds) {
      if (word->text == name) return meaning;
      known.emplace_back(name);
    }
    throw source_.error(word->offset,
                        fmt::format("'{}' is not a known kind{}", word->text, suggest(word->text, known)));
  }

  TableReader table_of(const FileText& name, const toml::node& node, const char* what, const char* example) const {
    if (!node.is_table())
      throw source_.error(offset_of(source_, node),
                          fmt::format("a {} is written as a table: {} = {}", what, name.text, example));
    return {source_, *node.as_table(), fmt::format("{} '{}'", what, name.text), name.offset};
  }

  void read_body(const FileText& name, const toml::node& node) {
    TableReader r = table_of(name, node, "body", "{ mass = 1, inertia = 0.1, start = [0, 0] }");
    if (const auto kind = r.text("kind")) return read_reduced(name, *kind, r);
    FileBody body{name,          r.needed_value("mass"),  r.needed_value("inertia"),
                  read_start(r), r.optional_unit("unit"), r.name("over"),
                  read_points(r)};
    r.finish();
    file_.bodies.push_back(std::move(body));
  }

  void read_reduced(const FileText& name, const FileText& kind, TableReader& r) {
    if (kind.text != "reduced")
      throw source_.error(kind.offset,
                          fmt::format("'{}' is not a known kind of body; a body is rigid if its kind is not given, or "
                                      "\"reduced\", which reads a file that 'trill reduce' wrote",
                                      kind.text));
    FileReduced body{name,
                     r.needed_text("file"),
                     {},
                     read_start(r),
                     r.optional_unit("unit"),
                     r.name("group"),
                     r.flag("stiffening", true)};
    r.finish();
    if (!body.start.point.text.empty())
      throw source_.error(body.start.point.offset,
                          "the start of a reduced body is that of its first point: start = [x, y]");
    body.body =
        read_reduced_body(body.file.text, folder_.read(body.file.text, source_, body.file.offset, most_body_bytes));
    file_.reduced.push_back(std::move(body));
  }

  void read_beam(const FileText& name, const toml::node& node) {
    TableReader r = table_of(name, node, "beam", "{ length = 1, mass = 1, stiffness = 100, elements = 4 }");
    FileBeam beam{name,
                  r.needed_value("length"),
                  r.needed_value("mass"),
                  r.needed_value("stiffness"),
                  r.needed_value("elements"),
                  read_start(r),
                  r.optional_unit("unit"),
                  r.name("group"),
                  r.flag("shortening", true)};
    r.finish();
    file_.beams.push_back(std::move(beam));
  }

  // start = [x, y] places the origin of the frame, start = { pin = [x, y] } places a named point.
  FileStart read_start(TableReader& r) const {
    FileStart start;
    const toml::node* node = r.find("start");
    if (node && node->is_table()) {
      const std::vector<TableEntry> points = entries_in_order(source_, *node->as_table());
      if (points.size() != 1)
        throw source_.error(offset_of(source_, *node),
                            "'start' must place exactly one point of the body, as in start = { pin = [0, 0] }");
      start.point = points[0].key;
      start.position =
          plane_of(*points[0].node, points[0].key.text, fmt::format("the start of '{}'", points[0].key.text));
    } else {
      start.position = plane(r, "start");
    }
    start.velocity = plane(r, "velocity");
    start.angle = r.value("angle");
    start.angular_velocity = r.value("angular_velocity");
    return start;
  }

  std::vector<FileBodyPoint> read_points(TableReader& r) const {
    std::vector<FileBodyPoint> points;
    const toml::node* node = r.find("points");
    if (!node) return points;
    if (!node->is_table())
      throw source_.error(offset_of(source_, *node), "'points' must be a table: points = { pin = [0.5, 0] }");
    for (const TableEntry& entry : entries_in_order(source_, *node->as_table())) {
      if (!is_identifier(entry.key.text))
        throw source_.error(
            entry.key.offset,
            fmt::format("'{}' is not a valid name; a name consists of letters, digits and _", entry.key.text));
      points.push_back(
          {entry.key, plane_of(*entry.node, entry.key.text, fmt::format("the point '{}'", entry.key.text))});
    }
    return points;
  }

  FileLink read_names(TableReader& r, const char* what, std::size_t number) const {
    FileLink link;
    link.offset = r.offset();
    const auto name = r.name("name");
    if (name) check_own_name(source_, *name);
    link.name = name ? *name : FileText{fmt::format("{}_{}", what, number + 1), r.offset()};
    link.label = name ? fmt::format("{} '{}'", what, name->text) : fmt::format("{} {}", what, number + 1);
    link.over = r.name("over");
    link.from.offset = link.to.offset = r.offset();
    link.group =
        std::string_view(what) == "joint" || std::string_view(what) == "driver" ? std::nullopt : r.name("group");
    return link;
  }

  FileLink read_link(TableReader& r, const char* what, std::size_t number) const {
    FileLink link = read_names(r, what, number);
    link.from = read_place(r, "from");
    link.to = needed_place(r, "to");
    return link;
  }

  void read_joint(TableReader& r) {
    FileJoint joint{read_link(r, "joint", file_.joints.size())};
    r.needed_text("kind");
    joint.kind = *kind(r, joint_kinds);
    const bool turns = joint.kind == JointKind::revolute || joint.kind == JointKind::distance ||
                       joint.kind == JointKind::point_on_line;
    if (!turns) joint.angle = r.value("angle");
    if (joint.kind == JointKind::distance) joint.length = positive(r.needed_value("length"), "a distance");
    if (joint.kind == JointKind::prismatic || joint.kind == JointKind::point_on_line) joint.axis = plane(r, "axis");
    if (joint.axis && joint.axis->part(0).number == 0.0 && joint.axis->part(1).number == 0.0)
      throw joint.axis->error("[0, 0] is not a direction; the axis of a joint needs one, such as [1, 0]");
    file_.joints.push_back(std::move(joint));
  }

  void read_spring(TableReader& r) {
    FileSpring spring{read_link(r, "spring", file_.springs.size()), r.needed_value("stiffness")};
    spring.rotational = kind(r, spring_kinds).value_or(false);
    spring.rest = r.value(spring.rotational ? "angle" : "length");
    spring.stiff = r.flag("stiff");
    file_.springs.push_back(std::move(spring));
  }

  void read_bushing(TableReader& r) {
    const auto three = [&](const char* key) {
      return list_of(3, r.needed_node(key), key,
                     "a bushing needs a list of three values here: along, across and turning");
    };
    FileBushing bushing{read_link(r, "bushing", file_.bushings.size()), three("stiffness")};
    if (r.find("damping")) bushing.damping = three("damping");
    bushing.angle = r.value("angle");
    bushing.stiff = three_flags(r, "stiff");
    file_.bushings.push_back(std::move(bushing));
  }

  std::optional<std::array<bool, 3>> three_flags(TableReader& r, const char* key) const {
    const toml::node* node = r.find(key);
    if (!node) return std::nullopt;
    std::array<bool, 3> flags{};
    const toml::array* list = node->as_array();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto* flag = list && list->size() == 3 ? (*list)[k].as_boolean() : nullptr;
      if (!flag)
        throw source_.error(offset_of(source_, *node),
                            fmt::format("'{}' is a list of 3 times true or false: along, across, turning", key));
      flags[k] = flag->get();
    }
    return flags;
  }

  FilePlace needed_place(TableReader& r, const char* key) const {
    r.needed_node(key);
    return read_place(r, key);
  }

  // Accepts "crank", "crank.pin", "bar[i].end", [x, y] on the ground, { body = "crank", point = [x, y] }.
  FilePlace read_place(TableReader& r, const char* key) const {
    FilePlace place;
    place.offset = r.offset();
    const toml::node* node = r.find(key);
    if (!node) return place;
    place.offset = offset_of(source_, *node);
    if (node->is_string()) {
      read_words(read_value(source_, *node, key).piece, place);
    } else if (const toml::table* table = node->as_table()) {
      TableReader reader(source_, *table, fmt::format("'{}'", key), place.offset);
      if (reader.find("body")) read_words(reader.needed_value("body").piece, place);
      if (!place.point.text.empty())
        throw source_.error(place.point.offset, "'body' is the name of a body only; give the point of it by 'point'");
      place.at = plane(reader, "point");
      reader.finish();
    } else if (node->is_array()) {
      place.at = plane(r, key);
    } else {
      throw source_.error(place.offset,
                          fmt::format("'{}' must be a place: \"body\", \"body.point\", [x, y] on the ground or "
                                      "{{ body = \"...\", point = [x, y] }}",
                                      key));
    }
    return place;
  }

  void read_words(const SourcePiece& piece, FilePlace& place) const {
    const std::string_view text = piece.text;
    const auto offset = [&](std::size_t at) { return piece.verbatim ? piece.begin + at : piece.begin; };
    const std::size_t end = std::min(text.find_first_of("[."), text.size());
    place.body = {std::string(text.substr(0, end)), offset(0)};
    std::size_t after = end;
    if (end < text.size() && text[end] == '[') {
      const std::size_t close = text.rfind(']');
      if (close == std::string_view::npos || close < end) throw piece.error(end, "the closing ']' is missing");
      place.index =
          FileValue{{piece.source, offset(end + 1), std::string(text.substr(end + 1, close - end - 1)), piece.verbatim},
                    std::nullopt};
      after = close + 1;
    }
    if (after < text.size() && text[after] == '.')
      place.point = {std::string(text.substr(after + 1)), offset(after + 1)};
    const bool ends = after == text.size() || is_identifier(place.point.text);
    if (!is_identifier(place.body.text) || !ends)
      throw piece.error(
          0, fmt::format("'{}' is not a place; write \"crank\", \"crank.pin\" or \"bar[i].end\"", piece.text));
    if (place.body.text == "ground") {
      if (place.index || !place.point.text.empty())
        throw piece.error(0, "the ground has no elements and no named points; write [x, y] for a point on it");
      place.body.text.clear();
    }
  }

  const SourceText& source_;
  const ModelFolder& folder_;
  BodyFile file_;
};
}  // namespace

BodyFile read_body_file(const SourceText& source, TableReader& root, const ModelFolder& folder) {
  return BodyReader(source, folder).read(root);
}

FileLoadOnBody read_force_at(const SourceText& source, TableReader& reader, std::size_t number) {
  return BodyReader(source, {}).read_force(reader, number);
}
}  // namespace trill
