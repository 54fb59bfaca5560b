// SPDX-License-Identifier: BSD-3-Clause
#include "model/text/model_mode.hpp"

#include "model/text/model_functions.hpp"

#include <algorithm>
#include <limits>

namespace trill {
HeldFormulas::HeldFormulas(const ModelFunctions& functions) {
  for (const auto& kernel : functions.kernels()) {
    if (kernel->switches.empty()) continue;
    const auto instances = static_cast<std::size_t>(kernel->table->instances);
    kernels_.push_back({kernel.get(), {kernel->switches.size(), std::vector<double>(instances, 0.0)}});
    for (const SwitchTerm& s : kernel->switches) {
      const std::size_t places = s.stride == 0 ? 1 : instances;
      sides_.resize(
          std::max(sides_.size(), static_cast<std::size_t>(s.first + s.stride * (static_cast<Index>(places) - 1) + 1)));
    }
  }
}

void HeldFormulas::release() {
  std::fill(sides_.begin(), sides_.end(), Side::free);
  any_ = false;
  set_biases(Use::no_side);
}

void HeldFormulas::set(Index place, Side side) {
  sides_[static_cast<std::size_t>(place)] = side;
  any_ = any_ || side != Side::free;
  set_bias(place, side);
}

void HeldFormulas::set_biases(Use use) {
  for (std::size_t place = 0; place < sides_.size(); ++place)
    set_bias(static_cast<Index>(place), use == Use::sides ? sides_[place] : Side::free);
}

void HeldFormulas::set_bias(Index place, Side side) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double bias = side == Side::free ? 0 : side == Side::below ? infinity : -infinity;
  for (KernelBiases& k : kernels_)
    for (std::size_t s = 0; s < k.values.size(); ++s) {
      const SwitchTerm& term = k.kernel->switches[s];
      const Index distance = place - term.first;
      if (term.stride == 0 && distance == 0)
        std::fill(k.values[s].begin(), k.values[s].end(), bias);
      else if (term.stride > 0 && distance >= 0 && distance % term.stride == 0 &&
               distance / term.stride < static_cast<Index>(k.values[s].size()))
        k.values[s][static_cast<std::size_t>(distance / term.stride)] = bias;
    }
}

void HeldFormulas::bind(Runner& runner) const {
  for (const KernelBiases& k : kernels_) {
    if (k.kernel->table.get() != &runner.table()) continue;
    for (std::size_t s = 0; s < k.values.size(); ++s) runner.set_column(k.kernel->first_bias() + s, k.values[s].data());
  }
}

ModelMode::ModelMode(const ModelFunctions& functions, std::vector<double> parameters)
    : stated_(std::move(parameters)), parameters_(stated_), held_(functions) {}

void ModelMode::set_parameter(int parameter, double value) {
  double& now = parameters_[static_cast<std::size_t>(parameter)];
  if (now == value) return;
  now = value;
  ++version_;
}

void ModelMode::reset() {
  if (parameters_ != stated_) ++version_;
  std::copy(stated_.begin(), stated_.end(), parameters_.begin());
  held_.release();
}
}  // namespace trill
