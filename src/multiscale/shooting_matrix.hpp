// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/slow_subspace.hpp"
#include "trill/base/types.hpp"

#include <functional>

namespace trill {
using Product = std::function<void(In v, Out av)>;

// Solves (I - A) d = r for the derivative A of a cycle.
class ShootingMatrix {
 public:
  virtual ~ShootingMatrix() = default;
  virtual bool solve(In r, Out d) = 0;     // false: numerically singular, or the iteration did not converge
  virtual void estimate(In r, Out d) = 0;  // d by what is known of an earlier A, without a product
};

class DenseShootingMatrix final : public ShootingMatrix {
 public:
  void set(const Mat& a);
  bool solve(In r, Out d) override;
  void estimate(In r, Out d) override { d = inverse_ * r; }

 private:
  Mat inverse_;
  bool invertible_ = false;
};

// For many unknowns: GMRES with products A v alone. Products are kept from system to system.
class KrylovShootingMatrix final : public ShootingMatrix, private LinearOperator {
 public:
  KrylovShootingMatrix(Index size, Product product);
  bool solve(In r, Out d) override;
  void estimate(In r, Out d) override { slow_.apply(r, d); }
  void rescale(In factors) { slow_.rescale(factors); }  // unknowns are from now on measured in other units

 private:
  Index size() const override { return slow_.size(); }
  void apply(In v, Out y) override;

  Product product_;
  SlowSubspace slow_;
  Gmres gmres_;
  std::vector<Vec> inputs_, outputs_;
};
}  // namespace trill
