// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/constraint_check.hpp"

#include "formulation/reactive_acceleration.hpp"
#include "linalg/common_kernel.hpp"
#include "linalg/row_rank.hpp"
#include "linalg/row_squares.hpp"
#include "linalg/sparse_cholesky.hpp"
#include "trill/linalg/kernels.hpp"

#include <random>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double nearly = 2e-2, hardly_independent = 1e-5;
// Limit for the residual of least squares, relative to 1 + the largest coordinate.
constexpr double contradictory = 1e-8;
constexpr std::size_t most_names = 4;

Vec row_lengths(const MatrixSlot& G) { return row_squares(G).cwiseSqrt(); }

ConstraintCheck::Violation farthest(const Vec& values, const Vec& lengths, double size) {
  ConstraintCheck::Violation worst;
  for (Index k = 0; k < values.size(); ++k) {
    const double distance = std::abs(values[k]) / (lengths[k] > 0 ? lengths[k] : 1) / (1 + size);
    if (!(distance <= worst.relative)) worst = {k, values[k], distance};
  }
  return worst;
}

// G with rows of length 1, for least squares; dependent rows need a little damping.
class UnitRows {
 public:
  explicit UnitRows(const MatrixSlot& G)
      : inverse_(row_lengths(G).unaryExpr([](double l) { return l > 0 ? 1 / l : 0.0; })),
        G_(inverse_.asDiagonal() * sparse_copy(G)) {
    SpMat S = G_ * SpMat(G_.transpose());
    for (Index k = 0; k < S.rows(); ++k) S.coeffRef(k, k) += damping;
    factors_.emplace(S);
  }
  Vec scaled(const Vec& values) const { return inverse_.cwiseProduct(values); }
  Vec smallest_with(const Vec& values) const { return G_.transpose() * factors_->solve(values); }  // G x = values

 private:
  static constexpr double damping = 1e-12;
  Vec inverse_;
  SpMat G_;
  std::optional<SparseCholesky> factors_;
};

// Lists the first few of them; `text` gives the text of one.
template <class Text>
std::string listed(const std::vector<Index>& rows, Text text) {
  std::string all;
  const std::size_t told = rows.size() > most_names + 1 ? most_names : rows.size();
  for (std::size_t i = 0; i < told; ++i) {
    const bool is_last = i + 1 == rows.size();
    all += (i == 0 ? "" : is_last ? " and " : ", ") + text(rows[i]);
  }
  if (told < rows.size()) all += fmt::format(" and {} more", rows.size() - told);
  return all;
}

std::string names(const ConstraintMap& map, const std::vector<Index>& rows) {
  return listed(rows, [&](Index row) { return map.name(row); });
}
}  // namespace

std::string nearly_dependent(const ConstraintMap& map, const MatrixSlot& G, double tolerance) {
  const std::vector<DependentRow> rows = dependent_rows(G, tolerance);
  if (rows.empty()) return "";
  std::vector<Index> all{rows[0].row};
  all.insert(all.end(), rows[0].of.begin(), rows[0].of.end());
  if (all.size() == 1) return fmt::format("{} changes hardly at all with any coordinate", map.name(all[0]));
  return fmt::format("{} depend on each other", names(map, all));
}

ConstraintCheck::ConstraintCheck(const MechanicalProblem& problem)
    : problem_(problem),
      map_(*problem.constraints()),
      n_(problem.layout().nq),
      m_(map_.count()),
      G_(map_.pattern()),
      g_(m_),
      rate_(m_),
      x_(n_),
      mu_(m_) {}

ConstraintManifold& ConstraintCheck::manifold() { return manifold_ ? *manifold_ : manifold_.emplace(problem_, map_); }

std::string ConstraintCheck::dependence_of(Index row, const std::vector<Index>& of) const {
  if (of.empty()) return map_.name(row) + " does not change with any coordinate";
  return map_.name(row) + " already follows from " + names(map_, of);
}

ConstraintCheck::Violation ConstraintCheck::of_position(double t, In q) {
  map_.value(t, q, g_);
  map_.jacobian(t, q, G_);
  return farthest(g_, row_lengths(G_), max_abs(q));
}

ConstraintCheck::Violation ConstraintCheck::of_velocity(double t, In q, In v) {
  map_.jacobian(t, q, G_);
  map_.time_derivative(t, q, g_);
  G_.multiply(v, rate_);
  rate_ += g_;
  return farthest(rate_, row_lengths(G_), max_abs(v));
}

Vec ConstraintCheck::values(const State& s) {
  Vec all(2 * m_);
  of_velocity(s.t, s.q(), s.v());
  map_.value(s.t, s.q(), g_);
  all << g_, rate_;
  return all;
}

ConstraintCheck::Change ConstraintCheck::change(const State& s, const Vec& values_before) {
  const Vec by = values(s) - values_before, lengths = row_lengths(G_);
  return {farthest(by.head(m_), lengths, max_abs(s.q())), farthest(by.tail(m_), lengths, max_abs(s.v()))};
}

std::string ConstraintCheck::dependence(double t, In q) {
  map_.jacobian(t, q, G_);
  if (dependent_rows(G_, dependent).empty()) return "";
  Vec closed = q;
  const std::optional<Vec> left = close_all(t, closed);
  if (left && max_abs(*left) > contradictory * (1 + max_abs(q))) return contradiction(t, q);
  if (left) map_.jacobian(t, closed, G_);
  const std::vector<DependentRow> rows = dependent_rows(G_, dependent);
  if (rows.empty()) return "";  // on the constraints they are independent
  std::string text;
  std::vector<Index> removable;
  for (const DependentRow& one : rows) {
    if (removable.size() < most_names) text += (text.empty() ? "" : ", ") + dependence_of(one.row, one.of);
    removable.push_back(one.row);
  }
  if (left && !stays_dependent(t, closed))
    return fmt::format("'{}' starts in a singular position, where {}; start it from another position", problem_.name(),
                       text);
  return fmt::format("some constraints of '{}' are redundant: {}; remove {}", problem_.name(), text,
                     names(map_, removable));
}

// Long chains are nearly dependent everywhere, so they are judged by a stricter limit.
std::string ConstraintCheck::near_dependence(const State& s, const State& elsewhere) {
  map_.jacobian(elsewhere.t, elsewhere.q(), G_);
  const bool everywhere = !dependent_rows(G_, nearly, 1).empty();
  map_.jacobian(s.t, s.q(), G_);
  const std::string which = nearly_dependent(map_, G_, everywhere ? hardly_independent : nearly);
  return which.empty() ? "" : "the mechanism is near a singular position, where " + which;
}

std::string ConstraintCheck::contradiction(double t, In q) {
  Vec closed = q;
  const std::optional<Vec> left = close_all(t, closed);
  if (!left || max_abs(*left) <= contradictory * (1 + max_abs(q))) return "";
  std::vector<Index> rows;
  for (Index k = 0; k < m_; ++k)
    if (std::abs((*left)[k]) > 0.01 * max_abs(*left)) rows.push_back(k);
  map_.value(t, closed, g_);
  const std::string off = listed(rows, [&](Index row) { return fmt::format("{:.3g}", g_[row]); });
  if (rows.size() == 1)
    return fmt::format("no position of '{}' satisfies {}; at the nearest position its value is {} instead of 0",
                       problem_.name(), map_.name(rows[0]), off);
  return fmt::format(
      "the constraints of '{}' contradict each other: no position near the start satisfies {} at the same time; at the "
      "nearest position their values are {} instead of 0",
      problem_.name(), names(map_, rows), off);
}

std::optional<Vec> ConstraintCheck::close_all(double t, Vec& q) {
  for (int iteration = 0; iteration < 200; ++iteration) {
    map_.value(t, q, g_);
    map_.jacobian(t, q, G_);
    const UnitRows rows(G_);
    g_ = rows.scaled(g_);
    if (!all_finite(g_)) return std::nullopt;
    x_ = rows.smallest_with(g_);
    if (!all_finite(x_)) return std::nullopt;
    q -= x_;
    if (max_abs(x_) <= 1e-9 * (1 + max_abs(q))) return g_;
  }
  return std::nullopt;
}

// Are they also dependent a little further along a motion that the constraints allow?
bool ConstraintCheck::stays_dependent(double t, In closed) {
  constexpr double step = 1e-2, at_rest = 1e-6;
  map_.jacobian(t, closed, G_);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const Vec any = Vec::NullaryExpr(n_, [&] { return normal(random); });
  G_.multiply(any, rate_);
  const UnitRows rows(G_);
  const Vec along = any - rows.smallest_with(rows.scaled(rate_));
  if (max_abs(along) < at_rest) return true;
  Vec moved = closed + step * (1 + max_abs(closed)) / max_abs(along) * along;
  if (!close_all(t, moved)) return true;
  map_.jacobian(t, moved, G_);
  return !dependent_rows(G_, at_rest).empty();
}

std::string ConstraintCheck::missing_inertia(double t, In q) {
  MatrixSlot mass = problem_.mass_pattern();
  problem_.mass(q, mass);
  map_.jacobian(t, q, G_);
  const std::vector<Index> motion = common_kernel(sparse_copy(mass), sparse_copy(G_));
  if (motion.empty()) return "";
  const std::string name = problem_.components()[static_cast<std::size_t>(motion[0])].name;
  if (motion.size() == 1)
    return fmt::format("{} of '{}' has no mass, and no constraint determines it", name, problem_.name());
  return fmt::format("'{}' has a motion that has no mass and that no constraint determines, for instance along {}",
                     problem_.name(), name);
}

std::optional<ConstraintCheck::Moved> ConstraintCheck::project(State& s) {
  Vec q(n_);
  if (manifold().nearest(s.t, s.q(), q, mu_, ConstraintManifold::Effort::start) != Closing::ok) return std::nullopt;
  Moved by_position;
  by_position.position_by = (q - s.q()).cwiseAbs().maxCoeff(&by_position.coordinate);
  State projected = s;
  projected.q() = q;
  std::optional<Moved> moved = project_velocity(projected);
  if (!moved) return std::nullopt;
  moved->coordinate = by_position.coordinate;
  moved->position_by = by_position.position_by;
  s = std::move(projected);
  return moved;
}

std::optional<ConstraintCheck::Moved> ConstraintCheck::project_velocity(State& s) {
  if (!manifold().stand_at(s.t, s.q())) return std::nullopt;
  x_ = s.v();
  manifold().project_velocity(x_, mu_);
  if (!all_finite(x_)) return std::nullopt;
  Moved moved;
  moved.velocity_by = (x_ - s.v()).cwiseAbs().maxCoeff(&moved.velocity);
  s.v() = x_;
  return moved;
}

std::optional<Vec> ConstraintCheck::multipliers(const State& s) {
  if (!manifold().stand_at(s.t, s.q())) return std::nullopt;
  Vec force(n_);
  problem_.force(all_groups, s.t, s.q(), s.v(), force);
  if (const ReactionForces* reactions = reaction_forces(problem_)) {
    if (!ReactiveAcceleration(*reactions, n_, m_, m_).solve(manifold(), s.t, s.q(), s.v(), force, x_, mu_))
      return std::nullopt;
  } else {
    manifold().accelerate(force, s.v(), x_, mu_);
  }
  if (!all_finite(mu_)) return std::nullopt;
  return mu_;
}
}  // namespace trill
