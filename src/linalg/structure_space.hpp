// SPDX-License-Identifier: BSD-3-Clause
// The unknowns of a structure, all of them in this process or shared by several.
#pragma once

#include "linalg/stiffness_inverse.hpp"

#include <memory>

namespace trill {
using Columns = const Eigen::Ref<const Mat>&;  // vectors beside each other

// Modes and reductions are written once, for all they need of matrices: products with K, M and C, solves, and products
// of vectors. A process has consecutive rows of every vector; with a single process these are all rows. What comes out
// of `products` is the same number in all processes, and decisions are made on such numbers alone.
class StructureSpace {
 public:
  virtual ~StructureSpace() = default;
  virtual Index size() const = 0;   // unknowns of the structure
  virtual Index first() const = 0;  // the first of those that are here
  virtual Index rows() const = 0;   // how many are here

  virtual Mat mass_times(Columns x) const = 0;
  virtual Mat stiffness_times(Columns x) const = 0;
  virtual Mat damping_times(Columns x) const = 0;
  virtual Mat products(Columns a, Columns b) const = 0;  // a^T b
  virtual double stiffness_norm() const = 0;             // the largest sum of sizes of a row of K
  virtual double diagonal_ratio() const = 0;             // of the sums of the diagonals of K and M

  struct Signs {
    bool succeeded = false, has_rounded_pivot = false;
    Index negative = 0;  // eigenvalues below the shift
    bool positive() const { return succeeded && negative == 0; }
  };
  virtual Signs factorise(double shift) = 0;       // K - shift M, for solve()
  virtual Signs signs_at(double shift) const = 0;  // the same without keeping the factors
  virtual Mat solve(Columns b) const = 0;          // (K - shift M)^-1 b
  virtual double bytes_of_factors() const = 0;
  virtual std::string engine() const = 0;

  double length(const Vec& x) const;  // sqrt(x^T M x)
};

// "factors by mumps: 2180 MB, 2.2 kB for each unknown"
std::string text_of_factors(const std::string& engine, double bytes, Index unknowns);

// The space of a single process.
class WholeSpace final : public StructureSpace {
 public:
  WholeSpace(const SpMat& k, const SpMat& m, const SpMat* c = nullptr) : k_(k), m_(m), c_(c) {}

  Index size() const override { return k_.rows(); }
  Index first() const override { return 0; }
  Index rows() const override { return k_.rows(); }
  Mat mass_times(Columns x) const override { return m_ * x; }
  Mat stiffness_times(Columns x) const override { return k_ * x; }
  Mat damping_times(Columns x) const override { return *c_ * x; }
  Mat products(Columns a, Columns b) const override { return a.transpose() * b; }
  double stiffness_norm() const override;
  double diagonal_ratio() const override;
  Signs factorise(double shift) override;
  // K of a body that is not held, for solve() on what is M-orthogonal to its motions without strain.
  Signs factorise_without(const Mat& rigid);
  Signs signs_at(double shift) const override;
  Mat solve(Columns b) const override { return inverse_->solve(Mat(b)); }
  const StiffnessInverse& inverse() const { return *inverse_; }
  double bytes_of_factors() const override { return inverse_ ? inverse_->factors().bytes() : 0; }
  std::string engine() const override;

 private:
  const SpMat &k_, &m_;
  const SpMat* c_;
  std::unique_ptr<StiffnessInverse> inverse_;
};
}  // namespace trill
