// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/formulation/acceleration.hpp"
#include "trill/solution/counters.hpp"

namespace trill {
// f'(q) b for some groups of forces, computed by the model or otherwise by central differences.
class ForceProducts {
 public:
  ForceProducts(const MechanicalProblem& problem, Groups groups);
  void start(In q);  // allocates
  void operator()(double t, In q, In b, Out product, Counters& work) {
    ++work.products;
    if (by_differences_)
      difference(t, q, b, product);
    else
      problem_.force_product(groups_, t, q, rest_, b, product);
  }
  bool by_differences() const { return by_differences_; }

 private:
  void difference(double t, In q, In b, Out product);
  const MechanicalProblem& problem_;
  Groups groups_;
  bool by_differences_ = false;
  Vec rest_, shifted_, below_;
};

struct FastestMode {
  double frequency = 0;  // sqrt of the largest |eigenvalue| of M^-1 f'(q)
  Vec mode;              // |mode| = 1; zeros where f' = 0
};

// Power iteration from a given direction, until the frequency changes by less than a thousandth or `most` products have
// been used. The result approaches the frequency from below. The direction is replaced by the mode found.
double follow_fastest_mode(ForceProducts& products, Acceleration& accelerate, double t, In q, int most, Out mode,
                           Out scratch, Counters& work);
FastestMode find_fastest_mode(const MechanicalProblem& problem, Groups groups, double t, In q, int most = 100);

// The highest frequency of the forces that are not fast; 0 if there are none, or if the model does not tell them apart.
double slow_frequency(const Problem& problem, const State& s);

// Number of inner steps in h, at least 1, with omega tau <= 0.25: their error then stays below that of the method.
int steps_for(double frequency, double h);
}  // namespace trill
