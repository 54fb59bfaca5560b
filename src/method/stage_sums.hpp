// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

namespace trill {
// Numbers that sums over stages are made in: for up to three of them registers, for more the memory of `place`.
template <class Count>
class StageSum {
  static constexpr bool few = !std::is_same_v<Count, Index>;

  template <class N, bool fixed>
  struct Kind {
    using Type = Eigen::Map<Eigen::ArrayXd>;
    static Type make(double* place, Index n) { return Type(place, n); }
  };
  template <class N>
  struct Kind<N, true> {
    using Type = Eigen::Array<double, static_cast<int>(N::value), 1>;
    static Type make(double*, Index) { return Type(); }
  };

 public:
  using Numbers = typename Kind<Count, few>::Type;
  using Read = Eigen::Map<const typename Numbers::PlainObject>;
  using Write = Eigen::Map<typename Numbers::PlainObject>;
  static Numbers zero(double* place, Count n) {
    Numbers numbers = Kind<Count, few>::make(place, n);
    numbers.setZero();
    return numbers;
  }
};
}  // namespace trill
