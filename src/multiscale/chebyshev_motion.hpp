// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "multiscale/modal_motion.hpp"
#include "trill/linalg/linear_solver.hpp"

#include <memory>
#include <vector>

namespace trill {
// The motion of a whole structure with C = a0 M + a1 K over a long time h, by products with M^-1 K alone.
//
// In a mode with the eigenvalue lambda of M^-1 K everything is that of an oscillator, whose answers to a position, a
// velocity and a load are entire functions of lambda. Their Chebyshev series on [0, bound] therefore converge faster
// than any power once the degree exceeds h sqrt(bound) / 2, and T_k(2 M^-1 K / bound - 1) needs one product for each k.
class ChebyshevMotion {
 public:
  // UsageError naming `chebyshev` if damping is not proportional or K not symmetric.
  explicit ChebyshevMotion(const LinearStructure& structure);

  // Moves (u, v) from t to t + h with series whose rest is at most `tolerance`. No load may jump in between. false: the
  // spectrum is not within the bound, which is raised for the next attempt.
  bool advance(double t, double h, double tolerance, Out u, Out v);
  void forget();                                                             // what earlier steps have found out
  double fastest() const;                                                    // the square root of the bound
  Index degree() const { return series_.rows() - 1; }                        // of the last series
  long products() const { return products_; }                                // of M^-1 K with single vectors
  bool is_positive() const { return bound_ < most_raised_ * first_bound_; }  // false: K has negative eigenvalues

 private:
  // T_k of `width` vectors, stored side by side for each unknown, and what is added to u and v for each of them.
  void run(Index width, const Mat& series);
  template <int width>
  void product_and_sums(const double* c);
  void prepare(double h, double tolerance);
  Mat load_series(Index load, double t, double h, double tolerance) const;
  bool add_load(Index load, double t, double h, double tolerance);
  bool follow(Index width, const Mat& series);
  // Series of functions whose values `at` gives for as many nodes as it takes; columns: functions.
  template <class At>
  Mat series_of(double h, const At& at) const;
  double size_by_mass(const Vec& x, Index width) const;
  void find_bound();

  // Answers to a load over one step. Those of sines, exponentials and polynomials are combinations of a few.
  struct Answers {
    Index degrees = 0;
    Mat series;  // a column for each answer: its series in u, then in v, of so many degrees each
    Mat u, v;
  };
  static constexpr double most_raised_ = 3;
  const LinearStructure& structure_;
  ProportionalDamping damping_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> a_;  // K by rows, divided by the mass where that is diagonal
  Vec mass_;                                        // its diagonal
  std::unique_ptr<LinearSolver> solver_;            // of a mass that is not diagonal
  Mat inertial_loads_;                              // M^-1 b
  double bound_ = 0, first_bound_ = 0;
  double h_ = 0, tolerance_ = 0;
  std::vector<Answers> answers_;
  Mat series_;  // of position and velocity, from position and from velocity
  Vec before_, now_, next_, u_, v_, column_, product_;
  long products_ = 0;
};
}  // namespace trill
