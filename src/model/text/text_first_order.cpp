// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_first_order.hpp"

namespace trill {
TextFirstOrder::TextFirstOrder(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)),
      parameters_(model_->space->parameter_values()),
      events_(*model_),
      rates_(*model_->functions, {Purpose::rate}, &events_.held()),
      measures_(*model_->functions, {Purpose::measure}),
      closed_form_(*model_->functions, {Purpose::closed_form, 0}),
      jacobian_(*model_->functions, {Purpose::rate_jacobian}, &events_.held()) {
  rates_.prepare(parameters_);
}

std::vector<Quantity> TextFirstOrder::components() const {
  std::vector<Quantity> all;
  all.reserve(static_cast<std::size_t>(model_->start.size()));
  model_->space->add_components(ModelSpace::Kind::coordinate, all);
  return all;
}

State TextFirstOrder::initial_state() const {
  State s(layout());
  s.y = model_->start;
  s.mode = events_.modes();
  return s;
}

void TextFirstOrder::rhs(double t, In y, Out dy) const {
  const auto evaluate = [&] {
    dy.setZero();
    rates_.add({.t = t, .q = y.data()}, parameters_, dy.data());
  };
  events_.evaluate(evaluate, dy);
}

bool TextFirstOrder::jacobian(double t, In y, MatrixSlot& j) const {
  j.set_zero();
  jacobian_.add({.t = t, .q = y.data()}, parameters_, j);
  return true;
}

void TextFirstOrder::enter(const State& s) const {
  set_parameters(s);
  events_.hold_formulas_of(s, parameters_);
}

void TextFirstOrder::set_parameters(const State& s) const {
  if (model_->changing.empty()) return;
  events_.set_parameters(s, parameters_);
  events_.forget_parameters();
  for (VectorRun* run : {&rates_, &measures_, &closed_form_}) run->forget_parameters();
  jacobian_.forget_parameters();
}

void TextFirstOrder::measure(const State& s, Out values) const {
  values.setZero();
  measures_.add({.t = s.t, .q = s.y.data()}, parameters_, values.data());
}

bool TextFirstOrder::exact(double t, Out y) const {
  if (!model_->has_closed_form) return false;
  y.setZero();
  closed_form_.add({.t = t}, parameters_, y.data());
  return true;
}
}  // namespace trill
