// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/reduced_structure.hpp"

namespace trill {
namespace {
SpMat diagonal_matrix(const Vec& values) {
  SpMat m(values.size(), values.size());
  m.reserve(Eigen::VectorXi::Constant(values.size(), 1));
  for (Index i = 0; i < values.size(); ++i) m.insert(i, i) = values[i];
  return m;
}
}  // namespace

void ReducedStructure::become(ModalSystem system, double step) {
  system_ = std::move(system);
  step_ = step;
  mass_ = diagonal_matrix(Vec::Ones(system_.size()));
  stiffness_ = system_.stiffness.size() > 0 ? SpMat(system_.stiffness.sparseView()) : diagonal_matrix(system_.lambda);
  damping_ = system_.coupling.size() > 0 ? SpMat(system_.coupling.sparseView()) : diagonal_matrix(system_.damping);
}

std::unique_ptr<Problem> ReducedStructure::clone() const {
  auto copy = std::make_unique<ReducedStructure>(whole_);
  copy->become(system_, step_);
  return copy;
}

std::vector<Quantity> ReducedStructure::components() const {
  std::vector<Quantity> all;
  for (const char* letter : {"x", "vx"})
    for (Index i = 1; i <= system_.size(); ++i) all.push_back({letter + std::to_string(i), ""});
  return all;
}
}  // namespace trill
