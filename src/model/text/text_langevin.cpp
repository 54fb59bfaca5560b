// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/text_langevin.hpp"

#include <algorithm>

namespace trill {
TextLangevin::TextLangevin(std::shared_ptr<const CompiledModel> model)
    : AroundMechanics(std::move(model)), measured_(static_cast<Index>(mechanics_.quantities().size())) {}

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
