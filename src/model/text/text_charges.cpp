// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_charges.hpp"

#include <fmt/format.h>

namespace trill {
TextCharges::TextCharges(std::shared_ptr<const CompiledModel> model)
    : model_(std::move(model)),
      mode_(*model_->functions, model_->space->parameter_values()),
      events_(*model_),
      charges_(*model_->functions, {Purpose::charge}, &mode_.held()),
      rates_(*model_->functions, {Purpose::rate}, &mode_.held()),
      measures_(*model_->functions, {Purpose::measure}),
      closed_form_(*model_->functions, {Purpose::closed_form, 0}),
      charge_jacobian_(*model_->functions, {Purpose::charge_jacobian}, &mode_.held()),
      rate_jacobian_(*model_->functions, {Purpose::rate_jacobian}, &mode_.held()),
      pattern_(
          union_pattern(charge_jacobian_.prepare(mode_.parameters()), rate_jacobian_.prepare(mode_.parameters()))) {
  rates_.prepare(mode_.parameters());
}

std::vector<Quantity> TextCharges::components() const {
  std::vector<Quantity> all;
  all.reserve(static_cast<std::size_t>(model_->start.size()));
  model_->space->add_components(ModelSpace::Kind::coordinate, all);
  return all;
}

State TextCharges::initial_state() const {
  State s(layout(), model_->begin);
  s.y = model_->start;
  s.mode = events_.modes();
  return s;
}

void TextCharges::charge(In x, Out c) const {
  const auto evaluate = [&] {
    c.setZero();
    charges_.add({.q = x.data()}, mode_.parameters(), c.data());
  };
  mode_.evaluate(evaluate, c);
}

void TextCharges::current(double t, In x, Out i) const {
  const auto evaluate = [&] {
    i.setZero();
    rates_.add({.t = t, .q = x.data()}, mode_.parameters(), i.data());
  };
  mode_.evaluate(evaluate, i);
  i = -i;
}

void TextCharges::jacobians(double t, In x, MatrixSlot& dcharge, MatrixSlot& dcurrent) const {
  dcharge.set_zero();
  charge_jacobian_.add({.t = t, .q = x.data()}, mode_.parameters(), dcharge);
  dcurrent.set_zero();
  rate_jacobian_.add({.t = t, .q = x.data()}, mode_.parameters(), dcurrent);
  dcurrent.scale(-1);
}

const FileValue& TextCharges::equation(Index k) const {
  for (const CoordinateArray& array : model_->space->arrays()) {
    if (k < array.first || k >= array.first + array.size()) continue;
    const int part = static_cast<int>((k - array.first) % array.parts);
    for (const FileRate& rate : model_->file.rates)
      if (rate.on.text == array.file->name.text) return rate.value.part(part);
  }
  return model_->file.rates[0].value;
}

std::string TextCharges::equation_name(Index k) const {
  return fmt::format("the equation of '{}' in line {}", components()[static_cast<std::size_t>(k)].name,
                     model_->source.place(equation(k).piece.begin).line);
}

void TextCharges::measure(const State& s, Out values) const {
  values.setZero();
  measures_.add({.t = s.t, .q = s.y.data()}, mode_.parameters(), values.data());
}

bool TextCharges::exact(double t, Out y) const {
  if (!model_->has_closed_form) return false;
  y.setZero();
  closed_form_.add({.t = t}, mode_.parameters(), y.data());
  return true;
}

std::unique_ptr<TextCharges> make_text_charges(const std::shared_ptr<CompiledModel>& model) {
  auto problem = std::make_unique<TextCharges>(model);
  const Vec guess = model->start;
  ConsistentCharges charges(*problem, model->begin, guess);
  const auto status = charges.settle(model->begin, model->start);
  if (status == ConsistentCharges::Status::ok) return problem;
  Index blamed = charges.worst(model->begin, guess).equation;
  if (status == ConsistentCharges::Status::singular)
    if (const auto dependent = charges.dependent_equations(model->begin, guess); !dependent.empty())
      blamed = dependent[0];
  throw problem->equation(blamed).error(describe_failure(*problem, charges, status, model->begin, guess));
}
}  // namespace trill
