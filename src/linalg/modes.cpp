// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/modes.hpp"

#include "linalg/block_lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trill {
namespace {
constexpr Index all_modes_limit = 64;     // up to this size all pairs cost less than the iteration
constexpr Index check_steps = 15;         // of an iteration that looks for missing modes
constexpr int most_rounds = 12;           // of looking for missing modes
constexpr double value_tolerance = 1e-9;  // values that agree to this are copies of each other
constexpr std::uint64_t first_seed = 1;
constexpr const char* indefinite = "K is indefinite, so that this is not a stable equilibrium";

// Found eigenvectors of an inverse, with decreasing eigenvalues theta.
struct Found {
  std::vector<double> theta;
  Mat vectors;
  Index size() const { return vectors.cols(); }
};

Found first_of(const BlockLanczos& iteration, Index count) {
  Found found{{}, iteration.vectors(count)};
  for (Index i = 0; i < count; ++i) found.theta.push_back(iteration.value(i));
  return found;
}

Found merged(const Found& a, const Found& b, Index count) {
  std::vector<std::pair<double, Index>> order;
  for (Index i = 0; i < a.size(); ++i) order.emplace_back(a.theta[static_cast<std::size_t>(i)], i);
  for (Index i = 0; i < b.size(); ++i) order.emplace_back(b.theta[static_cast<std::size_t>(i)], a.size() + i);
  std::stable_sort(order.begin(), order.end(), [](auto& x, auto& y) { return x.first > y.first; });
  order.resize(static_cast<std::size_t>(std::min<Index>(count, a.size() + b.size())));
  Found both{{}, Mat(a.vectors.rows(), static_cast<Index>(order.size()))};
  for (const auto& [theta, from] : order) {
    both.vectors.col(static_cast<Index>(both.theta.size())) =
        from < a.size() ? a.vectors.col(from) : b.vectors.col(from - a.size());
    both.theta.push_back(theta);
  }
  return both;
}

// Looks for eigenvectors with the largest theta.
class Search {
 public:
  Search(const ShiftedInverse& inverse, const ModeOptions& options, Modes& modes)
      : inverse_(inverse), options_(options), modes_(modes) {}

  bool find() {
    BlockLanczos iteration(inverse_, nothing_, options_.block, first_seed);
    const bool converged = converge(iteration, [&](const BlockLanczos&) { return options_.count; });
    modes_.solves += iteration.solves();
    if (!converged) return false;
    found_ = first_of(iteration, options_.count);
    return complete();
  }

  EigenPairs pairs() const {
    EigenPairs pairs;
    pairs.converged = true;
    const Index count = found_.size();
    pairs.values.resize(count);
    pairs.vectors.resize(found_.vectors.rows(), count);
    for (Index i = 0; i < count; ++i) {
      const Index place = inverse_.sign() > 0 ? i : count - 1 - i;
      pairs.values[place] = inverse_.lambda(found_.theta[static_cast<std::size_t>(i)]);
      pairs.vectors.col(place) = found_.vectors.col(i);
    }
    return pairs;
  }

 private:
  // Extends the basis until the first `wanted` Ritz vectors have converged.
  template <class Wanted>
  bool converge(BlockLanczos& iteration, Wanted wanted) const {
    const Index unknowns = inverse_.space().size(), most = std::min(unknowns, 200 + 8 * options_.count);
    while (iteration.size() < most) {
      const bool grew = iteration.extend();
      if (!grew && iteration.size() + options_.block <= unknowns) return false;
      if (!iteration.solve_projected()) return false;
      const Index count = wanted(iteration);
      if (iteration.size() < count) continue;
      Index good = 0;
      while (good < count && iteration.residual(good) <= options_.tolerance * iteration.value(good)) ++good;
      if (good == count) return true;
      if (!grew) return false;
    }
    return false;
  }

  double last_theta() const { return found_.theta.back(); }

  // Ritz values of an iteration that does not see what was found, but lie above the last theta found: modes missed.
  Index missed(const BlockLanczos& iteration) const {
    Index count = 0;
    while (count < iteration.size() && iteration.value(count) > (1 + value_tolerance) * last_theta()) ++count;
    return count;
  }

  bool complete() {
    for (int round = 0; round < most_rounds; ++round) {
      if (options_.check == CountCheck::inertia && none_is_missing()) return true;
      const Index steps = options_.check == CountCheck::inertia ? 4 * check_steps : check_steps;
      const Mat locked = found_.vectors;
      BlockLanczos iteration(inverse_, locked, 1, first_seed + 1 + static_cast<std::uint64_t>(round));
      for (Index i = 0; i < steps && iteration.extend(); ++i) {
      }
      if (iteration.size() > 0 && !iteration.solve_projected()) return false;
      const Index suspected = iteration.size() > 0 ? missed(iteration) : 0;
      const bool converged =
          suspected == 0 || converge(iteration, [&](const BlockLanczos& now) { return missed(now); });
      modes_.solves += iteration.solves();
      if (!converged) return false;
      if (suspected == 0) return options_.check == CountCheck::deflation;
      const Index count = missed(iteration);
      modes_.found_by_check += count;
      found_ = merged(found_, first_of(iteration, count), options_.count);
    }
    return false;
  }

  // Sylvester's law of inertia: K - mu M has as many negative pivots as there are eigenvalues below mu.
  bool none_is_missing() {
    const double last = inverse_.lambda(last_theta()), gap = 1e-6 * std::abs(last - inverse_.shift());
    const double mu = last - inverse_.sign() * gap;
    const StructureSpace::Signs signs = inverse_.space().signs_at(mu);
    ++modes_.factorisations;
    if (!signs.succeeded) return false;
    const Index beyond = inverse_.sign() > 0 ? signs.negative : inverse_.space().size() - signs.negative;
    return beyond == std::count_if(found_.theta.begin(), found_.theta.end(),
                                   [&](double theta) { return inverse_.sign() * (mu - inverse_.lambda(theta)) > 0; });
  }

  const ShiftedInverse& inverse_;
  const ModeOptions& options_;
  Modes& modes_;
  Mat nothing_;
  Found found_;
};

bool has_only_finite_values(const SpMat& a) { return Eigen::Map<const Vec>(a.valuePtr(), a.nonZeros()).allFinite(); }

Modes failed(Modes modes, std::string message) {
  modes.pairs = {};
  modes.pairs.message = std::move(message);
  return modes;
}

Vec uncertainty_of(const StructureSpace& space, const EigenPairs& pairs) {
  const double unit = std::numeric_limits<double>::epsilon() / 2, norm = space.stiffness_norm();
  Vec relative(pairs.values.size());
  for (Index i = 0; i < relative.size(); ++i) {
    const double moved = unit * norm * space.products(pairs.vectors.col(i), pairs.vectors.col(i))(0, 0);
    relative[i] = std::max(unit, moved / std::max(std::abs(pairs.values[i]), std::numeric_limits<double>::min()));
  }
  return relative;
}

// An eigenvalue that is negative by more than rounding can explain has no frequency.
Modes judged(const StructureSpace& space, Modes modes, bool lowest) {
  modes.uncertainty = uncertainty_of(space, modes.pairs);
  if (lowest && modes.pairs.values[0] < 0 && !modes.is_rigid(0)) return failed(std::move(modes), indefinite);
  return modes;
}

// Shifts that are tried for the lowest modes. A pivot that is only rounding shows that K is singular, or nearly.
bool factorise_below(StructureSpace& space, double scale, Modes& modes) {
  for (const double shift : {0.0, -1e-10 * scale, -1e-8 * scale, -1e-6 * scale}) {
    const StructureSpace::Signs signs = space.factorise(shift);
    ++modes.factorisations;
    modes.shift = shift;
    if (signs.positive() && (shift != 0 || !signs.has_rounded_pivot)) return true;
  }
  return false;
}

// A number slightly above the largest eigenvalue, by bisection on the inertia. Shift and invert with this shift
// separates the upper end of the spectrum, which for structures is a cluster that a plain iteration resolves very
// slowly.
double just_above_largest(const SpMat& k, const SpMat& m, double scale, Modes& modes) {
  const auto is_above = [&](double mu) {
    const SparseCholesky factors(k - mu * m);
    ++modes.factorisations;
    return factors.succeeded() && factors.negative_pivots() == k.rows();
  };
  double below = Vec(k.diagonal()).cwiseQuotient(Vec(m.diagonal())).maxCoeff();  // Rayleigh quotients of unit vectors
  double width = std::max(1e-3 * std::abs(below), 1e-6 * scale);
  for (int doubling = 0; doubling < 60 && !is_above(below + width); ++doubling) width *= 2;
  while (width > 1e-5 * std::abs(below) && width > 1e-12 * scale) {
    width /= 2;
    if (!is_above(below + width)) below += width;
  }
  return below + width;
}

void require_pencil(const SpMat& k, const SpMat& m, Index count) {
  if (k.rows() != k.cols() || m.rows() != m.cols() || k.rows() != m.rows())
    throw std::invalid_argument("modes: K and M must be square and of the same size");
  if (count < 1 || count > k.rows())
    throw std::invalid_argument("modes: " + std::to_string(count) + " modes were asked for, of " +
                                std::to_string(k.rows()));
}

Modes all_modes(const SpMat& k, const SpMat& m, Index count, bool lowest) {
  Modes modes;
  modes.pairs = symmetric_eigenpairs(Mat(k), Mat(m));
  if (!modes.pairs.converged) return modes;
  const Index from = lowest ? 0 : k.rows() - count;
  modes.pairs.values = Vec(modes.pairs.values.segment(from, count));
  modes.pairs.vectors = Mat(modes.pairs.vectors.middleCols(from, count));
  return judged(WholeSpace(k, m), std::move(modes), lowest);
}

Modes searched(StructureSpace& space, const ModeOptions& options, Modes modes, bool lowest) {
  ShiftedInverse inverse(space, modes.shift);
  if (!lowest) inverse.look_above();
  modes.engine = space.engine();
  modes.bytes_of_factors = space.bytes_of_factors();
  Search search(inverse, options, modes);
  if (!search.find()) return failed(modes, "the iteration for the modes did not converge");
  modes.pairs = search.pairs();
  return judged(space, std::move(modes), lowest);
}

Modes extreme_modes(const SpMat& k, const SpMat& m, const ModeOptions& options, bool lowest) {
  require_pencil(k, m, options.count);
  Modes modes;
  if (!has_only_finite_values(k) || !has_only_finite_values(m))
    return failed(modes, "K or M contains values that are not finite");
  if (k.rows() <= all_modes_limit || 2 * options.count >= k.rows()) return all_modes(k, m, options.count, lowest);
  WholeSpace space(k, m);
  const double scale = space.diagonal_ratio();
  if (!(scale > 0)) return failed(modes, "the diagonal of K or of M is zero");
  if (!SparseCholesky(m).is_positive_definite()) return failed(modes, "M is not positive definite");
  if (lowest) return lowest_modes(space, options);
  modes.shift = just_above_largest(k, m, scale, modes);
  space.factorise(modes.shift);
  return searched(space, options, std::move(modes), false);
}
}  // namespace

Modes lowest_modes(const SpMat& k, const SpMat& m, const ModeOptions& options) {
  return extreme_modes(k, m, options, true);
}

Modes lowest_modes(StructureSpace& space, const ModeOptions& options) {
  Modes modes;
  if (!factorise_below(space, space.diagonal_ratio(), modes)) return failed(modes, indefinite);
  return searched(space, options, std::move(modes), true);
}

Modes highest_modes(const SpMat& k, const SpMat& m, const ModeOptions& options) {
  return extreme_modes(k, m, options, false);
}
}  // namespace trill
