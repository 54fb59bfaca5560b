// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/compiled_model.hpp"
#include "model/text/model_picture.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_trails = 8;  // with more of them a picture is a tangle

class PictureGuess {
 public:
  explicit PictureGuess(const CompiledModel& model) : model_(model), file_(model.file) {}

  std::vector<FilePictureItem> make() {
    for (const FileCoordinate& c : file_.coordinates) {
      if (c.point > 0)
        add(PictureKind::point, {entry(c)}, c.over, c.name.offset);
      else if (const FileCoordinate* partner = partner_of(c))
        add(PictureKind::point, {fmt::format("point({}, {})", entry(c), entry(*partner))}, c.over, c.name.offset);
      else if (c.over && !c.name.text.starts_with('y'))
        lattices_.push_back(&c);
    }
    Index points = 0;
    for (const FilePictureItem& item : items_) points += elements_of(item);
    if (!items_.empty()) add_bonds();
    for (FilePictureItem& item : items_)
      item.trail = item.kind == PictureKind::point && points <= most_trails && bonds_ == 0;
    if (items_.empty() && lattices_.size() == 1) add_lattice(*lattices_.front());
    return std::move(items_);
  }

 private:
  Index elements_of(const FilePictureItem& item) const {
    return item.over.empty() ? 1 : model_.space->set(FileText{item.over, 0})->size;
  }
  static std::string entry(const FileCoordinate& c) {
    return c.over ? fmt::format("{}[{}]", c.name.text, c.over->text) : c.name.text;
  }

  void add(PictureKind kind, std::vector<std::string> points, const std::optional<FileText>& over, std::size_t offset) {
    FilePictureItem item;
    item.kind = kind;
    for (std::string& point : points) item.points.push_back({&model_.source, offset, std::move(point), false, true});
    if (over) item.over = over->text;
    items_.push_back(std::move(item));
  }

  // y3 for x3, over the same set.
  const FileCoordinate* partner_of(const FileCoordinate& x) const {
    if (!x.name.text.starts_with('x')) return nullptr;
    for (const FileCoordinate& y : file_.coordinates)
      if (y.point == 0 && y.name.text == "y" + x.name.text.substr(1) && y.over.has_value() == x.over.has_value() &&
          (!x.over || x.over->text == y.over->text))
        return &y;
    return nullptr;
  }

  void add_lattice(const FileCoordinate& c) {
    add(PictureKind::curve, {fmt::format("point({}, {})", c.over->text, entry(c))}, c.over, c.name.offset);
  }

  // What a stiff term or a constraint says about distance(a, b) is drawn as a line from a to b; what other energies
  // say, only where there is no such bond.
  void add_bonds() {
    for (const FileDerived& d : file_.derived)
      if (is_in_a_gap(d.name.text)) add_bonds_in(d.value, d.over);
    for (const FileStiff& s : file_.stiff) add_bonds_in(s.gap, s.over);
    for (const FileConstraint& c : file_.constraints) add_bonds_in(c, c.over);
    if (bonds_ > 0) return;
    for (const FilePotential& p : file_.potentials) add_bonds_in(p.energy, p.over);
  }
  bool is_in_a_gap(const std::string& name) const {
    return std::any_of(file_.stiff.begin(), file_.stiff.end(),
                       [&](const FileStiff& s) { return s.gap.piece.text.find(name) != std::string::npos; });
  }
  void add_bonds_in(const FileValue& value, const std::optional<FileText>& over) {
    constexpr std::string_view call = "distance(";
    const std::string& text = value.piece.text;
    for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
      const std::vector<std::string> ends = arguments(text, at + call.size());
      if (ends.size() != 2) continue;
      add(PictureKind::line, ends, over, value.piece.begin);
      ++bonds_;
    }
  }
  static std::vector<std::string> arguments(const std::string& text, std::size_t at) {
    std::vector<std::string> found{""};
    for (int depth = 0; at < text.size(); ++at) {
      const char c = text[at];
      if (depth == 0 && c == ')') return found;
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (depth == 0 && c == ',')
        found.emplace_back();
      else
        found.back() += c;
    }
    return {};
  }

  const CompiledModel& model_;
  const ModelFile& file_;
  std::vector<FilePictureItem> items_;
  std::vector<const FileCoordinate*> lattices_;
  int bonds_ = 0;
};
}  // namespace

std::vector<FilePictureItem> guessed_picture(const CompiledModel& model) { return PictureGuess(model).make(); }
}  // namespace trill
