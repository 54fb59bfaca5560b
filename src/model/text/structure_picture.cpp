// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/structure_picture.hpp"

#include "model/file/csv_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
// A structure in space is seen from a little above: what lies behind appears higher and further to the right.
constexpr double right_per_depth = 0.5, up_per_depth = 0.3;

class MeshReader {
 public:
  MeshReader(const SourceText& source, const ModelFolder& folder, Index unknowns)
      : source_(source), folder_(folder), unknowns_(unknowns) {}

  void read_nodes(const FileText& name, StructureMesh& mesh) const {
    const CsvTable table = read(name);
    static constexpr std::array<const char*, 6> known{"x", "y", "z", "ux", "uy", "uz"};
    mesh.nodes.resize(table.rows());
    bool moves = false;
    for (std::size_t c = 0; c < table.names.size(); ++c) {
      const auto found = std::find(known.begin(), known.end(), table.names[c]);
      if (found == known.end())
        throw source_.error(name.offset,
                            fmt::format("{} has a column '{}'; nodes have x, y and z, which are places, and "
                                        "ux, uy and uz, which are the numbers of their unknowns",
                                        name.text, table.names[c]));
      const auto what = static_cast<std::size_t>(found - known.begin());
      moves = moves || what >= 3;
      for (std::size_t r = 0; r < table.rows(); ++r)
        if (what < 3)
          mesh.nodes[r].at[what] = table.columns[c][r];
        else
          mesh.nodes[r].unknown[what - 3] =
              whole(table, r, c, 0, unknowns_, "the number of an unknown, or 0 where a node is held,") - 1;
    }
    if (!moves)
      throw source_.error(name.offset,
                          fmt::format("{} has none of the columns ux, uy and uz, which say by the numbers of "
                                      "unknowns how nodes move",
                                      name.text));
  }

  void read_lines(const FileText& name, StructureMesh& mesh) const {
    const CsvTable table = read(name);
    if (table.names.size() != 2)
      throw source_.error(name.offset, fmt::format("lines are two columns with the numbers of nodes, and {} has {}",
                                                   name.text, table.names.size()));
    const auto last = static_cast<Index>(mesh.nodes.size());
    for (std::size_t r = 0; r < table.rows(); ++r)
      mesh.lines.push_back({whole(table, r, 0, 1, last, "the number of a node") - 1,
                            whole(table, r, 1, 1, last, "the number of a node") - 1});
  }

 private:
  CsvTable read(const FileText& name) const {
    return read_csv(name.text, folder_.read(name.text, source_, name.offset, most_csv_bytes));
  }
  static Index whole(const CsvTable& table, std::size_t row, std::size_t column, Index least, Index most,
                     const char* what) {
    const double value = table.columns[column][row];
    if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) || value != std::floor(value))
      throw table.error(
          row, column,
          fmt::format("{:.9g} is no whole number from {} to {}; {} was expected", value, least, most, what));
    return static_cast<Index>(value);
  }

  const SourceText& source_;
  const ModelFolder& folder_;
  Index unknowns_;
};

bool is_in_space(const StructureMesh& mesh) {
  return std::any_of(mesh.nodes.begin(), mesh.nodes.end(),
                     [](const MeshNode& node) { return node.at[2] != 0 || node.unknown[2] >= 0; });
}
}  // namespace

std::optional<StructureMesh> read_structure_mesh(const FileStructure& file, const SourceText& source,
                                                 const ModelFolder& folder, Index unknowns) {
  if (!file.nodes) return std::nullopt;
  StructureMesh mesh;
  const MeshReader reader(source, folder, unknowns);
  reader.read_nodes(*file.nodes, mesh);
  if (file.lines) reader.read_lines(*file.lines, mesh);
  return mesh;
}

StructurePicture::StructurePicture(const StructureMesh& mesh) {
  const bool oblique = is_in_space(mesh);
  const bool has_lines = !mesh.lines.empty();
  const Index points = has_lines ? 2 : 1;
  const auto elements = static_cast<Index>(has_lines ? mesh.lines.size() : mesh.nodes.size());
  if (!add_shape(has_lines ? PictureKind::line : PictureKind::point, points, elements, "", false)) return;
  still_ = Vec::Zero(2 * points * elements);
  if (!has_lines)
    for (const MeshNode& node : mesh.nodes) add(node, oblique);
  for (const auto& line : mesh.lines)
    for (const Index end : line) add(mesh.nodes[static_cast<std::size_t>(end)], oblique);
}

void StructurePicture::add(const MeshNode& node, bool oblique) {
  // What x, y and z add to the two numbers of a point.
  const double view[3][2] = {
      {1, 0}, {oblique ? right_per_depth : 0, oblique ? up_per_depth : 1}, {0, oblique ? 1.0 : 0}};
  for (std::size_t d = 0; d < 3; ++d) {
    last_ = std::max(last_, node.unknown[d]);
    for (Index k = 0; k < 2; ++k) {
      still_[filled_ + k] += view[d][k] * node.at[d];
      if (node.unknown[d] >= 0 && view[d][k] != 0) shares_.push_back({filled_ + k, node.unknown[d], view[d][k]});
    }
  }
  filled_ += 2;
}

void StructurePicture::evaluate(double /*t*/, const double* q, const double* /*v*/, double* numbers) {
  std::copy(still_.begin(), still_.end(), numbers);
  for (const Share& share : shares_) numbers[share.number] += share.factor * q[share.unknown];
}
}  // namespace trill
