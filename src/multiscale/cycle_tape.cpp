// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/cycle_tape.hpp"

#include <utility>

namespace trill {
namespace {
constexpr double fill_in = 4;           // entries of sparse factors for each entry of the matrix, roughly
constexpr double small_factors = 15e3;  // bytes of a solver for small matrices
}  // namespace

CycleTape::CycleTape(const CircuitProblem& problem, const SdirkTableau& tableau, double most_bytes)
    : problem_(problem),
      tableau_(tableau),
      most_bytes_(most_bytes),
      dcurrent_(problem.jacobian_pattern()),
      matrix_(dcurrent_) {}

void CycleTape::clear() {
  used_ = 0;
  full_ = false;
  entries_.clear();
  events_.clear();
}

bool CycleTape::make_room() {
  const auto wanted = used_ + ChargeStep::stages;
  if (wanted <= stages_.size()) return true;
  const double bytes = small_factors + 8 * (1 + fill_in) * static_cast<double>(matrix_.stored());
  if (used_ > 0 && bytes_ + ChargeStep::stages * bytes > most_bytes_) return false;
  bytes_ += ChargeStep::stages * bytes;
  while (stages_.size() < wanted) stages_.push_back({matrix_, make_linear_solver(matrix_)});
  return true;
}

bool CycleTape::add_step(const ChargeStep& step, CycleCounts& counts) {
  if (full_ || !make_room()) {
    full_ = true;
    return false;
  }
  entries_.push_back({step.h(), used_});
  const double sigma = 1 / (step.h() * tableau_.gamma);
  for (int i = 0; i < ChargeStep::stages; ++i) {
    Stage& stage = stages_[used_++];
    problem_.jacobians(step.stage_time(i), step.values().col(i), stage.dcharge, dcurrent_);
    const double *c = stage.dcharge.values(), *g = dcurrent_.values();
    double* m = matrix_.values();
    for (Index k = 0; k < matrix_.stored(); ++k) m[k] = sigma * c[k] + g[k];
    ++counts.factorisations;
    if (!stage.solver->factorise(matrix_)) return false;
  }
  return true;
}

void CycleTape::add_event(Vec jump, Vec slope) {
  entries_.push_back({0, events_.size()});
  events_.push_back({std::move(jump), std::move(slope)});
}

// (sigma C_i + G_i) D_i = sigma B_i with B_i = S + h sum_{j<i} a_ij F_j, where F_j = sigma (C_j D_j - B_j) is the
// derivative of the slope of the charges at stage j.
void CycleTape::sweep_step(const Entry& step, Mat& dcharges) {
  const double sigma = 1 / (step.h * tableau_.gamma);
  base_.resize(dcharges.rows(), dcharges.cols());
  for (int i = 0; i < ChargeStep::stages; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Stage& stage = stages_[step.place + at];
    d_[at].resize(dcharges.rows(), dcharges.cols());
    f_[at].resize(dcharges.rows(), dcharges.cols());
    base_ = dcharges;
    for (int j = 0; j < i; ++j) base_ += step.h * tableau_.a(i, j) * f_[static_cast<std::size_t>(j)];
    f_[at] = sigma * base_;
    for (Index k = 0; k < dcharges.cols(); ++k) {
      stage.solver->solve(f_[at].col(k), d_[at].col(k));
      stage.dcharge.multiply(d_[at].col(k), f_[at].col(k));
    }
    if (i == ChargeStep::stages - 1)
      dcharges = f_[at];
    else
      f_[at] = sigma * (f_[at] - base_);
  }
}

void CycleTape::euler(In dcharges, Out moved) {
  Stage& stage = stages_[entries_.front().place];
  euler_base_ = first_sigma() * dcharges;
  euler_values_.resize(dcharges.size());
  stage.solver->solve(euler_base_, euler_values_);
  stage.dcharge.multiply(euler_values_, moved);
}

void CycleTape::sweep_event(const Entry& event, Mat& dcharges) {
  const Event& e = events_[event.place];
  delays_ = e.slope.transpose() * end_derivative();
  dcharges += e.jump * delays_;
}

void CycleTape::sweep(Mat& dcharges) {
  for (const Entry& entry : entries_) entry.h > 0 ? sweep_step(entry, dcharges) : sweep_event(entry, dcharges);
}

void CycleTape::sweep_last_event(Mat& dcharges) { sweep_event(entries_.back(), dcharges); }
}  // namespace trill
