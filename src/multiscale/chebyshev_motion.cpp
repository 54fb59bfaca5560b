// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/chebyshev_motion.hpp"

#include "linalg/cosine_transform.hpp"
#include "linalg/modes.hpp"
#include "multiscale/whole_structure.hpp"
#include "trill/base/errors.hpp"
#include "trill/linalg/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double beyond_lanczos = 1.01;  // the largest Ritz value is a lower bound
constexpr double raised_bound = 1.15;
// Allowed growth of T_k x, whose size exceeds that of x by rounding only, which grows with k^2. As long as the last one
// is not larger, the rest of the series is below its tolerance, also for eigenvalues a little beyond the bound.
constexpr double growth_of_rounding = 0.1;
constexpr double fewest_coefficients = 24;
constexpr Index most_answers = 8;
constexpr double resolved_share = 0.95;  // of the coefficients: the last ones must be negligible
constexpr Index most_nodes_of_series = 1 << 16;
constexpr double rounding_of_series = 1e-15;  // of the sum of all coefficients beyond the last one that matters

Vec least_squares(const Mat& columns, const Vec& wanted) { return columns.colPivHouseholderQr().solve(wanted); }

bool is_diagonal(const SpMat& m) {
  for (Index j = 0; j < m.outerSize(); ++j)
    for (SpMat::InnerIterator it(m, j); it; ++it)
      if (it.row() != j && it.value() != 0) return false;
  return true;
}
}  // namespace

ChebyshevMotion::ChebyshevMotion(const LinearStructure& structure)
    : structure_(structure), a_(structure.stiffness_matrix()) {
  const auto damping = structure.proportional_damping();
  if (!damping)
    throw UsageError(fmt::format(
        "chebyshev needs damping that is a combination of mass and stiffness, and that of '{}' is not; --method krylov "
        "and --method ritz run it",
        structure.name()));
  damping_ = *damping;
  require_symmetric_stiffness(structure, "chebyshev");
  const SpMat& m = structure.mass_matrix();
  inertial_loads_ = structure.load_shapes();
  if (is_diagonal(m)) {
    mass_ = m.diagonal();
    for (Index i = 0; i < a_.rows(); ++i)
      for (decltype(a_)::InnerIterator it(a_, i); it; ++it) it.valueRef() /= mass_[i];
    for (Index c = 0; c < inertial_loads_.cols(); ++c) inertial_loads_.col(c).array() /= mass_.array();
  } else {
    MatrixSlot slot = structure.mass_pattern();
    structure.mass(Vec::Zero(m.rows()), slot);
    solver_ = make_linear_solver(slot);
    if (!solver_->factorise(slot))
      throw UsageError(fmt::format("chebyshev cannot run '{}', because its mass matrix is singular", structure.name()));
    for (Index c = 0; c < inertial_loads_.cols(); ++c) {
      product_ = inertial_loads_.col(c);
      solver_->solve(product_, inertial_loads_.col(c));
    }
  }
  const Index n = m.rows();
  before_ = now_ = next_ = Vec::Zero(2 * n);
  u_ = v_ = column_ = product_ = Vec::Zero(n);
  find_bound();
}

// Gershgorin's circles where the mass is diagonal, or a Ritz value with a margin where that is less.
void ChebyshevMotion::find_bound() {
  double circles = HUGE_VAL;
  if (mass_.size() > 0) {
    circles = 0;
    for (Index i = 0; i < a_.rows(); ++i) {
      double sum = 0;
      for (decltype(a_)::InnerIterator it(a_, i); it; ++it) sum += std::abs(it.value());
      circles = std::max(circles, sum);
    }
  }
  const Modes highest =
      highest_modes(structure_.stiffness_matrix(), structure_.mass_matrix(), {.count = 1, .tolerance = 1e-4});
  const double ritz = highest.pairs.values.size() > 0 ? beyond_lanczos * highest.pairs.values.tail(1)[0] : HUGE_VAL;
  bound_ = std::min(circles, ritz);
  if (!(bound_ > 0) || !std::isfinite(bound_)) bound_ = 1;
  first_bound_ = bound_;
}

void ChebyshevMotion::forget() {
  bound_ = first_bound_;
  h_ = 0;
}

double ChebyshevMotion::fastest() const { return std::sqrt(bound_); }

namespace {
Index node_count(double angle) {
  // Coefficients fall from k = angle/2 on within a multiple of its cube root.
  return static_cast<Index>(fewest_coefficients + 0.5 * angle + 16 * std::cbrt(1 + angle));
}

struct NodeValues {
  Mat values;  // rows: nodes; columns: functions
  Vec least;   // what may be cut of each
};
double eigenvalue_at(double bound, Index j, Index count) {
  return 0.5 * bound * (1 + std::cos(chebyshev_angle(j, count)));
}
}  // namespace

// Strong damping needs more nodes than the angle of the fastest mode.
template <class At>
Mat ChebyshevMotion::series_of(double h, const At& at) const {
  for (Index count = node_count(h * fastest());; count *= 2) {
    const NodeValues given = at(count);
    Mat c(count, given.values.cols());
    Index degree = 0;
    for (Index f = 0; f < c.cols(); ++f) {
      c.col(f) = chebyshev_coefficients(given.values.col(f));
      const double rounding =
          rounding_of_series * std::sqrt(static_cast<double>(count)) * given.values.col(f).cwiseAbs().maxCoeff();
      degree = std::max(degree, needed_degree(c.col(f), std::max(given.least[f], rounding)));
    }
    if (static_cast<double>(degree) < resolved_share * static_cast<double>(count) || count > most_nodes_of_series)
      return c.topRows(degree + 1);
  }
}

// Columns: u from u, u from v, v from u, v from v. A rate is compared with a position divided by h.
void ChebyshevMotion::prepare(double h, double tolerance) {
  if (same_length(h, h_) && same_length(tolerance, tolerance_)) return;
  series_ = series_of(h, [&](Index count) {
    NodeValues out{Mat(count, 4), Vec{{tolerance, tolerance * h, tolerance / h, tolerance}}};
    OscillatorResponse response;
    for (Index j = 0; j < count; ++j) {
      const double lambda = eigenvalue_at(bound_, j, count);
      response.compute(lambda, damping_.mass + damping_.stiffness * lambda, h);
      out.values.row(j) << response.from_position(), response.from_velocity(), response.velocity_from_position(),
          response.velocity_from_velocity();
    }
    return out;
  });
  answers_.assign(static_cast<std::size_t>(inertial_loads_.cols()), {});
  h_ = h;
  tolerance_ = tolerance;
}

// The answers of all eigenvalues at once to the factor of one load, which ModalMotion follows piece by piece.
Mat ChebyshevMotion::load_series(Index load, double t, double h, double tolerance) const {
  return series_of(h, [&](Index count) {
    ModalSystem nodes;
    nodes.lambda.resize(count);
    for (Index j = 0; j < count; ++j) nodes.lambda[j] = eigenvalue_at(bound_, j, count);
    nodes.damping = Vec::Constant(count, damping_.mass) + damping_.stiffness * nodes.lambda;
    nodes.loads = Mat::Zero(count, inertial_loads_.cols());
    nodes.loads.col(load).setOnes();
    NodeValues out{Mat::Zero(count, 2), Vec::Zero(2)};
    ModalMotion(nodes, structure_).advance(t, h, out.values.col(0), out.values.col(1));
    const double largest = out.values.col(0).cwiseAbs().maxCoeff();
    out.least << tolerance * largest, tolerance * largest / h;
    return out;
  });
}

// now_, before_ hold T_k and T_{k-1} of `width` interleaved vectors. c: for each vector its weights in u and in v.
template <int width>
void ChebyshevMotion::product_and_sums(const double* c) {
  const auto* start = a_.outerIndexPtr();
  const auto* column = a_.innerIndexPtr();
  const double* value = a_.valuePtr();
  const double *x = now_.data(), *z = before_.data();
  double *y = next_.data(), *u = u_.data(), *v = v_.data();
  const double factor = 4 / bound_;
  for (Index i = 0; i < a_.rows(); ++i) {
    double sum[width] = {};
    for (auto e = start[i]; e < start[i + 1]; ++e)
      for (int w = 0; w < width; ++w) sum[w] += value[e] * x[width * column[e] + w];
    double of_u = u[i], of_v = v[i];
    for (int w = 0; w < width; ++w) {
      const double t = factor * sum[w] - 2 * x[width * i + w] - z[width * i + w];
      y[width * i + w] = t;
      of_u += c[2 * w] * t;
      of_v += c[2 * w + 1] * t;
    }
    u[i] = of_u;
    v[i] = of_v;
  }
}

void ChebyshevMotion::run(Index width, const Mat& series) {
  const Index n = a_.rows();
  // Row k of the series as (weight in u, weight in v) for each vector.
  const auto weights = [&](Index k, double* c) {
    for (Index w = 0; w < width; ++w) {
      c[2 * w] = series(k, w);
      c[2 * w + 1] = series(k, width + w);
    }
  };
  double c[4];
  weights(0, c);
  for (Index i = 0; i < n; ++i)
    for (Index w = 0; w < width; ++w) {
      u_[i] += c[2 * w] * now_[width * i + w];
      v_[i] += c[2 * w + 1] * now_[width * i + w];
    }
  before_.head(width * n).setZero();
  for (Index k = 1; k < series.rows(); ++k) {
    weights(k, c);
    // T_1 = x T_0 is half of what the recurrence gives with T_{-1} = 0, so that its weights are halved and it after.
    if (k == 1)
      for (double& weight : c) weight *= 0.5;
    if (solver_) {
      for (Index w = 0; w < width; ++w) {
        const Eigen::Map<const Vec, 0, Eigen::InnerStride<>> x(now_.data() + w, n, Eigen::InnerStride<>(width));
        product_.noalias() = a_ * x;
        solver_->solve(product_, column_);
        for (Index i = 0; i < n; ++i) {
          const double t = 4 / bound_ * column_[i] - 2 * now_[width * i + w] - before_[width * i + w];
          next_[width * i + w] = t;
          u_[i] += c[2 * w] * t;
          v_[i] += c[2 * w + 1] * t;
        }
      }
    } else if (width == 2) {
      product_and_sums<2>(c);
    } else {
      product_and_sums<1>(c);
    }
    if (k == 1) next_ *= 0.5;
    before_.swap(now_);
    now_.swap(next_);
  }
  products_ += width * (series.rows() - 1);
}

double ChebyshevMotion::size_by_mass(const Vec& x, Index width) const {
  double sum = 0;
  for (Index w = 0; w < width; ++w) {
    const Eigen::Map<const Vec, 0, Eigen::InnerStride<>> part(x.data() + w, a_.rows(), Eigen::InnerStride<>(width));
    sum += part.dot(structure_.mass_matrix() * part);
  }
  return std::sqrt(sum);
}

// A vector that has left the spectrum grows exponentially with k, so that looking at the last one is enough.
bool ChebyshevMotion::follow(Index width, const Mat& series) {
  const double size = size_by_mass(now_, width);
  run(width, series);
  if (size_by_mass(now_, width) <= (1 + growth_of_rounding) * size) return true;
  bound_ *= raised_bound;
  h_ = 0;
  return false;
}

// Adds the answer to a load: a combination of answers that are known, or one that is computed and kept.
bool ChebyshevMotion::add_load(Index load, double t, double h, double tolerance) {
  const Mat series = load_series(load, t, h, tolerance);
  if (series.isZero(0)) return true;
  Answers& known = answers_[static_cast<std::size_t>(load)];
  const Index n = a_.rows(), count = known.u.cols();
  const Index degrees = std::max(series.rows(), known.degrees);
  // Its series in u and in v, one below the other, and as long as those of the others.
  Vec wanted = Vec::Zero(2 * degrees);
  wanted.head(series.rows()) = series.col(0);
  wanted.segment(degrees, series.rows()) = series.col(1);
  if (degrees > known.degrees) {
    Mat longer = Mat::Zero(2 * degrees, count);
    for (const Index half : {0, 1})
      longer.middleRows(half * degrees, known.degrees) = known.series.middleRows(half * known.degrees, known.degrees);
    known.series = std::move(longer);
    known.degrees = degrees;
  }
  if (count > 0) {
    const Vec shares = least_squares(known.series, wanted);
    if ((known.series * shares - wanted).lpNorm<1>() <= tolerance * wanted.lpNorm<1>()) {
      u_.noalias() += known.u * shares;
      v_.noalias() += known.v * shares;
      return true;
    }
  }
  now_.head(n) = inertial_loads_.col(load);
  const Vec u = u_, v = v_;
  u_.setZero();
  v_.setZero();
  if (!follow(1, series)) return false;
  const Index place = count < most_answers ? count : 0;
  if (place == count) {
    known.series.conservativeResize(2 * degrees, count + 1);
    known.u.conservativeResize(n, count + 1);
    known.v.conservativeResize(n, count + 1);
  }
  known.series.col(place) = wanted;
  known.u.col(place) = u_;
  known.v.col(place) = v_;
  u_ += u;
  v_ += v;
  return true;
}

bool ChebyshevMotion::advance(double t, double h, double tolerance, Out u, Out v) {
  prepare(h, tolerance);
  u_.setZero();
  v_.setZero();
  for (Index i = 0; i < a_.rows(); ++i) {
    now_[2 * i] = u[i];
    now_[2 * i + 1] = v[i];
  }
  if (!follow(2, series_)) return false;
  for (Index load = 0; load < inertial_loads_.cols(); ++load)
    if (!add_load(load, t, h, tolerance)) return false;
  u = u_;
  v = v_;
  return true;
}
}  // namespace trill
