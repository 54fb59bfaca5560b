// SPDX-License-Identifier: BSD-3-Clause
// All that a run changes in a text model: its parameters, and which formulas hold. The rest of a problem is constant or
// scratch memory.
#pragma once

#include "model/expression/routine.hpp"

#include <cstdint>

namespace trill {
struct Kernel;
class ModelFunctions;

// The parameter values that functions are evaluated with. They have changed if the version has.
struct ParameterValues {
  ParameterValues(const std::vector<double>& given, std::int64_t number = 0) : values(given), version(number) {}
  std::span<const double> values;
  std::int64_t version;
};

// Which formulas hold: for each switch and element a bias that is added to what is compared. 0 lets the comparison
// decide, an infinite bias decides it beforehand. Runners point to the biases, so these must not move in memory.
class HeldFormulas {
 public:
  enum class Side { free, below, above };  // side of the zero of a switching function
  explicit HeldFormulas(const ModelFunctions& functions);
  HeldFormulas(const HeldFormulas&) = delete;
  HeldFormulas& operator=(const HeldFormulas&) = delete;
  void set(Index place, Side side);
  void release();
  bool any() const { return any_; }
  Side side(Index place) const { return sides_[static_cast<std::size_t>(place)]; }
  void bind(Runner& runner) const;

  // As long as it exists, every comparison decides for itself.
  class Suspension {
   public:
    explicit Suspension(HeldFormulas& held) : held_(held) { held_.set_biases(Use::no_side); }
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;
    ~Suspension() { held_.set_biases(Use::sides); }

   private:
    HeldFormulas& held_;
  };

 private:
  enum class Use { sides, no_side };
  void set_biases(Use use);
  void set_bias(Index place, Side side);

  struct KernelBiases {
    const Kernel* kernel;
    std::vector<std::vector<double>> values;  // [switch][element]
  };
  std::vector<KernelBiases> kernels_;
  std::vector<Side> sides_;
  bool any_ = false;
};

class ModelMode {
 public:
  ModelMode(const ModelFunctions& functions, std::vector<double> parameters);
  ParameterValues parameters() const { return {parameters_, version_}; }
  const HeldFormulas& held() const { return held_; }
  HeldFormulas& held() { return held_; }
  void set_parameter(int parameter, double value);
  double stated(int parameter) const { return stated_[static_cast<std::size_t>(parameter)]; }
  void reset();  // back to what the model states

  // A held formula may have no value beyond the switch, for example a root: then this evaluation uses the formulas that
  // are valid there.
  template <class Evaluate>
  void evaluate(Evaluate function, const Out& values) {
    function();
    if (!held_.any() || values.allFinite()) return;
    const HeldFormulas::Suspension suspended(held_);
    function();
  }

 private:
  const std::vector<double> stated_;
  std::vector<double> parameters_;
  std::int64_t version_ = 0;
  HeldFormulas held_;
};
}  // namespace trill
