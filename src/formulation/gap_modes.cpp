// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/gap_modes.hpp"

#include <algorithm>
#include <array>

namespace trill {
GapModes::GapModes(const ConstraintManifold& manifold, const Vec& stiffness)
    : stiffness_(stiffness),
      root_(stiffness.cwiseSqrt()),
      block_of_row_(manifold.schur().blocks()),
      block_of_coordinate_(static_cast<std::size_t>(manifold.unknowns()), -1),
      frequencies_(stiffness.size()) {
  const Index m = stiffness_.size();
  block_.resize(static_cast<std::size_t>(1 + *std::max_element(block_of_row_.begin(), block_of_row_.end())));
  for (Index row = 0; row < manifold.rows(); ++row) {
    Block& block = block_[static_cast<std::size_t>(block_of_row(row))];
    block.rows.push_back(row);
    if (row < m) ++block.stiff;
  }
  Index modes = 0;
  for (Block& block : block_) {
    block.first = modes;
    modes += block.stiff;
    layers_ = std::max(layers_, block.stiff);
    const Index hard = static_cast<Index>(block.rows.size()) - block.stiff;
    block.coupled = Mat::Zero(block.stiff, block.stiff);
    block.full = Mat::Zero(hard, block.stiff);
    block.hard = Mat::Zero(hard, hard);
    if (hard > 0) block.factor = Cholesky(hard);
    if (block.stiff > 2) block.solver = SymmetricEigen(block.stiff);
  }
  const MatrixSlot& G = manifold.jacobian();
  for (Index i = 0; i < manifold.unknowns(); ++i) {
    if (block_.size() == 1)
      block_of_coordinate_[static_cast<std::size_t>(i)] = 0;
    else if (SpMat::InnerIterator it(G.as_sparse(), i); it)
      block_of_coordinate_[static_cast<std::size_t>(i)] = block_of_row(it.row());
  }
  y_ = Mat::Zero(manifold.rows(), layers_);
  b_ = Mat::Zero(manifold.unknowns(), layers_);
}

bool GapModes::find(SchurComplement& S) {
  for (Block& block : block_)
    if (!find(block, S)) return false;
  for (Index layer = 0; layer < layers_; ++layer) S.lift(y_.col(layer), b_.col(layer));
  return true;
}

// The block of S with hard rows eliminated; `full` then holds S_hh^-1 S_hs.
void GapModes::fill(Block& block, const SchurComplement& S) const {
  const Index stiff = block.stiff, hard = static_cast<Index>(block.rows.size()) - stiff;
  const auto row = [&](Index i) { return block.rows[static_cast<std::size_t>(i)]; };
  for (Index k = 0; k < stiff; ++k)
    for (Index i = 0; i < stiff; ++i) block.coupled(i, k) = S.entry(row(i), row(k));
  if (hard == 0) return;
  for (Index k = 0; k < hard; ++k) {
    for (Index i = 0; i < hard; ++i) block.hard(i, k) = S.entry(row(stiff + i), row(stiff + k));
    for (Index i = 0; i < stiff; ++i) block.full(k, i) = S.entry(row(stiff + k), row(i));
  }
  block.factor.compute(block.hard);
  block.factor.solve(block.full);
  for (Index k = 0; k < stiff; ++k)
    for (Index i = 0; i < stiff; ++i)
      for (Index j = 0; j < hard; ++j) block.coupled(i, k) -= S.entry(row(i), row(stiff + j)) * block.full(j, k);
}

bool GapModes::find(Block& block, const SchurComplement& S) {
  const Index stiff = block.stiff;
  if (stiff == 0) return true;
  if (block.rows.size() == 1) {
    const Index row = block.rows[0];
    const double square = stiffness_[row] * S.entry(row, row);
    frequencies_[block.first] = std::sqrt(square);
    y_(row, 0) = root_[row];
    return square > 0;
  }
  const auto root = [&](Index i) { return root_[block.rows[static_cast<std::size_t>(i)]]; };
  // The modes of [a b; b c].
  const auto find_two = [&](double a, double b, double c) {
    const double half = 0.5 * (a - c), r = std::sqrt(half * half + b * b), larger = 0.5 * (a + c) + r;
    double cosine = half >= 0 ? 1 : 0, sine = 1 - cosine;
    if (r > 0 && half >= 0) {
      cosine = std::sqrt(0.5 * (1 + half / r));
      sine = b / (2 * r * cosine);
    } else if (r > 0) {
      sine = std::sqrt(0.5 * (1 - half / r));
      cosine = b / (2 * r * sine);
    }
    const std::array<double, 2> slow{-sine, cosine}, fast{cosine, sine};
    store(block, 0, (a * c - b * b) / larger, slow.data());
    store(block, 1, larger, fast.data());
    return a * c - b * b > 0;
  };
  if (stiff == 2 && block.rows.size() == 2) {
    const Index i = block.rows[0], k = block.rows[1];
    return find_two(stiffness_[i] * S.entry(i, i), root(0) * root(1) * S.entry(k, i), stiffness_[k] * S.entry(k, k));
  }
  fill(block, S);
  if (stiff == 1) {
    const double one = 1;
    store(block, 0, root(0) * root(0) * block.coupled(0, 0), &one);
    return block.coupled(0, 0) > 0;
  }
  for (Index k = 0; k < stiff; ++k)
    for (Index i = 0; i < stiff; ++i) block.coupled(i, k) *= root(i) * root(k);
  if (stiff == 2) return find_two(block.coupled(0, 0), block.coupled(1, 0), block.coupled(1, 1));
  if (!block.solver.compute(block.coupled) || !(block.solver.values()[0] > 0)) return false;
  for (Index k = 0; k < stiff; ++k) store(block, k, block.solver.values()[k], block.solver.vectors().col(k).data());
  return true;
}

void GapModes::store(const Block& block, Index layer, double square, const double* w) {
  frequencies_[block.first + layer] = std::sqrt(square);
  const Index hard = static_cast<Index>(block.rows.size()) - block.stiff;
  double overlap = 0;
  for (Index i = 0; i < block.stiff; ++i) {
    const Index row = block.rows[static_cast<std::size_t>(i)];
    y_(row, layer) = root_[row] * w[i];
    if (kept_.size() > 0) overlap += kept_(row, layer) * w[i] / root_[row];
  }
  if (overlap < 0)
    for (Index i = 0; i < block.stiff; ++i) y_(block.rows[static_cast<std::size_t>(i)], layer) *= -1;
  for (Index j = 0; j < hard; ++j) {
    double sum = 0;
    for (Index i = 0; i < block.stiff; ++i)
      sum -= block.full(j, i) * y_(block.rows[static_cast<std::size_t>(i)], layer);
    y_(block.rows[static_cast<std::size_t>(block.stiff + j)], layer) = sum;
  }
}

void GapModes::weighted(Index layer, In weights, Out s) const {
  for (Index row = 0; row < y_.rows(); ++row) {
    const Index k = mode(block_of_row(row), layer);
    s[row] = k < 0 ? 0 : weights[k] * y_(row, layer);
  }
}

Index GapModes::block_of_mode(Index mode) const {
  Index block = 0;
  while (mode >= first(block) + size(block)) ++block;
  return block;
}

void GapModes::add_mode(Index mode, double factor, Out x) const {
  const Index block = block_of_mode(mode), layer = mode - first(block);
  for (Index i = 0; i < b_.rows(); ++i)
    if (block_of_coordinate(i) == block) x[i] += factor * b_(i, layer);
}

double GapModes::along(Index mode, In x) const {
  const Index block = block_of_mode(mode), layer = mode - first(block);
  double sum = 0;
  for (Index i = 0; i < b_.rows(); ++i)
    if (block_of_coordinate(i) == block) sum += b_(i, layer) * x[i];
  return sum;
}

void GapModes::find_reach(In J, Out reach) const {
  reach.setZero();
  for (Index i = 0; i < b_.rows(); ++i) {
    const Index block = block_of_coordinate(i);
    for (Index layer = 0; block >= 0 && layer < size(block); ++layer) {
      const Index k = first(block) + layer;
      reach[i] += std::abs(b_(i, layer)) / frequencies_[k] * std::sqrt(2 * std::max(J[k], 0.0) / frequencies_[k]);
    }
  }
}

void GapModes::add_oscillation(In J, In phases, Out q, Out v) const {
  for (Index i = 0; i < b_.rows(); ++i) {
    const Index block = block_of_coordinate(i);
    for (Index layer = 0; block >= 0 && layer < size(block); ++layer) {
      const Index k = first(block) + layer;
      const double u = b_(i, layer) / frequencies_[k], action = std::max(J[k], 0.0);
      q[i] += u * std::sqrt(2 * action / frequencies_[k]) * std::sin(phases[k]);
      v[i] += u * std::sqrt(2 * action * frequencies_[k]) * std::cos(phases[k]);
    }
  }
}

void GapModes::pick(Index layer, In c, Out values) const {
  for (Index block = 0; block < blocks(); ++block)
    if (const Index k = mode(block, layer); k >= 0) values[k] = 0;
  for (Index row = 0; row < count(); ++row)
    if (const Index k = mode(block_of_row(row), layer); k >= 0) values[k] += y_(row, layer) * c[row];
}

void GapModes::along(Index layer, In x, Out values) const {
  for (Index block = 0; block < blocks(); ++block)
    if (const Index k = mode(block, layer); k >= 0) values[k] = 0;
  for (Index i = 0; i < b_.rows(); ++i) {
    const Index block = block_of_coordinate(i);
    if (block < 0) continue;
    if (const Index k = mode(block, layer); k >= 0) values[k] += b_(i, layer) * x[i];
  }
}
}  // namespace trill
