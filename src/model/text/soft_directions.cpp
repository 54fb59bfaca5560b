// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/soft_directions.hpp"

#include "model/expression/derivative.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double soft_frequency = 1.0 / 30;  // relative to the stiffest direction of the same bushing

// The gradient of a gap at the start, divided by the masses: what makes a frequency of its stiffness. It has names of
// its own, so that the functions of the model do not depend on whether somebody has asked.
class GapAlone {
 public:
  GapAlone(const FileStiff& s, const CompiledModel& model, const std::vector<bool>& given_mass)
      : model_(model), given_mass_(given_mass), scope_(*model.space, model.space->set(s.over)) {
    stiffness_ = positive_stiffness(scope_, s);
    partials_ = gradient(scope_.graph(), scope_.parse(s.gap), SymbolKind::coordinate);
    table_ = scope_.make_table();
  }

  // The largest k G M^-1 G^T over the elements.
  double largest_square() {
    std::vector<Expression> slopes;
    for (const Partial& p : partials_) slopes.push_back(p.value);
    const Program program(scope_.graph(), slopes);
    Evaluator evaluator(program);
    double largest = 0;
    for (std::size_t i = 0; i < stiffness_.size(); ++i) {
      evaluate(i, evaluator);
      largest = std::max(largest, stiffness_[i] * inverse_mass(i, evaluator));
    }
    return largest;
  }

 private:
  void evaluate(std::size_t element, Evaluator& evaluator) {
    q_.clear();
    columns_.clear();
    for (const IndexTable& slot : table_.coordinates) q_.push_back(model_.start[slot[element]]);
    for (const Column& column : table_.columns) columns_.push_back((*column)[element]);
    evaluator.evaluate({.t = model_.begin,
                        .q = q_.data(),
                        .parameters = model_.space->parameter_values().data(),
                        .columns = columns_.data(),
                        .element = static_cast<double>(element)});
  }

  // Where the file gives no mass, as for a beam, the other side of the gap counts alone.
  double inverse_mass(std::size_t element, const Evaluator& slopes) const {
    double sum = 0;
    for (std::size_t j = 0; j < partials_.size(); ++j) {
      const std::int32_t place = table_.coordinates[static_cast<std::size_t>(partials_[j].column)][element];
      const double mass = model_.mass[place];
      if (given_mass_[static_cast<std::size_t>(place)] && mass > 0) sum += slopes[j] * slopes[j] / mass;
    }
    return sum > 0 ? sum : 1;
  }

  const CompiledModel& model_;
  const std::vector<bool>& given_mass_;
  KernelScope scope_;
  std::vector<double> stiffness_, q_, columns_;
  std::vector<Partial> partials_;
  KernelTable table_;
};
}  // namespace

std::vector<double> positive_stiffness(KernelScope& scope, const FileStiff& s) {
  std::vector<double> numbers = scope.parse_constants(s.stiffness, "a stiffness");
  for (const double value : numbers)
    if (!(value > 0)) throw s.stiffness.error(fmt::format("a stiffness must be positive, not {}", value));
  return numbers;
}

bool is_soft_direction(const FileStiff& s, const CompiledModel& model, const std::vector<bool>& given_mass) {
  if (!s.bushing) return false;
  const auto square = [&](const FileStiff& of) { return GapAlone(of, model, given_mass).largest_square(); };
  double stiffest = 0;
  for (const FileStiff& other : model.file.stiff)
    if (other.bushing == s.bushing) stiffest = std::max(stiffest, square(other));
  return square(s) < soft_frequency * soft_frequency * stiffest;
}
}  // namespace trill
