// SPDX-License-Identifier: BSD-3-Clause
#include "method/smooth_inside.hpp"

#include "method/stage_polynomial.hpp"

namespace trill {
SmoothInside::SmoothInside(const LiftedForm& form, const LiftedForm* hard)
    : n_(form.unknowns()),
      gaps_(form.gaps()),
      hard_(form.rows() - form.gaps()),
      point_(form),
      hard_point_(hard ? std::make_unique<SlowPoint>(*hard) : nullptr),
      rate_(Vec::Zero(form.rows())),
      q_(Vec::Zero(n_)),
      v_(q_) {}

void SmoothInside::move(double t, double h, In nodes, Index from, Mat& values) {
  const Index last = values.cols() - 1;
  moved_ = values;
  multipliers_.resize(rate_.size(), values.cols());
  for (Index k = from; k < last; ++k)
    if (!close(t + nodes[k] * h, k)) return;
  if (gaps_ > 0 && !settle_all(t, h, nodes, from)) return;
  values.swap(moved_);
}

bool SmoothInside::settle_all(double t, double h, In nodes, Index from) {
  const Index last = moved_.cols() - 1;
  end_ = moved_.col(last);
  if (!close(t + h, last)) return false;
  moved_.col(last) = end_;
  if (slopes_.size() == 0) find_slopes(nodes);
  for (Index k = from; k < last; ++k) {
    rate_.noalias() = (1 / h) * (multipliers_.rightCols(last) * slopes_.col(k));
    if (!settle(t + nodes[k] * h, k)) return false;
  }
  return true;
}

bool SmoothInside::close(double t, Index column) {
  ++evaluations_;
  const auto y = moved_.col(column);
  if (point_.find(t, y.head(n_), y.segment(n_, n_)) != SlowPoint::Status::ok) return false;
  multipliers_.col(column) = point_.lambda;
  write(column);
  return true;
}

// The start, at which the motion may not have been smooth, has no part in the rate of the multipliers.
void SmoothInside::find_slopes(In nodes) {
  const Vec inside = nodes.tail(nodes.size() - 1);
  slopes_ = Mat::Zero(inside.size(), nodes.size());
  for (Index k = 0; k < nodes.size(); ++k) slopes_.col(k) = lagrange_slopes(inside, nodes[k]);
}

// From closed gaps to g = C lambda and G v + g_t = C lambda'. Open gaps lead off the hard constraints by terms that are
// quadratic in them.
bool SmoothInside::settle(double t, Index column) {
  const auto y = moved_.col(column);
  evaluations_ += hard_point_ ? 3 : 2;
  if (point_.find(t, y.head(n_), y.segment(n_, n_)) != SlowPoint::Status::ok) return false;
  point_.settle(rate_, q_, v_);
  if (hard_point_) {
    if (hard_point_->find(t, q_, v_) != SlowPoint::Status::ok) return false;
    q_ = hard_point_->q;
    v_ = hard_point_->v;
  }
  if (!point_.move_to(t, q_, v_)) return false;
  write(column);
  return true;
}

void SmoothInside::write(Index column) {
  moved_.col(column).head(n_) = point_.q;
  moved_.col(column).segment(n_, n_) = point_.v;
  moved_.col(column).segment(2 * n_, hard_) = point_.lambda.tail(hard_);
}
}  // namespace trill
