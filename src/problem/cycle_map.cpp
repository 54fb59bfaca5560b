// SPDX-License-Identifier: BSD-3-Clause
#include "problem/cycle_map.hpp"

#include <cmath>

namespace trill {
namespace {
// A cycle is the result of an integration and has a relative error of its own, so a difference of the size of the
// square root of rounding would measure that error.
constexpr double share_of_component = 1e-5;
}  // namespace

bool CycleMap::part(double, In, double, Out) const { return false; }

bool CycleMap::change_and_derivative(double n, In z, Out change_here, Mat& derivative) const {
  if (!change(n, z, change_here)) return false;
  Vec moved = z, change_there(z.size());
  const double typical = std::max(z.norm() / std::sqrt(static_cast<double>(z.size())), change_here.norm());
  for (Index j = 0; j < z.size(); ++j) {
    moved[j] = z[j] + share_of_component * std::max(std::abs(z[j]), typical);
    if (!change(n, moved, change_there)) return false;
    derivative.col(j) = (change_there - change_here) / (moved[j] - z[j]);
    moved[j] = z[j];
  }
  return true;
}

bool CycleMap::record(double n, In z, Out change_here) const {
  if (!change(n, z, change_here)) return false;
  recorded_n_ = n;
  recorded_z_ = z;
  recorded_change_ = change_here;
  return true;
}

bool CycleMap::tangent(In v, Out image) const {
  const double length = v.norm();
  if (!(length > 0)) {
    image = v;
    return length == 0;
  }
  const double step = share_of_component * std::max(recorded_z_.norm(), recorded_change_.norm()) / length;
  const Vec moved = recorded_z_ + step * v;
  if (!(step > 0) || !change(recorded_n_, moved, image)) return false;
  image = v + (image - recorded_change_) / step;
  return true;
}
}  // namespace trill
