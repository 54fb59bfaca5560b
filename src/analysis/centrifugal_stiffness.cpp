// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/body_reduction.hpp"
#include "linalg/component_modes.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "trill/base/errors.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace trill {
namespace {
// A bar pulls its two nodes along the line between them.
struct Bar {
  Index i, j;
  Eigen::Vector2d along;  // of unit length
  double length, stiffness;
};

std::vector<Bar> bars_of(const PlanarBody& body) {
  std::vector<Bar> bars;
  const Index per = body.per_node;
  // The blocks of K between two nodes, as far as they concern displacements.
  std::map<std::pair<Index, Index>, Eigen::Matrix2d> blocks;
  for (Index c = 0; c < body.stiffness.outerSize(); ++c)
    for (SpMat::InnerIterator it(body.stiffness, c); it; ++it) {
      const Index i = it.row() / per, j = c / per, a = it.row() % per, b = c % per;
      if (i >= j || a > 1 || b > 1) continue;
      blocks.try_emplace({i, j}, Eigen::Matrix2d::Zero()).first->second(a, b) = it.value();
    }
  double most = 0;
  for (const auto& [nodes, block] : blocks) {
    const auto [i, j] = nodes;
    const Eigen::Vector2d d(body.x[j] - body.x[i], body.y[j] - body.y[i]);
    const double length = d.norm();
    if (!(length > 0)) continue;
    bars.push_back({i, j, d / length, length, -d.dot(block * d) / (length * length)});
    most = std::max(most, bars.back().stiffness);
  }
  // Some couplings of higher elements push; a little stiffness keeps all nodes connected.
  for (Bar& bar : bars) bar.stiffness = std::max(bar.stiffness, 1e-3 * most);
  return bars;
}

SpMat network(const std::vector<Bar>& bars, Index nodes) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const Bar& bar : bars) {
    const Eigen::Matrix2d block = bar.stiffness * bar.along * bar.along.transpose();
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b)
        for (const auto& [p, q, sign] : {std::tuple(bar.i, bar.i, 1), std::tuple(bar.j, bar.j, 1),
                                         std::tuple(bar.i, bar.j, -1), std::tuple(bar.j, bar.i, -1)})
          entries.emplace_back(static_cast<int>(2 * p) + a, static_cast<int>(2 * q) + b, sign * block(a, b));
  }
  SpMat matrix(2 * nodes, 2 * nodes);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Vec centrifugal_forces(const PlanarBody& body, double x0, double y0) {
  Vec positions = Vec::Zero(body.mass.rows());
  for (Index i = 0; i < body.nodes(); ++i) {
    positions[i * body.per_node] = body.x[i] - x0;
    positions[i * body.per_node + 1] = body.y[i] - y0;
  }
  return body.mass * positions;
}

std::vector<Index> unknowns_of(const std::vector<Index>& nodes, Index per_node) {
  std::vector<Index> list;
  for (const Index node : nodes)
    for (Index d = 0; d < per_node; ++d) list.push_back(node * per_node + d);
  return list;
}
}  // namespace

Vec centrifugal_displacement(const PlanarBody& body, const std::vector<Index>& held) {
  const std::vector<Index> free = all_but(body.stiffness.rows(), unknowns_of(held, body.per_node));
  const SparseCholesky factors(picked(body.stiffness, free, free));
  Vec u = Vec::Zero(body.stiffness.rows());
  u(free) = factors.solve(Vec(centrifugal_forces(body, 0, 0)(free)));
  return u;
}

SpMat centrifugal_stiffness(const PlanarBody& body, const std::vector<Index>& held, double x0, double y0) {
  const std::vector<Bar> bars = bars_of(body);
  const Vec all_forces = centrifugal_forces(body, x0, y0);
  Vec forces(2 * body.nodes());
  for (Index i = 0; i < body.nodes(); ++i) forces.segment<2>(2 * i) = all_forces.segment<2>(i * body.per_node);
  const std::vector<Index> free = all_but(2 * body.nodes(), unknowns_of(held, 2));
  SpMat matrix = picked(network(bars, body.nodes()), free, free);
  // Nodes in a straight line have no stiffness across it, and no forces either.
  const double most = matrix.diagonal().size() > 0 ? Vec(matrix.diagonal()).maxCoeff() : 0;
  SpMat floor(matrix.rows(), matrix.cols());
  floor.setIdentity();
  matrix += 1e-11 * most * floor;
  const SparseCholesky factors(matrix);
  Vec u = Vec::Zero(2 * body.nodes());
  const Vec wanted = forces(free);
  if (factors.succeeded()) u(free) = factors.solve(wanted);
  const double missing = (1e-11 * most * Vec(u(free))).norm();
  if (!factors.succeeded() || !(missing <= 1e-3 * wanted.norm()))
    throw UsageError(fmt::format(
        "the stress of the spinning body does not follow from K: lines between neighbouring nodes cannot carry {:.2g} "
        "of the centrifugal forces; give the geometric stiffness at unit spin as a matrix: geometric = \"KG.mtx\"",
        missing / wanted.norm()));
  std::vector<Eigen::Triplet<double>> entries;
  for (const Bar& bar : bars) {
    const double tension =
        bar.stiffness * bar.along.dot(Eigen::Vector2d(u.segment<2>(2 * bar.j) - u.segment<2>(2 * bar.i)));
    for (Index a = 0; a < 2; ++a) {
      const int p = static_cast<int>(bar.i * body.per_node + a), q = static_cast<int>(bar.j * body.per_node + a);
      const double g = tension / bar.length;
      entries.insert(entries.end(), {{p, p, g}, {q, q, g}, {p, q, -g}, {q, p, -g}});
    }
  }
  SpMat geometric(body.mass.rows(), body.mass.cols());
  geometric.setFromTriplets(entries.begin(), entries.end());
  return geometric;
}
}  // namespace trill
