// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/chosen_map.hpp"

#include "linalg/stored_entries.hpp"

namespace trill {
namespace {
MatrixSlot chosen_pattern(const MatrixSlot& all, const std::vector<Index>& rows) {
  const auto count = static_cast<Index>(rows.size());
  if (!all.is_sparse()) return MatrixSlot::dense(count, all.cols());
  std::vector<Index> place(static_cast<std::size_t>(all.rows()), -1);
  for (Index k = 0; k < count; ++k) place[static_cast<std::size_t>(rows[static_cast<std::size_t>(k)])] = k;
  std::vector<Eigen::Triplet<double>> entries;
  each_stored(all, [&](Index i, Index j, Index) {
    if (const Index k = place[static_cast<std::size_t>(i)]; k >= 0) entries.emplace_back(k, j, 1.0);
  });
  SpMat pattern(count, all.cols());
  pattern.setFromTriplets(entries.begin(), entries.end());
  return MatrixSlot::sparse(std::move(pattern));
}
}  // namespace

ChosenMap::ChosenMap(const ConstraintMap& all, std::vector<Index> rows)
    : all_(all),
      rows_(std::move(rows)),
      G_(all.pattern()),
      chosen_(chosen_pattern(G_, rows_)),
      g_(Vec::Zero(all.count())),
      s_(Vec::Zero(all.count())) {
  each_stored(chosen_, [&](Index k, Index j, Index) { places_.push_back(G_.entry(row(k), j) - G_.values()); });
}

void ChosenMap::choose(In values, Out chosen) const {
  for (Index k = 0; k < count(); ++k) chosen[k] = values[row(k)];
}

void ChosenMap::choose(MatrixSlot& G) const {
  for (std::size_t k = 0; k < places_.size(); ++k) G.values()[k] = G_.values()[places_[k]];
}

const Vec& ChosenMap::spread(In s) const {
  for (Index k = 0; k < count(); ++k) s_[row(k)] = s[k];
  return s_;
}

void ChosenMap::value(double t, In q, Out g) const {
  all_.value(t, q, g_);
  choose(g_, g);
}

void ChosenMap::jacobian(double t, In q, MatrixSlot& G) const {
  all_.jacobian(t, q, G_);
  choose(G);
}

void ChosenMap::time_derivative(double t, In q, Out gt) const {
  all_.time_derivative(t, q, g_);
  choose(g_, gt);
}

void ChosenMap::curvature(double t, In q, In v, Out eta) const {
  all_.curvature(t, q, v, g_);
  choose(g_, eta);
}

void ChosenMap::slope_and_curvature(double t, In q, In v, MatrixSlot& G, Out eta) const {
  all_.slope_and_curvature(t, q, v, G_, g_);
  choose(G);
  choose(g_, eta);
}

bool ChosenMap::velocity_derivative(double t, In q, In v, MatrixSlot& d) const {
  if (!all_.velocity_derivative(t, q, v, G_)) return false;
  choose(d);
  return true;
}

void ChosenMap::transpose_derivative(double t, In q, In s, MatrixSlot& d) const {
  all_.transpose_derivative(t, q, spread(s), d);
}

bool ChosenMap::reaction_along(double t, In q, In dq, In s, Out values) const {
  return all_.reaction_along(t, q, dq, spread(s), values);
}
}  // namespace trill
