// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_structure.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
double SampledFactor::at(double time) const {
  if (time < t.front() || time > t.back()) return 0;
  const auto after = std::upper_bound(t.begin(), t.end(), time);
  if (after == t.end()) return value.back();
  const auto k = static_cast<std::size_t>(after - t.begin());
  const double share = (time - t[k - 1]) / (t[k] - t[k - 1]);
  return value[k - 1] + share * (value[k] - value[k - 1]);
}

TextStructure::TextStructure(std::shared_ptr<const CompiledModel> model, std::shared_ptr<const StructureData> data)
    : model_(std::move(model)), data_(std::move(data)), factors_(data_->factors), now_(data_->loads.cols()) {}

void TextStructure::load_factors(double t, Out factors) const {
  factors_.evaluate({.t = t, .parameters = model_->space->parameter_values().data()});
  for (Index i = 0; i < factors.size(); ++i) {
    const auto& table = data_->tables[static_cast<std::size_t>(i)];
    factors[i] = table ? table->at(t) : factors_[static_cast<std::size_t>(i)];
  }
}

namespace {
// In one line, as for everything that is found after the file was read.
UsageError complaint_at(const SourceText& source, std::size_t offset, const std::string& message) {
  const SourcePlace place = source.place(offset);
  return UsageError(fmt::format("{}:{}:{}: {}", source.file(), place.line, place.column, message));
}
}  // namespace

UsageError TextStructure::stiffness_error(const std::string& message) const {
  const FileStructure& file = *model_->file.structure;
  return complaint_at(model_->source, (file.generate ? file.generate->shape : *file.stiffness).offset, message);
}

UsageError TextStructure::factor_error(Index load, const std::string& message) const {
  const FileLoad& given = model_->file.structure->loads[static_cast<std::size_t>(load)];
  if (given.factor) return complaint_at(model_->source, given.factor->piece.begin, message);
  return given.table ? complaint_at(model_->source, given.table->offset, message) : UsageError(message);
}

std::vector<double> TextStructure::breakpoints(double t0, double t1) const {
  std::vector<double> times;
  for (TimeFunction when : data_->switches) {
    const std::vector<double> found = when.sign_changes(t0, t1);
    times.insert(times.end(), found.begin(), found.end());
  }
  for (const auto& table : data_->tables)
    if (table)
      for (const double t : table->t)
        if (t > std::min(t0, t1) && t < std::max(t0, t1)) times.push_back(t);
  std::sort(times.begin(), times.end());
  return times;
}

std::vector<TimeMark> TextStructure::time_marks(double t0, double t1) const {
  std::vector<ActiveStretch> all;
  for (const TimeFunction& part : data_->factor_parts) {
    const std::vector<ActiveStretch> found = active_stretches(part, t0, t1);
    all.insert(all.end(), found.begin(), found.end());
  }
  return marks_of(all);
}

std::vector<Quantity> TextStructure::components() const {
  std::vector<Quantity> all;
  for (const char* letter : {"u", "vu"})
    for (Index i = 1; i <= data_->mass.rows(); ++i) all.push_back({fmt::format("{}{}", letter, i), ""});
  return all;
}

State TextStructure::initial_state() const {
  State s(layout(), model_->begin);
  s.q() = data_->start;
  s.v() = data_->velocity;
  return s;
}

double TextStructure::load_energy(double t, In q) const {
  load_factors(t, now_);
  double sum = 0;
  for (Index i = 0; i < now_.size(); ++i) sum -= now_[i] * data_->loads.col(i).dot(q);
  return sum;
}

std::optional<double> TextStructure::potential(Groups groups, double t, In q) const {
  if (!data_->has_potential) return std::nullopt;
  return groups & 1 ? 0.5 * quadratic_form(data_->stiffness, q) + load_energy(t, q) : 0;
}

std::vector<Quantity> TextStructure::quantities() const {
  std::vector<Quantity> all{{"energy", "", QuantityKind::energy}};
  for (const StructureOutput& output : data_->outputs) all.push_back({output.name, output.unit});
  return all;
}

void TextStructure::measure(const State& s, Out values) const {
  values[0] =
      0.5 * (quadratic_form(data_->mass, s.v()) + quadratic_form(data_->stiffness, s.q())) + load_energy(s.t, s.q());
  for (std::size_t k = 0; k < data_->outputs.size(); ++k)
    values[static_cast<Index>(k) + 1] = data_->outputs[k].weights.dot(s.q());
}
}  // namespace trill
