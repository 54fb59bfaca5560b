// SPDX-License-Identifier: BSD-3-Clause
#include "method/composition.hpp"

#include <array>
#include <cstddef>

namespace trill {
namespace {

// Extends gamma_1 .. gamma_m (m = (s + 1) / 2, the last one being the centre) to the full palindrome.
template <std::size_t M>
constexpr std::array<double, 2 * M - 1> palindrome(const double (&half)[M]) {
  std::array<double, 2 * M - 1> result{};
  for (std::size_t i = 0; i < M; ++i) {
    result[i] = half[i];
    result[2 * M - 2 - i] = half[i];
  }
  return result;
}

constexpr auto basic2 = palindrome({1.0});

// 1 / (4 - 4^(1/3)) four times around 1 - 4 / (4 - 4^(1/3)).
constexpr auto suzuki4 = palindrome({
    0.41449077179437573714235406286076,
    0.41449077179437573714235406286076,
    -0.65796308717750294856941625144305,
});

// 1 / (2 - 2^(1/3)) twice around 1 - 2 / (2 - 2^(1/3)).
constexpr auto triple_jump4 = palindrome({
    1.3512071919596576340476878089715,
    -1.7024143839193152680953756179429,
});

constexpr auto kahan_li6 = palindrome({
    0.39216144400731413927925056,
    0.33259913678935943859974864,
    -0.70624617255763935980996482,
    0.08221359629355080023149045,
    0.79854399093482996339895035,
});

constexpr auto yoshida6 = palindrome({
    0.78451361047755726381949763,
    0.23557321335935813368479318,
    -1.17767998417887100694641568,
    1.31518632068391121888424973,
});

constexpr auto kahan_li8 = palindrome({
    0.13020248308889008087881763,
    0.56116298177510838456196441,
    -0.38947496264484728640807860,
    0.15884190655515560089621075,
    -0.39590389413323757733623154,
    0.18453964097831570709183254,
    0.25837438768632204729397911,
    0.29501172360931029887096624,
    -0.60550853383003451169892108,
});

constexpr auto suzuki_umeno8 = palindrome({
    0.74167036435061295344822780,
    -0.40910082580003159399730010,
    0.19075471029623837995387626,
    -0.57386247111608226665638773,
    0.29906418130365592384446354,
    0.33462491824529818378495798,
    0.31529309239676659663205666,
    -0.79688793935291635401978884,
});

constexpr std::array table{
    Composition{"basic2", 2, basic2, "the basic method itself"},
    Composition{"suzuki4", 4, suzuki4, "M. Suzuki, Phys. Lett. A 146 (1990) 319-323"},
    Composition{"triple_jump4", 4, triple_jump4,
                "M. Creutz, A. Gocksch, Phys. Rev. Lett. 63 (1989) 9-12; H. Yoshida, Phys. Lett. A 150 (1990) 262-268"},
    Composition{"kahan_li6", 6, kahan_li6, "W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089-1099"},
    Composition{"yoshida6", 6, yoshida6, "H. Yoshida, Phys. Lett. A 150 (1990) 262-268, solution A"},
    Composition{"kahan_li8", 8, kahan_li8, "W. Kahan, R.-C. Li, Math. Comp. 66 (1997) 1089-1099"},
    Composition{"suzuki_umeno8", 8, suzuki_umeno8,
                "M. Suzuki, K. Umeno, Springer Proc. Phys. 76 (1993) 74-86; R.I. McLachlan, SIAM J. Sci. Comput. 16 "
                "(1995) 151-168"},
};

}  // namespace

std::span<const Composition> compositions() noexcept { return table; }

const Composition* find_composition(std::string_view name) noexcept {
  for (const Composition& c : table) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

const Composition* find_composition(int order) noexcept {
  for (const Composition& c : table) {
    if (c.order == order) return &c;
  }
  return nullptr;
}

}  // namespace trill
