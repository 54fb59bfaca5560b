// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/formulation/acceleration.hpp"
#include "trill/solution/counters.hpp"

namespace trill {
// f'(q) b for some groups of forces, by the model or else by central differences, and divided by the mass.
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

// By power iteration from a given direction, until the frequency changes by less than a thousandth or `most` products
// are spent. It is met from below. The direction is replaced by what was found.
double follow_fastest_mode(ForceProducts& products, Acceleration& accelerate, double t, In q, int most, Out mode,
                           Out scratch, Counters& work);
FastestMode find_fastest_mode(const MechanicalProblem& problem, Groups groups, double t, In q, int most = 100);

// The largest frequency of the forces that are not fast; 0: there are none, or all are the same to the model.
double slow_frequency(const Problem& problem, const State& s);

// Inner steps in h, at least 1, with omega tau <= 0.25: what they do wrong then stays below the errors of the method.
int steps_for(double frequency, double h);
}  // namespace trill
