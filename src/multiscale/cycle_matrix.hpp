// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/slow_subspace.hpp"
#include "trill/base/types.hpp"

#include <functional>

namespace trill {
using Product = std::function<void(In v, Out av)>;

// Solves (I - A) d = r for the derivative A of a cycle.
class CycleMatrix {
 public:
  virtual ~CycleMatrix() = default;
  virtual bool solve(In r, Out d) = 0;     // false: numerically singular, or the iteration did not converge
  virtual void estimate(In r, Out d) = 0;  // d by what is known of an earlier A, without a product
};

class DenseCycleMatrix final : public CycleMatrix {
 public:
  void set(const Mat& a);
  bool solve(In r, Out d) override;
  void estimate(In r, Out d) override { d = inverse_ * r; }

 private:
  Mat inverse_;
  bool invertible_ = false;
};

// For many unknowns: GMRES with products A v alone, for systems with any weights. Products are kept from system to
// system, also where the weights change.
class KrylovCycleMatrix final : public CycleMatrix, private LinearOperator {
 public:
  // columns: the most cycles that are solved for at once.
  KrylovCycleMatrix(Index size, Product product, Index columns = 1);
  void pose(const CycleWeights& weights);
  void set_tolerance(double relative) { tolerance_ = relative; }
  bool solve(In r, Out d) override;
  void estimate(In r, Out d) override { slow_.apply(r, d); }
  void rescale(In factors) { slow_.rescale(factors); }  // unknowns are from now on measured in other units
  void forget() { slow_.forget(); }
  const Mat& directions() const { return slow_.directions(); }  // of the space that is kept, and their images
  const Mat& images() const { return slow_.images(); }
  void memory(Archive& archive) { archive(slow_); }

 private:
  Index size() const override { return slow_.size(); }
  void apply(In v, Out y) override;

  Product product_;
  Index size_;
  CycleWeights weights_;
  SlowSubspace slow_;
  Gmres gmres_;
  double tolerance_;
  std::vector<Vec> inputs_, outputs_;
};
}  // namespace trill
