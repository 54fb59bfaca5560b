// SPDX-License-Identifier: BSD-3-Clause
#include "model/molecule/pair_list.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr int cells_each_way = 2;  // cells are half as wide as the pairs reach
constexpr int most_cells = 128;    // along an axis of free space
std::size_t place(int i) { return static_cast<std::size_t>(i); }
}  // namespace

PairList::PairList(const Box& box, int atoms, double radius, double skin)
    : box_(box), atoms_(atoms), skin_(skin), reach_(radius + skin), left_out_(place(atoms)), first_(place(atoms) + 1) {}

bool PairList::update(const double* q) {
  if (built_at_.empty() || moved_too_far(q)) {
    if (!std::all_of(q, q + 3 * place(atoms_), [](double x) { return std::isfinite(x); })) return false;
    build(q);
  }
  return true;
}

// Written so that a position that is not finite counts as moved.
bool PairList::moved_too_far(const double* q) const {
  const double most = 0.25 * skin_ * skin_;
  for (std::size_t i = 0; i < 3 * place(atoms_); i += 3) {
    const double dx = q[i] - built_at_[i], dy = q[i + 1] - built_at_[i + 1], dz = q[i + 2] - built_at_[i + 2];
    if (!(dx * dx + dy * dy + dz * dz <= most)) return true;
  }
  return false;
}

void PairList::build(const double* q) {
  ++builds_;
  built_at_.assign(q, q + 3 * place(atoms_));
  sort_into_cells(q);
  partners_.clear();
  for (int i = 0; i < atoms_; ++i) {
    row_.clear();
    find_partners(i, q);
    std::sort(row_.begin(), row_.end());
    const std::vector<int>& without = left_out_[place(i)];
    std::set_difference(row_.begin(), row_.end(), without.begin(), without.end(), std::back_inserter(partners_));
    first_[place(i) + 1] = static_cast<int>(partners_.size());
  }
}

// An axis of a box that is too short for five cells has one, since an atom would meet images of others twice.
void PairList::sort_into_cells(const double* q) {
  const double wide = reach_ / cells_each_way;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = place(axis);
    double extent = box_.length[k];
    low_[k] = box_.origin[k];
    if (!box_.periodic()) {
      double high = -HUGE_VAL;
      low_[k] = HUGE_VAL;
      for (std::size_t i = k; i < 3 * place(atoms_); i += 3) {
        low_[k] = std::min(low_[k], q[i]);
        high = std::max(high, q[i]);
      }
      extent = high - low_[k];
    }
    cells_[k] = static_cast<int>(std::clamp(extent / wide, 1.0, double{most_cells}));
    if (box_.periodic() && cells_[k] <= 2 * cells_each_way) cells_[k] = 1;
    cell_[k] = extent > 0 ? extent / cells_[k] : 1;
  }
  cell_first_.assign(place(cells_[0]) * place(cells_[1]) * place(cells_[2]) + 1, 0);
  cell_of_atom_.resize(place(atoms_));
  in_cell_.resize(place(atoms_));
  for (int i = 0; i < atoms_; ++i) {
    const double* x = q + 3 * i;
    const int cell = (cell_of(0, x[0]) * cells_[1] + cell_of(1, x[1])) * cells_[2] + cell_of(2, x[2]);
    cell_of_atom_[place(i)] = cell;
    ++cell_first_[place(cell) + 1];
  }
  for (std::size_t c = 1; c < cell_first_.size(); ++c) cell_first_[c] += cell_first_[c - 1];
  std::vector<int> next(cell_first_.begin(), cell_first_.end() - 1);
  for (int i = 0; i < atoms_; ++i) in_cell_[place(next[place(cell_of_atom_[place(i)])]++)] = i;
}

int PairList::cell_of(int axis, double x) const {
  const auto k = place(axis);
  double inside = x - low_[k];
  if (box_.periodic()) inside -= box_.length[k] * std::floor(inside * box_.inverse[k]);
  return static_cast<int>(std::clamp(inside / cell_[k], 0.0, cells_[k] - 1.0));
}

void PairList::find_partners(int i, const double* q) {
  const int cell = cell_of_atom_[place(i)];
  const std::array<int, 3> here{cell / (cells_[1] * cells_[2]), cell / cells_[2] % cells_[1], cell % cells_[2]};
  std::array<int, 3> from{}, to{};
  for (std::size_t k = 0; k < 3; ++k) {
    const int around = cells_[k] == 1 ? 0 : cells_each_way;
    from[k] = here[k] - around;
    to[k] = here[k] + around;
    if (box_.periodic()) continue;
    from[k] = std::max(from[k], 0);
    to[k] = std::min(to[k], cells_[k] - 1);
  }
  const auto wrapped = [&](std::size_t k, int c) { return (c + cells_[k]) % cells_[k]; };
  for (int a = from[0]; a <= to[0]; ++a)
    for (int b = from[1]; b <= to[1]; ++b)
      for (int c = from[2]; c <= to[2]; ++c) {
        const auto there = place((wrapped(0, a) * cells_[1] + wrapped(1, b)) * cells_[2] + wrapped(2, c));
        for (int k = cell_first_[there]; k < cell_first_[there + 1]; ++k)
          if (const int j = in_cell_[place(k)]; j > i) try_partner(i, j, q);
      }
}

void PairList::try_partner(int i, int j, const double* q) {
  const double *a = q + 3 * i, *b = q + 3 * j;
  const double dx = box_.nearest(0, a[0] - b[0]), dy = box_.nearest(1, a[1] - b[1]), dz = box_.nearest(2, a[2] - b[2]);
  if (dx * dx + dy * dy + dz * dz < reach_ * reach_) row_.push_back(j);
}
}  // namespace trill
