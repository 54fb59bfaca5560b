// SPDX-License-Identifier: BSD-3-Clause
// For authors of methods: in which norm an error is measured.
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// What "small enough" means: err_i <= atol_i + rtol |y_i|. Components with an infinite atol (multipliers) are not
// tested. One object per run; methods measure their local errors with norm(), Newton iterations with weights().
struct ErrorScale {
  enum class Norm {
    rms,         // root mean square of err_i / (atol_i + rtol max(|y0_i|, |y1_i|))
    max_or_atol  // max of |err_i| / max(|y0_i|, |y1_i|, atol_i / rtol) / rtol, as ode45 does
  };
  double rtol = 1e-6;
  Vec atol;
  Norm kind = Norm::rms;
  bool controlled = false;  // steps follow these tolerances; false: they are fixed

  double norm(In error, In y0, In y1) const;  // <= 1: accepted
  void weights(In y, Out w) const;            // 1 / (atol + rtol |y|)
};
}  // namespace trill
