// SPDX-License-Identifier: BSD-3-Clause
#include "trill/model/element_problem.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr Index most_dense = 32;  // matrices of larger systems are sparse
constexpr std::size_t most_groups = 32;
}  // namespace

ElementProblem::ElementProblem(std::string name, Vec start, Vec velocity)
    : ElementProblem(std::move(name), start, std::move(velocity), Vec::Ones(start.size())) {}

ElementProblem::ElementProblem(std::string name, Vec start, Vec velocity, Vec mass)
    : name_(std::move(name)), start_(std::move(start)), velocity_(std::move(velocity)), mass_(std::move(mass)) {
  if (velocity_.size() != start_.size() || mass_.size() != start_.size())
    throw UsageError(
        fmt::format("{}: there are {} positions, {} velocities and {} masses; there must be equally many of each",
                    name_, start_.size(), velocity_.size(), mass_.size()));
  if (!(mass_.array() > 0).all()) throw UsageError(fmt::format("{}: every mass must be positive", name_));
}

void ElementProblem::add_kind(std::shared_ptr<const ElementKind> elements, const GroupInfo& group) {
  std::vector<std::span<const Index>> all;
  elements->list_coordinates(all);
  for (const auto& coordinates : all)
    for (const Index i : coordinates)
      if (i < 0 || i >= start_.size())
        throw UsageError(
            fmt::format("{}: an element depends on coordinate {}, but the coordinates are numbered 0 to {}", name_, i,
                        start_.size() - 1));
  const auto it =
      std::find_if(groups_.begin(), groups_.end(), [&](const GroupInfo& g) { return g.name == group.name; });
  const auto index = static_cast<std::size_t>(it - groups_.begin());
  if (index == most_groups)
    throw UsageError(
        fmt::format("{}: there are more than {} groups of forces, which is the limit", name_, most_groups));
  if (it == groups_.end()) groups_.push_back(group);
  kinds_.push_back({std::move(elements), Groups{1} << index});
}

std::vector<Quantity> ElementProblem::components() const {
  std::vector<Quantity> names;
  for (const char* letter : {"q", "v"})
    for (Index i = 0; i < start_.size(); ++i) names.push_back({fmt::format("{}{}", letter, i), ""});
  return names;
}

State ElementProblem::initial_state() const {
  State s(layout());
  s.q() = start_;
  s.v() = velocity_;
  return s;
}

MassKind ElementProblem::mass_kind() const {
  return (mass_.array() == 1).all() ? MassKind::identity : MassKind::diagonal;
}

void ElementProblem::mass(In, MatrixSlot& m) const {
  m.set_zero();
  for (Index i = 0; i < mass_.size(); ++i) m.add(i, i, mass_[i]);
}

void ElementProblem::force(Groups groups, double, In q, In, Out f) const {
  f.setZero();
  for (const Kind& kind : kinds_)
    if (groups & kind.group) kind.elements->subtract_gradient(q.data(), f.data());
}

MatrixSlot ElementProblem::stiffness_pattern() const {
  const Index n = start_.size();
  if (n <= most_dense) return MatrixSlot::dense(n, n);
  std::vector<std::span<const Index>> all;
  for (const Kind& kind : kinds_) kind.elements->list_coordinates(all);
  std::vector<Eigen::Triplet<double>> places;
  for (const auto& coordinates : all)
    for (const Index i : coordinates)
      for (const Index j : coordinates) places.emplace_back(i, j, 1.0);
  SpMat pattern(n, n);
  pattern.setFromTriplets(places.begin(), places.end());
  return MatrixSlot::sparse(pattern);
}

bool ElementProblem::force_jacobian(Groups groups, double, In q, In, MatrixSlot& dq, MatrixSlot& dv) const {
  dq.set_zero();
  dv.set_zero();
  for (const Kind& kind : kinds_)
    if (groups & kind.group) kind.elements->subtract_second_derivative(q.data(), dq);
  return true;
}

std::optional<double> ElementProblem::potential(Groups groups, double, In q) const {
  double sum = 0;
  for (const Kind& kind : kinds_)
    if (groups & kind.group) sum += kind.elements->energy(q.data());
  return sum;
}

void ElementProblem::measure(const State& s, Out values) const {
  values[0] = 0.5 * s.v().cwiseAbs2().dot(mass_) + *potential(all_groups, s.t, s.q());
}
}  // namespace trill
