// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/linalg/matrix_slot.hpp"

#include <functional>
#include <vector>

namespace trill {
struct DifferenceOptions {
  double typical = 1.0;  // increments are sqrt(eps) max(|x_j|, typical)
  bool central = false;  // two evaluations per colour, increments cbrt(eps) max(|x_j|, typical)
};

// Jacobian of f by finite differences, for models that provide none. Columns that share no row are varied together: one
// evaluation per colour of a greedy Curtis-Powell-Reid colouring; for a dense pattern this is one per column. All
// memory is allocated in the constructor.
class DifferenceJacobian {
 public:
  using Function = std::function<void(In x, Out f)>;

  explicit DifferenceJacobian(const MatrixSlot& pattern, const DifferenceOptions& options = {});
  void set_typical(In typical);  // one size per component of x

  // j must have the pattern given to the constructor; it is overwritten. The second form takes f(x) from the caller.
  void evaluate(const Function& f, In x, MatrixSlot& j);
  void evaluate(const Function& f, In x, In f_at_x, MatrixSlot& j);

  int colours() const { return static_cast<int>(columns_of_colour_.size()); }
  int colour(Index column) const { return colour_[static_cast<std::size_t>(column)]; }
  long evaluations() const { return evaluations_; }  // of f, since construction

 private:
  void colour_columns();
  void difference(const Function& f, In x, const double* f_at_x, MatrixSlot& j);

  MatrixSlot pattern_;
  bool central_;
  std::vector<int> colour_;
  std::vector<std::vector<Index>> columns_of_colour_;
  Vec typical_, shifted_, f_at_x_, above_, below_, width_;
  long evaluations_ = 0;
};
}  // namespace trill
