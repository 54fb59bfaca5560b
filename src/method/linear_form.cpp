// SPDX-License-Identifier: BSD-3-Clause
#include "trill/method/linear_form.hpp"

#include "linalg/extended_lu.hpp"
#include "method/explicit_tableau.hpp"

#include <cmath>
#include <limits>

namespace trill {
namespace {
constexpr Extended extended_rounding = std::numeric_limits<Extended>::epsilon();
constexpr Extended double_rounding = std::numeric_limits<double>::epsilon();

Extended column_norm(const auto& A) {
  Extended largest = 0;
  for (Index j = 0; j < A.cols(); ++j) {
    Extended sum = 0;
    for (Index i = 0; i < A.rows(); ++i) sum += std::abs(A(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

// det(F + x G) as a polynomial with a bound on its rounding, from d log det N = tr(N^-1 dN): F and G are rounded, G
// comes from products as large as g_size.
class Determinants {
 public:
  Determinants(Index stages, Extended rounding, Extended g_size)
      : stages_(stages), rounding_(rounding), g_size_(g_size) {}

  Polynomial operator()(const ExtendedMat& F, const ExtendedMat& G) const {
    return interpolate(static_cast<int>(stages_), [&](ExtendedComplex x) -> ComplexSample {
      ExtendedComplexMat N(stages_, stages_);
      for (Index i = 0; i < N.size(); ++i) N.data()[i] = F.data()[i] + x * G.data()[i];
      const Extended uncertain = rounding_ * static_cast<Extended>(stages_) * (column_norm(N) + std::abs(x) * g_size_);
      const ExtendedLu<ExtendedComplex> lu(std::move(N));
      const ExtendedComplex value = lu.determinant();
      return {value, std::abs(value) * uncertain * column_norm(lu.inverse())};
    });
  }

 private:
  Index stages_;
  Extended rounding_, g_size_;
};

// A polynomial whose coefficients are given in double precision.
Polynomial rounded(const std::vector<double>& coefficients) {
  return Polynomial(std::vector<Extended>(coefficients.begin(), coefficients.end())).scaled(1, double_rounding);
}

struct Coefficients {
  ExtendedMat A;
  ExtendedVec b;
};

// The entries as determinants: JP95 Theorem 2.4 and the proof of Theorem 2.6, where p12 and p21 must end in -q, not -1.
LinearForm form_of(const Coefficients& position, const Coefficients& velocity, Extended rounding) {
  const auto& [A, b] = position;
  const auto& [Ah, bh] = velocity;
  const Index s = b.size();
  const ExtendedMat I = ExtendedMat::Identity(s, s);
  const ExtendedVec one = ExtendedVec::Ones(s);
  const ExtendedMat back = A - one * b.transpose(), back_h = Ah - one * bh.transpose();
  const Extended size = std::max(column_norm(A), column_norm(back)) * std::max(column_norm(Ah), column_norm(back_h));
  const Determinants det(s, rounding, size);
  LinearForm form;
  form.q = det(I, extended_product(A, Ah));
  form.n11 = det(I, extended_product(back, Ah));
  form.n22 = det(I, extended_product(A, back_h));
  form.n12 = det(I + one * b.transpose(), extended_product(Ah, A)) - form.q;
  form.n21 = det(I + one * bh.transpose(), extended_product(A, Ah)) - form.q;
  form.det = det(I, extended_product(back, back_h));
  return form;
}

// With a single tableau M commutes with rotations, so two of its entries follow from the other two.
LinearForm form_of(const Coefficients& both, Extended rounding) {
  LinearForm form = form_of(both, both, rounding);
  form.n22 = form.n11;
  form.n21 = form.n12;
  return form;
}
}  // namespace

StepMatrix step_matrix(const LinearForm& f, Extended mu) {
  const Extended x = mu * mu, q = f.q(x);
  return {(f.n11 - f.q)(x) / q, mu * f.n12(x) / q, -mu * f.n21(x) / q, (f.n22 - f.q)(x) / q, (f.det - f.q)(x) / q};
}

LinearForm runge_kutta_form(const ExtendedTableau& t) { return form_of({t.A, t.b}, extended_rounding); }

LinearForm runge_kutta_form(const ImplicitTableau& t) {
  return form_of({t.A.cast<Extended>(), t.b.cast<Extended>()}, double_rounding);
}

LinearForm runge_kutta_form(const ExplicitTableau& t) {
  ExtendedMat A = ExtendedMat::Zero(t.stages, t.stages);
  ExtendedVec b(t.stages);
  for (int i = 0; i < t.stages; ++i) {
    const auto row = t.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) A(i, static_cast<Index>(j)) = row[j];
    b[i] = t.b[static_cast<std::size_t>(i)];
  }
  return form_of({A, b}, double_rounding);
}

LinearForm partitioned_form(const ExtendedTableau& position, const ExtendedTableau& velocity) {
  return form_of({position.A, position.b}, {velocity.A, velocity.b}, extended_rounding);
}

// In (y, h y') M = P - x [b b']^T (I + x A)^-1 [1 c] with P = [[1, 1], [0, 1]]. Again every entry and the determinant
// become determinants by v^T N^-1 w = det(N + w v^T) / det N - 1.
LinearForm nystroem_form(const NystroemTableau& t) {
  const Index s = t.b.size();
  const ExtendedMat A = t.A.cast<Extended>(), I = ExtendedMat::Identity(s, s);
  const ExtendedVec one = ExtendedVec::Ones(s), c = t.c.cast<Extended>(), b = t.b.cast<Extended>(),
                    b_prime = t.b_prime.cast<Extended>();
  const Extended size = column_norm(A) + column_norm(one * b.transpose()) + 2 * column_norm(one * b_prime.transpose());
  const Determinants det(s, double_rounding, size);
  LinearForm form;
  form.q = det(I, A);
  form.n11 = Extended(2) * form.q - det(I, A + one * b.transpose());
  form.n12 = Extended(2) * form.q - det(I, A + c * b.transpose());
  form.n21 = det(I + one * b_prime.transpose(), A) - form.q;
  form.n22 = Extended(2) * form.q - det(I, A + c * b_prime.transpose());
  form.det = det(I, A - one * (b - b_prime).transpose() - c * b_prime.transpose());
  return form;
}

LinearForm two_step_form(const std::vector<double>& numerator, const std::vector<double>& denominator) {
  const Polynomial half = Extended(0.5) * rounded(numerator), q = rounded(denominator);
  return {q, half, (q - half).divided_by_power(1), q + half, half, q, true};
}

LinearForm drift_form(Extended fraction) { return {{1}, {1}, {fraction}, {}, {1}, {1}}; }
LinearForm kick_form(const Polynomial& force) { return {{1}, {1}, {}, force, {1}, {1}}; }

LinearForm with_step(const LinearForm& f, double fraction) {
  const Extended square = Extended(fraction) * fraction;
  const auto even = [&](const Polynomial& p) { return p.stretched(square, 2 * double_rounding); };
  const auto odd = [&](const Polynomial& p) {
    return p.scaled(fraction, double_rounding).stretched(square, 2 * double_rounding);
  };
  return {even(f.q), even(f.n11), odd(f.n12), odd(f.n21), even(f.n22), even(f.det), f.two_step};
}

LinearForm operator*(const LinearForm& b, const LinearForm& a) {
  const Polynomial x{0, 1};
  return {b.q * a.q,
          b.n11 * a.n11 - x * b.n12 * a.n21,
          b.n11 * a.n12 + b.n12 * a.n22,
          b.n21 * a.n11 + b.n22 * a.n21,
          b.n22 * a.n22 - x * b.n21 * a.n12,
          b.det * a.det};
}

LinearForm verlet_form() {
  const LinearForm kick = kick_form({0.5L});
  return kick * drift_form(1) * kick;
}
}  // namespace trill
