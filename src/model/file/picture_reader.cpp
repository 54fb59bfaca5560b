// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "base/words.hpp"
#include "model/file/picture_file.hpp"
#include "model/file/table_reader.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::array<const char*, 8> picture_colours{"blue",   "orange", "green", "red",
                                                     "purple", "brown",  "pink",  "grey"};

class PictureReader {
 public:
  PictureReader(const SourceText& source, TableReader& reader) : source_(source), reader_(reader) {}

  std::vector<FilePictureItem> read() {
    read_items("points", PictureKind::point, "at", 1, 1);
    read_items("lines", PictureKind::line, "through", 2, 1000);
    read_items("springs", PictureKind::spring, "between", 2, 2);
    read_items("curves", PictureKind::curve, "through", 1, 1);
    return std::move(items_);
  }

 private:
  void read_items(const char* key, PictureKind kind, const char* points, std::size_t least, std::size_t most) {
    const toml::node* list = reader_.find(key);
    if (!list) return;
    if (!list->is_array())
      throw source_.error(offset_of(source_, *list), fmt::format("'{}' must be a list: {}", key, example(kind)));
    for (const toml::node& node : *list->as_array()) {
      FilePictureItem item;
      item.kind = kind;
      if (const toml::table* table = node.as_table())
        read_table(*table, node, key, points, item);
      else
        read_points(node, key, item);
      if (item.points.size() < least || item.points.size() > most)
        throw source_.error(offset_of(source_, node),
                            fmt::format("an entry of '{}' has {} point{}, but this one has {}: {}", key,
                                        least == most ? fmt::format("{}", least) : fmt::format("{} or more", least),
                                        most == 1 ? "" : "s", item.points.size(), example(kind)));
      if (kind == PictureKind::curve && item.over.empty())
        throw source_.error(
            offset_of(source_, node),
            fmt::format("a curve runs through the elements of a set, and 'over' must name it: {}", example(kind)));
      items_.push_back(std::move(item));
    }
  }

  void read_table(const toml::table& table, const toml::node& node, const char* key, const char* points,
                  FilePictureItem& item) {
    TableReader reader(source_, table, fmt::format("an entry of '{}'", key), offset_of(source_, node));
    read_points(reader.needed_node(points), key, item);
    if (const auto over = reader.name("over")) item.over = over->text;
    item.trail = reader.flag("trail");
    if (const auto colour = reader.text("colour")) {
      if (std::find(picture_colours.begin(), picture_colours.end(), colour->text) == picture_colours.end())
        throw source_.error(colour->offset, fmt::format("'{}' is not a colour that pictures have; these are {}",
                                                        colour->text, fmt::join(picture_colours, ", ")));
      item.colour = colour->text;
    }
    reader.finish();
  }

  void read_points(const toml::node& node, const char* key, FilePictureItem& item) const {
    if (const toml::array* list = node.as_array()) {
      for (const toml::node& point : *list) read_point(point, key, item);
      return;
    }
    read_point(node, key, item);
  }
  void read_point(const toml::node& node, const char* key, FilePictureItem& item) const {
    if (!node.is_string())
      throw source_.error(offset_of(source_, node),
                          fmt::format("'{}' names points by expressions in quotes: {}", key, example(item.kind)));
    item.points.push_back(read_value(source_, node, key).piece);
  }

  static const char* example(PictureKind kind) {
    switch (kind) {
      case PictureKind::line:
        return "lines = [[\"point(0, 0)\", \"point(x, y)\"]]";
      case PictureKind::spring:
        return "springs = [[\"point(0, 0)\", \"point(x, y)\"]]";
      case PictureKind::curve:
        return "curves = [{ through = \"point(mass, u[mass])\", over = \"mass\" }]";
      default:
        return "points = [\"point(x, y)\", { at = \"r[mass]\", over = \"mass\", colour = \"red\" }]";
    }
  }

  const SourceText& source_;
  TableReader& reader_;
  std::vector<FilePictureItem> items_;
};
}  // namespace

const char* to_text(PictureKind kind) {
  constexpr std::array<EnumWord<PictureKind>, 10> words{{{PictureKind::point, "point"},
                                                         {PictureKind::line, "line"},
                                                         {PictureKind::curve, "curve"},
                                                         {PictureKind::spring, "spring"},
                                                         {PictureKind::damper, "damper"},
                                                         {PictureKind::rod, "rod"},
                                                         {PictureKind::body, "body"},
                                                         {PictureKind::joint, "joint"},
                                                         {PictureKind::pin, "pin"},
                                                         {PictureKind::rail, "rail"}}};
  return word_for(kind, words);
}

std::vector<FilePictureItem> read_picture(const SourceText& source, TableReader& root) {
  std::vector<FilePictureItem> items;
  root.section("picture", [&](TableReader& reader) { items = PictureReader(source, reader).read(); });
  return items;
}
}  // namespace trill
