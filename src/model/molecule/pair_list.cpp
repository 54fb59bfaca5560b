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

void PairList::leave_out(const std::vector<std::vector<int>>& partners) {
  for (std::size_t i = 0; i < partners.size(); ++i)
    for (const int j : partners[i]) left_out_[place(j)].push_back(static_cast<int>(i));
}

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

// For each atom those below it are found, in the order of atoms, so that the rows come out sorted.
void PairList::build(const double* q) {
  ++builds_;
  built_at_.assign(q, q + 3 * place(atoms_));
  sort_into_cells(q);
  below_.clear();
  below_end_.resize(place(atoms_));
  for (int j = 0; j < atoms_; ++j) {
    const auto begin = static_cast<std::ptrdiff_t>(below_.size());
    find_below(j, q);
    if (const std::vector<int>& without = left_out_[place(j)]; !without.empty())
      below_.erase(std::remove_if(below_.begin() + begin, below_.end(),
                                  [&](int i) { return std::find(without.begin(), without.end(), i) != without.end(); }),
                   below_.end());
    below_end_[place(j)] = static_cast<int>(below_.size());
  }
  gather_rows();
}

void PairList::gather_rows() {
  first_.assign(place(atoms_) + 1, 0);
  for (const int i : below_) ++first_[place(i) + 1];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  partners_.resize(below_.size());
  next_.assign(first_.begin(), first_.end() - 1);
  int k = 0;
  for (int j = 0; j < atoms_; ++j)
    for (; k < below_end_[place(j)]; ++k) partners_[place(next_[place(below_[place(k)])]++)] = j;
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
  next_.assign(cell_first_.begin(), cell_first_.end() - 1);
  for (auto* values : {&x_, &y_, &z_, &square_}) values->resize(place(atoms_));
  for (int i = 0; i < atoms_; ++i) {
    const auto at = place(next_[place(cell_of_atom_[place(i)])]++);
    in_cell_[at] = i;
    x_[at] = q[3 * i];
    y_[at] = q[3 * i + 1];
    z_[at] = q[3 * i + 2];
  }
}

int PairList::cell_of(int axis, double x) const {
  const auto k = place(axis);
  double inside = x - low_[k];
  if (box_.periodic()) inside -= box_.length[k] * std::floor(inside * box_.inverse[k]);
  return static_cast<int>(std::clamp(inside / cell_[k], 0.0, cells_[k] - 1.0));
}

void PairList::find_below(int j, const double* q) {
  const int cell = cell_of_atom_[place(j)];
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
    for (int b = from[1]; b <= to[1]; ++b) {
      // Cells along the last axis follow each other, up to the end of the box.
      const auto column = place((wrapped(0, a) * cells_[1] + wrapped(1, b)) * cells_[2]);
      const auto look = [&](int first, int last) {
        if (first <= last)
          look_at(j, q + 3 * j, cell_first_[column + place(first)], cell_first_[column + place(last) + 1]);
      };
      look(std::max(from[2], 0), std::min(to[2], cells_[2] - 1));
      look(from[2] + cells_[2], cells_[2] - 1);
      look(0, to[2] - cells_[2]);
    }
}

// The two loops are apart so that the first is one of vector instructions.
void PairList::look_at(int j, const double* at, int from, int to) {
  const double x = at[0], y = at[1], z = at[2], most = reach_ * reach_;
  const double *xs = x_.data() + from, *ys = y_.data() + from, *zs = z_.data() + from;
  double* square = square_.data();
  const Box box = box_;
  const int count = to - from;
  looked_at_ += count;
  for (int k = 0; k < count; ++k) {
    const double dx = box.nearest(0, x - xs[k]), dy = box.nearest(1, y - ys[k]), dz = box.nearest(2, z - zs[k]);
    square[k] = dx * dx + dy * dy + dz * dz;
  }
  const std::size_t begin = below_.size();
  below_.resize(begin + place(count));
  int* found = below_.data() + begin;
  for (int k = 0; k < count; ++k) {
    const int i = in_cell_[place(from + k)];
    *found = i;
    found += static_cast<int>(i < j) & static_cast<int>(square[k] < most);
  }
  below_.resize(static_cast<std::size_t>(found - below_.data()));
}
}  // namespace trill
