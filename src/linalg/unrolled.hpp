// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/base/types.hpp"

#include <type_traits>
#include <utility>

namespace trill {
// use(first), ..., use(last - 1) for indices below n. If n is an integral_constant (see with_small), without a loop.
template <class Count, class Use>
[[gnu::always_inline]] inline void each_index(Count, Index first, Index last, Use use) {
  if constexpr (std::is_same_v<Count, Index>) {
    for (Index i = first; i < last; ++i) use(i);
  } else {
    const auto use_inside = [&](Index i) __attribute__((always_inline)) {
      if (i >= first && i < last) use(i);
    };
    [&]<Index... i>(std::integer_sequence<Index, i...>) __attribute__((always_inline)) { (use_inside(i), ...); }
    (std::make_integer_sequence<Index, Count::value>());
  }
}
template <class Count, class Use>
[[gnu::always_inline]] inline void each_index(Count n, Use use) {
  each_index(n, 0, n, use);
}
}  // namespace trill
