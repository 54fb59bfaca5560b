// SPDX-License-Identifier: BSD-3-Clause
// The picture of molecules: atoms and bonds, seen along the z axis.
#pragma once

#include "model/text/model_picture.hpp"
#include "problem/particles.hpp"

namespace trill {
using Bonds = std::vector<std::array<int, 2>>;

class ParticlePicture final : public ModelPicture {
 public:
  ParticlePicture(const Particles& particles, const Bonds& bonds);
  Index unknowns() const override { return unknowns_; }
  void evaluate(double t, const double* q, const double* v, double* numbers) override;

 private:
  void add_bonds(const Bonds& bonds);
  void add_atoms(const std::vector<std::string>& names);
  // From one place to the nearest image of another.
  double nearest(double from, double to, std::size_t axis) const;

  Index unknowns_;
  std::array<double, 3> box_;
  Bonds bonds_;               // empty: not drawn
  std::vector<Index> atoms_;  // in the order in which they are drawn
};
}  // namespace trill
