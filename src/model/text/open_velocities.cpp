// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/open_velocities.hpp"

#include "linalg/dense_decompositions.hpp"
#include "linalg/row_squares.hpp"
#include "model/text/start_check.hpp"
#include "model/text/text_map.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double rounding = 1e-9;  // relative to the largest velocity
constexpr double least_condition = 1e-12;
constexpr Index most_open = 1000;  // a dense matrix of this size is inverted
constexpr std::size_t most_named = 12;

std::vector<Index> open_entries(const CompiledModel& model) {
  std::vector<Index> open;
  for (const CoordinateArray& array : model.space->arrays())
    for (Index k = 0; array.file->open_velocity && k < array.size(); ++k) open.push_back(array.first + k);
  return open;
}

// The columns of G that belong to open entries, without rows that have none.
struct OpenPart {
  Mat slopes;
  Vec rates;
};
OpenPart open_part(const MatrixSlot& G, const Vec& rate, const std::vector<Index>& open) {
  const Index count = static_cast<Index>(open.size());
  Vec unit = Vec::Zero(G.cols()), column(G.rows());
  Mat all(G.rows(), count);
  for (Index k = 0; k < count; ++k) {
    unit[open[static_cast<std::size_t>(k)]] = 1;
    G.multiply(unit, column);
    all.col(k) = column;
    unit[open[static_cast<std::size_t>(k)]] = 0;
  }
  OpenPart part{Mat(G.rows(), count), Vec(G.rows())};
  Index kept = 0;
  for (Index row = 0; row < all.rows(); ++row) {
    if (all.row(row).squaredNorm() == 0) continue;
    part.slopes.row(kept) = all.row(row);
    part.rates[kept++] = rate[row];
  }
  part.slopes.conservativeResize(kept, count);
  part.rates.conservativeResize(kept);
  return part;
}

// The change of the open velocities, or nothing if the rows do not determine it where it is not zero.
std::optional<Vec> determined_change(const OpenPart& part) {
  const Index rows = part.slopes.rows(), open = part.slopes.cols();
  if (rows == 0 || rows > open) return std::nullopt;
  const Mat free = orthogonal_complement(part.slopes.transpose());
  if (rows + free.cols() != open) return std::nullopt;
  Mat whole(open, open);
  whole.topRows(rows) = part.slopes;
  whole.bottomRows(free.cols()) = free.transpose();
  const DenseInverse inverse = inverse_of(whole);
  if (!(inverse.reciprocal_condition > least_condition)) return std::nullopt;
  Vec change = -(inverse.matrix.leftCols(rows) * part.rates);
  const double size = max_abs(change);
  for (Index k = 0; k < open; ++k) {
    if (std::abs(change[k]) <= rounding * size)
      change[k] = 0;
    else if (free.row(k).norm() > rounding)
      return std::nullopt;
  }
  return change;
}

std::string remark_on(const CompiledModel& model, const std::vector<Index>& set) {
  std::vector<Quantity> names;
  model.space->add_components(ModelSpace::Kind::velocity, names);
  std::string text;
  for (std::size_t k = 0; k < std::min(set.size(), most_named); ++k)
    text += fmt::format("{}{} = {:.6g}", k == 0 ? "" : ", ", names[static_cast<std::size_t>(set[k])].name,
                        model.velocity[set[k]]);
  if (set.size() > most_named) text += fmt::format(" and {} others", set.size() - most_named);
  return fmt::format("Velocities at the start that the file leaves open follow from its constraints: {}.", text);
}
}  // namespace

void find_open_velocities(CompiledModel& model, double t) {
  const std::vector<Index> open = open_entries(model);
  if (open.empty() || static_cast<Index>(open.size()) > most_open) return;
  const ModelMode mode(*model.functions, model.space->parameter_values());
  const TextMap map(*model.functions, of_constraints, mode);
  if (map.count() == 0) return;
  Vec rate(map.count()), gt(map.count());
  MatrixSlot G = map.pattern();
  map.jacobian(t, model.start, G);
  map.time_derivative(t, model.start, gt);
  G.multiply(model.velocity, rate);
  rate += gt;
  const Vec relative = rate.cwiseQuotient(row_squares(G).cwiseSqrt());
  if (!relative.allFinite() || max_abs(relative) <= movable_start * (1 + max_abs(model.velocity))) return;
  const std::optional<Vec> change = determined_change(open_part(G, rate, open));
  if (!change) return;
  std::vector<Index> set;
  for (std::size_t k = 0; k < open.size(); ++k) {
    if ((*change)[static_cast<Index>(k)] == 0) continue;
    model.velocity[open[k]] += (*change)[static_cast<Index>(k)];
    set.push_back(open[k]);
  }
  if (!set.empty()) model.remarks.push_back(remark_on(model, set));
}
}  // namespace trill
