// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_langevin.hpp"

#include "model/file/measure_laws.hpp"
#include "model/text/kernel_scope.hpp"

#include <algorithm>
#include <cmath>

namespace trill {
namespace {
constexpr Index own_measures = 2;  // before those of the file

// The name of a measure stands for its value; everything else is looked up as in the model.
class LawNames final : public NameScope {
 public:
  LawNames(KernelScope& scope, std::string_view measure) : scope_(scope), measure_(measure) {}
  ParsedValue find(const NameUse& use) override {
    if (use.name == measure_ && use.index == no_expression)
      return parsed_number(scope_.graph().symbol(SymbolKind::time));
    return scope_.find(use);
  }
  std::vector<std::string> names() const override { return scope_.names(); }

 private:
  KernelScope& scope_;
  std::string_view measure_;
};
}  // namespace

TextLangevin::TextLangevin(std::shared_ptr<const CompiledModel> model)
    : AroundMechanics(std::move(model)), measured_(static_cast<Index>(mechanics_.quantities().size())) {
  read_laws();
}

void TextLangevin::read_laws() {
  ModelSpace& space = *model_->space;
  const std::vector<FileLaw> laws = read_measure_laws(model_->source);
  for (const FileLaw& stated : laws) {
    const auto& measures = model_->measures;
    const auto place =
        std::find_if(measures.begin(), measures.end(), [&](const Quantity& q) { return q.name == stated.measure; });
    KernelScope scope(space, nullptr);
    LawNames names(scope, stated.measure);
    const Expression density = parse_expression(stated.density.piece, scope.graph(), names);
    if (!depends_on_time_alone(scope.graph(), density))
      throw stated.density.error("the law of a measure depends on its value, and otherwise on parameters alone");
    const auto end = [&](int k) {
      return KernelScope(space, nullptr).parse_constant(stated.range.part(k), "the range of a measure");
    };
    const Range range{end(0), end(1)};
    if (!(range.high > range.low)) throw stated.range.error("the range of a measure must ascend");
    const auto value_of = [&](SymbolKind, int parameter) {
      return space.parameter_values()[static_cast<std::size_t>(parameter)];
    };
    laws_.push_back({own_measures + (place - measures.begin()), TimeFunction(scope.graph(), density, value_of), range});
  }
}

TextLangevin::Law* TextLangevin::law_of(Index measure) const {
  const auto found = std::find_if(laws_.begin(), laws_.end(), [&](const Law& law) { return law.measure == measure; });
  return found == laws_.end() ? nullptr : &*found;
}

std::optional<KnownLaw::Range> TextLangevin::law_range(Index measure) const {
  const Law* law = law_of(measure);
  return law ? std::optional(law->range) : std::nullopt;
}

double TextLangevin::law(Index measure, double value) const {
  Law* law = law_of(measure);
  return law ? law->density.at(value) : std::nan("");
}

std::vector<Quantity> TextLangevin::quantities() const {
  std::vector<Quantity> all{{"kinetic_temperature", ""}, {"potential_energy", "", QuantityKind::energy_part}};
  all.insert(all.end(), model_->measures.begin(), model_->measures.end());
  return all;
}

void TextLangevin::measure(const State& s, Out values) const {
  mechanics_.measure(s, measured_);
  const double kinetic = mechanics_.kinetic_energy(s);
  // If there are as many constraints as coordinates, nothing can move and the temperature is 0.
  values[0] = 2 * kinetic / static_cast<double>(std::max<Index>(1, s.layout.nv - s.layout.nl));
  values[1] = measured_[0] - kinetic;
  values.tail(values.size() - 2) = measured_.tail(measured_.size() - 1);
}
}  // namespace trill
