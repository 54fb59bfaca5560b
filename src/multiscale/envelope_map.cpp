// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/envelope_map.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr double rounding_of_ends = 1e-9;  // in cycles
}  // namespace

void EnvelopeMap::show(std::unique_ptr<CycleView> view) {
  view_ = std::move(view);
  scale_ = view_->scale();
  z_ = end_ = Vec::Zero(scale_.size());
  part_ = State();
  computed_ = std::llround(view_->cycles_before());
  products_ = 0;
}

State EnvelopeMap::scaled(State s) const {
  s.y.array() /= scale_.array();
  return s;
}

std::unique_ptr<Problem> EnvelopeMap::clone() const {
  throw UsageError("an envelope run cannot share its cycles with another run");
}

const Vec& EnvelopeMap::unscaled(In z) const {
  z_ = z.array() * scale_.array();
  return z_;
}

bool EnvelopeMap::change(double n, In z, Out change) const {
  ++computed_;
  if (!map().change(n, unscaled(z), change)) return false;
  change.array() /= scale_.array();
  return true;
}

bool EnvelopeMap::change_and_derivative(double n, In z, Out change, Mat& derivative) const {
  computed_ += map().derives_cheaply() ? 1 : 1 + z.size();
  if (!map().change_and_derivative(n, unscaled(z), change, derivative)) return false;
  change.array() /= scale_.array();
  derivative = scale_.cwiseInverse().asDiagonal() * derivative * scale_.asDiagonal();
  return true;
}

bool EnvelopeMap::record(double n, In z, Out change) const {
  ++computed_;
  if (!map().record(n, unscaled(z), change)) return false;
  change.array() /= scale_.array();
  return true;
}

bool EnvelopeMap::tangent(In v, Out image) const {
  if (!map().derives_cheaply()) ++computed_;
  ++products_;
  if (!map().tangent(unscaled(v), image)) return false;
  image.array() /= scale_.array();
  return true;
}

bool EnvelopeMap::settle(double n, Out z) const {
  unscaled(z);
  if (!map().settle(n, z_)) return false;
  z = z_.array() / scale_.array();
  return true;
}

bool EnvelopeMap::change_plainly(double n, In z, Out change) const {
  ++computed_;
  if (!map().change_plainly(n, unscaled(z), change)) return false;
  change.array() /= scale_.array();
  return true;
}

double EnvelopeMap::cycles_until(double t, double n, In z) const {
  return std::min(map().cycles_until(t, n, unscaled(z)), last_ - n);
}

bool EnvelopeMap::part(double n, In z, double t, Out end) const {
  if (!map().part(n, unscaled(z), t, end_)) return false;
  end = end_.array() / scale_.array();
  part_.t = t;
  return view_->leave_part(end_, part_);
}

void EnvelopeMap::sizes(In z, In largest, Out sizes) const {
  largest_ = largest.array() * scale_.array();
  map().sizes(unscaled(z), largest_, sizes);
  sizes.array() /= scale_.array();
}

bool EnvelopeMap::leave(double t, In z, State& out) const {
  out.t = t;
  if (part_.y.size() == 0 || std::abs(t - part_.t) > rounding_of_ends * view_->period())
    return view_->leave(t, unscaled(z), out);
  out.y = part_.y;
  out.mode = part_.mode;
  return true;
}

void EnvelopeMap::memory(Archive& archive) { archive(scale_, reached_, computed_, products_, *view_); }
}  // namespace trill
