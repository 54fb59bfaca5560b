// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// A method that makes several inner steps in one of its steps. The ends of its steps are special places for the fast
// motion (kicks come in the same phase), so averages are taken over the inner steps.
class InnerStates {
 public:
  virtual ~InnerStates() = default;
  virtual Index inner_states() const = 0;               // of the last step; 0: none is known
  virtual void inner_state(Index k, Out q, Out v) = 0;  // evenly spread over the step
};

// For methods that compute them one after the other.
class KeptInnerStates : public InnerStates {
 public:
  Index inner_states() const override { return used_; }
  void inner_state(Index k, Out q, Out v) override {
    q = q_.col(k);
    v = v_.col(k);
  }

 protected:
  void expect_inner_states(Index unknowns, Index count) {
    q_ = v_ = Mat::Zero(unknowns, count);
    used_ = 0;
  }
  void forget_inner_states() { used_ = 0; }
  void keep_inner_state(In q, In v) {
    if (used_ == q_.cols()) return;
    q_.col(used_) = q;
    v_.col(used_++) = v;
  }

 private:
  Mat q_, v_;
  Index used_ = 0;
};
}  // namespace trill
