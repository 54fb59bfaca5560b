// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "model/bodies/planar_body.hpp"
#include "model/expression/parser.hpp"
#include "model/file/matrix_market.hpp"
#include "model/file/table_reader.hpp"

#include <cmath>
#include <fstream>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::size_t most_bytes_of_body_file = 10'000'000;

class PlanarBodyReader {
 public:
  PlanarBodyReader(const SourceText& source, const toml::table& root, const ModelFolder& folder)
      : source_(source), root_(source, root, "the file", 0), folder_(folder) {}

  PlanarBodyFile read() {
    root_.optional_text("title");
    root_.section("strip", [&](TableReader& r) { read_strip(r); });
    bool has_body = false;
    root_.section("body", [&](TableReader& r) {
      has_body = true;
      read_matrices(r);
    });
    if (has_body == file_.strip.has_value())
      throw source_.error("a body needs either a section [body] with its matrices or a section [strip]");
    const toml::table* points = root_.table("points");
    if (points && file_.strip)
      throw source_.error(offset_of(source_, *points), "a strip has its own points: left, right and tip");
    if (points)
      for (const TableEntry& entry : entries_in_order(source_, *points)) read_point(entry);
    root_.finish();
    if (has_body && file_.body.points.empty())
      throw source_.error("the section [points] is missing; it names nodes of the body, as in left = [1, 2, 3]");
    return std::move(file_);
  }

 private:
  double positive(TableReader& r, const char* key) const {
    const FileValue value = r.needed_value(key);
    if (!value.number || !(*value.number > 0) || !std::isfinite(*value.number))
      throw value.error(fmt::format("'{}' must be a positive number", key));
    return *value.number;
  }

  void read_strip(TableReader& r) {
    PlanarStrip strip;
    strip.length = positive(r, "length");
    strip.height = positive(r, "height");
    strip.modulus = positive(r, "modulus");
    strip.density = positive(r, "density");
    if (r.find("thickness")) strip.thickness = positive(r, "thickness");
    strip.poisson = r.number("poisson").value_or(0);
    if (!(strip.poisson > -1 && strip.poisson < 0.5))
      throw r.value("poisson")->error("'poisson' must be above -1 and below 0.5");
    const double elements = positive(r, "elements");
    if (elements != std::floor(elements) || elements > 10'000)
      throw r.value("elements")->error("'elements' must be a whole number up to 10000");
    strip.elements = static_cast<Index>(elements);
    file_.strip = strip;
  }

  SpMat matrix(const FileText& name, Index n) const {
    SpMat m = read_matrix_market(name.text, folder_.read(name.text, source_, name.offset, most_matrix_bytes));
    const SpMat transposed = m.transpose();
    if (m.rows() != m.cols() || m.rows() != n)
      throw source_.error(name.offset,
                          fmt::format("{} is {} x {}, but the body has {} unknowns", name.text, m.rows(), m.cols(), n));
    if (!((m - transposed).norm() <= 1e-8 * m.norm()))
      throw source_.error(name.offset, fmt::format("{} must be symmetric, and it is not", name.text));
    return SpMat(0.5 * (m + transposed));
  }

  void read_matrices(TableReader& r) {
    const FileText mass = r.needed_text("mass"), stiffness = r.needed_text("stiffness"), nodes = r.needed_text("nodes");
    const auto damping = r.text("damping"), geometric = r.text("geometric");
    PlanarBody& body = file_.body;
    if (const toml::node* unknowns = r.find("unknowns")) body.per_node = read_unknowns(*unknowns);
    read_nodes(nodes);
    const Index n = body.nodes() * body.per_node;
    body.mass = matrix(mass, n);
    body.stiffness = matrix(stiffness, n);
    body.damping = damping ? matrix(*damping, n) : SpMat(n, n);
    if (geometric) body.geometric = matrix(*geometric, n);
  }

  Index read_unknowns(const toml::node& node) const {
    std::vector<std::string> words;
    if (const toml::array* list = node.as_array())
      for (const toml::node& word : *list) words.push_back(word.value<std::string>().value_or(""));
    if (words == std::vector<std::string>{"x", "y"}) return 2;
    if (words == std::vector<std::string>{"x", "y", "angle"}) return 3;
    throw source_.error(offset_of(source_, node),
                        "'unknowns' of each node are [\"x\", \"y\"] or [\"x\", \"y\", \"angle\"]");
  }

  void read_nodes(const FileText& name) {
    const CsvTable table = read_csv(name.text, folder_.read(name.text, source_, name.offset, most_csv_bytes));
    const auto column = [&](const char* wanted) {
      for (std::size_t c = 0; c < table.names.size(); ++c)
        if (table.names[c] == wanted)
          return Eigen::Map<const Vec>(table.columns[c].data(), static_cast<Index>(table.rows()));
      throw source_.error(name.offset, fmt::format("the table {} of nodes has no column '{}'", name.text, wanted));
    };
    file_.body.x = column("x");
    file_.body.y = column("y");
  }

  void read_point(const TableEntry& entry) {
    PlanarBody::Point point{entry.key.text, {}};
    const toml::array* list = entry.node->as_array();
    if (!is_identifier(point.name) || !list || list->empty())
      throw source_.error(entry.key.offset,
                          "a point is a name and a list of nodes, which count from 1: left = [1, 2, 3]");
    for (const toml::node& node : *list) {
      const auto number = node.value_exact<std::int64_t>();
      if (!number || *number < 1 || *number > file_.body.nodes())
        throw source_.error(offset_of(source_, node), fmt::format("nodes of '{}' are whole numbers from 1 to {}",
                                                                  point.name, file_.body.nodes()));
      point.nodes.push_back(static_cast<Index>(*number) - 1);
    }
    file_.body.points.push_back(std::move(point));
  }

  const SourceText& source_;
  TableReader root_;
  const ModelFolder& folder_;
  PlanarBodyFile file_;
};
}  // namespace

PlanarBodyFile load_planar_body(const std::filesystem::path& path) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(path, failed);
  if (failed || !std::filesystem::is_regular_file(path))
    throw IoError(fmt::format("cannot read {}: {}", path.string(), failed ? failed.message() : "it is not a file"));
  if (size > most_bytes_of_body_file)
    throw IoError(fmt::format("{} has {} bytes; the file of a body may have at most {}", path.string(), size,
                              most_bytes_of_body_file));
  std::string text(size, '\0');
  std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(size));
  const SourceText source(path.string(), std::move(text));
  const ModelFolder folder(path.parent_path());
  PlanarBodyFile file;
  parse_toml(source, [&](const toml::table& root) { file = PlanarBodyReader(source, root, folder).read(); });
  return file;
}
}  // namespace trill
