// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_first_order.hpp"

namespace trill {
TextFirstOrder::TextFirstOrder(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)),
      mode_(*model_->functions, model_->space->parameter_values()),
      events_(*model_),
      rates_(*model_->functions, {Purpose::rate}, &mode_.held()),
      measures_(*model_->functions, {Purpose::measure}),
      closed_form_(*model_->functions, {Purpose::closed_form, 0}),
      jacobian_(*model_->functions, {Purpose::rate_jacobian}, &mode_.held()) {
  rates_.prepare(mode_.parameters());
}

std::vector<Quantity> TextFirstOrder::components() const {
  std::vector<Quantity> all;
  all.reserve(static_cast<std::size_t>(model_->start.size()));
  model_->space->add_components(ModelSpace::Kind::coordinate, all);
  return all;
}

State TextFirstOrder::initial_state() const {
  State s(layout(), model_->begin);
  s.y = model_->start;
  s.mode = events_.modes();
  return s;
}

void TextFirstOrder::rhs(double t, In y, Out dy) const {
  const auto evaluate = [&] {
    dy.setZero();
    rates_.add({.t = t, .q = y.data()}, mode_.parameters(), dy.data());
  };
  mode_.evaluate(evaluate, dy);
}

bool TextFirstOrder::jacobian(double t, In y, MatrixSlot& j) const {
  j.set_zero();
  jacobian_.add({.t = t, .q = y.data()}, mode_.parameters(), j);
  return true;
}

void TextFirstOrder::measure(const State& s, Out values) const {
  values.setZero();
  measures_.add({.t = s.t, .q = s.y.data()}, mode_.parameters(), values.data());
}

bool TextFirstOrder::exact(double t, Out y) const {
  if (!model_->has_closed_form) return false;
  y.setZero();
  closed_form_.add({.t = t}, mode_.parameters(), y.data());
  return true;
}
}  // namespace trill
