// SPDX-License-Identifier: BSD-3-Clause
// Tableaux from their common normal form (JP95 sec. 2): A = W X D^-1 W^T B, where W has the orthonormal Legendre
// polynomials at the nodes and X is tridiagonal. All factors are well scaled; they are multiplied in extended
// precision.
#include "trill/method/implicit_tableau.hpp"

#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace trill {
namespace {
using Real = Extended;
using RealVec = ExtendedVec;
using RealMat = ExtendedMat;

struct Legendre {
  Real value, slope;
};
Legendre legendre(int n, Real x) {
  Real before = 1, here = n == 0 ? 1 : x, slope_before = 0, slope = n == 0 ? 0 : 1;
  for (int k = 2; k <= n; ++k) {
    const Real next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
    const Real next_slope = slope_before + (2 * k - 1) * here;
    before = here;
    here = next;
    slope_before = slope;
    slope = next_slope;
  }
  return {here, slope};
}

// Roots of a polynomial with simple real roots in (-1, 1), found one by one; the known ones are divided out.
template <class Polynomial>
std::vector<Real> find_roots(int count, std::vector<Real> known, Polynomial polynomial) {
  const std::size_t given = known.size();
  for (int i = 0; i < count; ++i) {
    Real x = std::cos(std::numbers::pi_v<Real> * (i + Real(0.75)) / (count + Real(0.5)));
    for (int iteration = 0; iteration < 100; ++iteration) {
      const auto [value, slope] = polynomial(x);
      Real others = 0;
      for (const Real root : known) others += 1 / (x - root);
      const Real step = value / (slope - value * others);
      x -= step;
      if (std::abs(step) < 4 * std::numeric_limits<Real>::epsilon()) break;
    }
    known.push_back(x);
  }
  known.erase(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(given));
  return known;
}

RealVec sorted(std::vector<Real> roots, bool symmetric) {
  std::sort(roots.begin(), roots.end());
  const auto n = static_cast<Index>(roots.size());
  RealVec x = Eigen::Map<RealVec>(roots.data(), n);
  if (symmetric) x = (0.5L * (x - x.reverse())).eval();
  return x;
}

RealVec gauss_nodes(int s) {
  return sorted(find_roots(s, {}, [s](Real x) { return legendre(s, x); }), true);
}

RealVec radau_nodes(int s) {
  auto roots = find_roots(s - 1, {1}, [s](Real x) {
    const Legendre a = legendre(s, x), b = legendre(s - 1, x);
    return Legendre{a.value - b.value, a.slope - b.slope};
  });
  roots.push_back(1);
  return sorted(std::move(roots), false);
}

RealVec lobatto_nodes(int s) {
  const int n = s - 1;
  auto roots = find_roots(s - 2, {}, [n](Real x) {
    const Legendre p = legendre(n, x);
    return Legendre{p.slope, (2 * x * p.slope - n * (n + 1) * p.value) / (1 - x * x)};  // Legendre's equation
  });
  roots.push_back(-1);
  roots.push_back(1);
  return sorted(std::move(roots), true);
}

struct Draft {
  RealVec x, b;
  RealMat A;
};

// Tridiagonal: 1/2 in the corner, +- zeta_k = 1/(2 sqrt(4 k^2 - 1)) next to the diagonal.
RealMat normal_form(int s) {
  RealMat X = RealMat::Zero(s, s);
  X(0, 0) = 0.5L;
  for (int k = 1; k < s; ++k) {
    const Real zeta = 1 / (2 * std::sqrt(Real(4 * k * k - 1)));
    X(k, k - 1) = zeta;
    X(k - 1, k) = -zeta;
  }
  return X;
}

RealMat polynomials(const RealVec& x) {
  RealMat W(x.size(), x.size());
  for (Index i = 0; i < x.size(); ++i)
    for (Index j = 0; j < x.size(); ++j)
      W(i, j) = std::sqrt(Real(2 * j + 1)) * legendre(static_cast<int>(j), x[i]).value;
  return W;
}

// last: the entry of D for the polynomial of highest degree.
RealMat from_normal_form(const Draft& d, const RealMat& X, Real last) {
  const RealMat W = polynomials(d.x);
  RealVec scale = RealVec::Ones(d.x.size());
  scale[d.x.size() - 1] = 1 / last;
  return W * X * scale.asDiagonal() * W.transpose() * d.b.asDiagonal();
}

ExtendedTableau finished(const Draft& d, int order, int stage_order) {
  return {((d.x.array() + 1) / 2).matrix(), d.b, d.A, order, stage_order};
}

void check_stages(const char* family, int stages, int least) {
  if (stages < least || stages > most_implicit_stages)
    throw UsageError(fmt::format("{} methods are available with {} to {} stages, not {}", family, least,
                                 most_implicit_stages, stages));
}

Draft lobatto_draft(int s) {
  check_stages("Lobatto", s, 2);
  Draft d{lobatto_nodes(s), RealVec(s), {}};
  for (Index i = 0; i < s; ++i) {
    const Real p = legendre(s - 1, d.x[i]).value;
    d.b[i] = 1 / (s * (s - 1) * p * p);
  }
  RealMat X = normal_form(s);
  X.col(s - 1).setZero();
  d.A = from_normal_form(d, X, Real(2 * s - 1) / (s - 1));
  d.A.row(0).setZero();
  d.A.row(s - 1) = d.b.transpose();
  return d;
}

ExtendedTableau gauss(int s) {
  check_stages("Gauss", s, 1);
  Draft d{gauss_nodes(s), RealVec(s), {}};
  for (Index i = 0; i < s; ++i) {
    const Real slope = legendre(s, d.x[i]).slope;
    d.b[i] = 1 / ((1 - d.x[i] * d.x[i]) * slope * slope);
  }
  d.A = from_normal_form(d, normal_form(s), 1);
  return finished(d, 2 * s, s);
}

ExtendedTableau radau_iia(int s) {
  check_stages("Radau", s, 1);
  Draft d{radau_nodes(s), RealVec(s), {}};
  for (Index i = 0; i < s; ++i) {
    const Real p = legendre(s - 1, d.x[i]).value;
    d.b[i] = (1 + d.x[i]) / (2 * s * s * p * p);
  }
  RealMat X = normal_form(s);
  X(s - 1, s - 1) = s == 1 ? Real(1) : 1 / Real(4 * s - 2);
  d.A = from_normal_form(d, X, 1);
  d.A.row(s - 1) = d.b.transpose();
  return finished(d, 2 * s - 1, s);
}

ExtendedTableau lobatto_iiia(int s) { return finished(lobatto_draft(s), 2 * s - 2, s); }

// Symplectic with IIIA: b_i ahat_ij + b_j a_ji = b_i b_j.
ExtendedTableau lobatto_iiib(int s) {
  Draft d = lobatto_draft(s);
  RealMat B(s, s);
  for (Index i = 0; i < s; ++i)
    for (Index j = 0; j < s; ++j) B(i, j) = d.b[j] * (1 - d.A(j, i) / d.b[i]);
  B.col(0).setConstant(d.b[0]);
  B.col(s - 1).setZero();
  d.A = B;
  return finished(d, 2 * s - 2, s - 2);
}

// IIIA plus a multiple of the highest polynomial, chosen so that the first column is b_1.
ExtendedTableau lobatto_iiic(int s) {
  Draft d = lobatto_draft(s);
  const RealMat A = d.A;
  const Real at_zero = legendre(s - 1, -1).value;
  for (Index i = 0; i < s; ++i)
    for (Index j = 0; j < s; ++j)
      d.A(i, j) += (d.b[0] - A(i, 0)) * d.b[j] * legendre(s - 1, d.x[j]).value / (d.b[0] * at_zero);
  d.A.col(0).setConstant(d.b[0]);
  d.A.row(s - 1) = d.b.transpose();
  return finished(d, 2 * s - 2, s - 1);
}

ImplicitTableau rounded(const ExtendedTableau& t) {
  return {t.c.cast<double>(), t.b.cast<double>(), t.A.cast<double>(), t.order, t.stage_order};
}
}  // namespace

ExtendedTableau extended_tableau(ImplicitFamily family, int stages) {
  switch (family) {
    case ImplicitFamily::gauss:
      return gauss(stages);
    case ImplicitFamily::radau_iia:
      return radau_iia(stages);
    case ImplicitFamily::lobatto_iiia:
      return lobatto_iiia(stages);
    case ImplicitFamily::lobatto_iiib:
      return lobatto_iiib(stages);
    case ImplicitFamily::lobatto_iiic:
      break;
  }
  return lobatto_iiic(stages);
}

ImplicitTableau gauss_tableau(int s) { return rounded(gauss(s)); }
ImplicitTableau radau_iia_tableau(int s) { return rounded(radau_iia(s)); }
ImplicitTableau lobatto_iiia_tableau(int s) { return rounded(lobatto_iiia(s)); }
ImplicitTableau lobatto_iiib_tableau(int s) { return rounded(lobatto_iiib(s)); }
ImplicitTableau lobatto_iiic_tableau(int s) { return rounded(lobatto_iiic(s)); }

PartitionedTableau lobatto_pair_tableau(int s) { return {lobatto_iiia_tableau(s), lobatto_iiib_tableau(s)}; }
}  // namespace trill
