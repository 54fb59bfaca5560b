// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "linalg/unrolled.hpp"

namespace trill {
// Calls use(count), with the usual numbers of stages as compile-time constants, so that sums over stages are unrolled.
template <class Use>
[[gnu::always_inline]] inline auto with_stages(Index count, Use use) {
  if (count == 3) return use(std::integral_constant<Index, 3>());
  if (count == 5) return use(std::integral_constant<Index, 5>());
  return use(count);
}

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
  // The numbers at a place that does not change, in registers if they are few.
  static std::conditional_t<few, const Numbers, Eigen::Map<const Eigen::ArrayXd>> kept(const double* place, Count n) {
    return Read(place, n);
  }
  // Adds factor(j) x_j for all stages j. The vectors x_j have n numbers and are `stride` apart.
  template <class Stages, class Factor>
  [[gnu::always_inline]] static void add(Stages count, Factor factor, const double* x, Index stride, Count n,
                                         Numbers& sum) {
    each_index(
        count, [&](Index j) __attribute__((always_inline)) { sum += factor(j) * Read(x + j * stride, n); });
  }
};
}  // namespace trill
