// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/test_oscillator.hpp"

#include "trill/problem/circuit.hpp"
#include "trill/problem/langevin.hpp"

namespace trill {
namespace {
State unit_state(const Layout& layout) {
  State s(layout);
  s.y[0] = 1;
  return s;
}

class FirstOrderOscillator final : public FirstOrderProblem {
 public:
  std::string name() const override { return "test oscillator"; }
  Layout layout() const override { return {2, 0, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"q", ""}, {"v", ""}}; }
  State initial_state() const override { return unit_state(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<FirstOrderOscillator>(); }
  void rhs(double, In y, Out dy) const override {
    dy[0] = y[1];
    dy[1] = -y[0];
  }
};

class Oscillator : public MechanicalProblem {
 public:
  std::string name() const override { return "test oscillator"; }
  Layout layout() const override { return {1, 1, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"q", ""}, {"v", ""}}; }
  State initial_state() const override { return unit_state(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<Oscillator>(); }
  void force(Groups, double, In q, In, Out f) const override {
    f.setZero();
    f[0] = -q[0];
  }
  bool force_jacobian(Groups, double, In, In, MatrixSlot& dq, MatrixSlot&) const override {
    dq.set_zero();
    dq.add(0, 0, -1);
    return true;
  }
};

// The second coordinate z is held by the constraint z = 0.
class HeldCoordinate final : public ConstraintMap {
 public:
  Index count() const override { return 1; }
  MatrixSlot pattern() const override { return MatrixSlot::dense(1, 2); }
  void value(double, In q, Out g) const override { g[0] = q[1]; }
  void jacobian(double, In, MatrixSlot& G) const override {
    G.set_zero();
    G.add(0, 1, 1);
  }
  void curvature(double, In, In, Out eta) const override { eta.setZero(); }
  void transpose_derivative(double, In, In, MatrixSlot& d) const override { d.set_zero(); }
};

class ConstrainedOscillator final : public Oscillator {
 public:
  Layout layout() const override { return {2, 2, 1, 0}; }
  std::vector<Quantity> components() const override {
    return {{"q", ""}, {"z", ""}, {"v", ""}, {"w", ""}, {"lambda", ""}};
  }
  State initial_state() const override { return unit_state(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<ConstrainedOscillator>(); }
  const ConstraintMap* constraints() const override { return &map_; }

 private:
  HeldCoordinate map_;
};

class ColdBath final : public LangevinProblem {
 public:
  std::string name() const override { return "test oscillator"; }
  Layout layout() const override { return mechanics_.layout(); }
  std::vector<Quantity> components() const override { return mechanics_.components(); }
  State initial_state() const override { return mechanics_.initial_state(); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<ColdBath>(); }
  const MechanicalProblem& mechanics() const override { return mechanics_; }
  double gamma() const override { return 0; }
  double kT() const override { return 0; }

 private:
  Oscillator mechanics_;
};

// Capacitor voltage q and inductor current: q' = v, v' = -q.
class LcCircuit final : public CircuitProblem {
 public:
  std::string name() const override { return "test oscillator"; }
  Layout layout() const override { return {2, 0, 0, 0}; }
  std::vector<Quantity> components() const override { return {{"voltage", ""}, {"current", ""}}; }
  State initial_state() const override { return unit_state(layout()); }
  std::unique_ptr<Problem> clone() const override { return std::make_unique<LcCircuit>(); }
  void charge(In x, Out c) const override { c = x; }
  void current(double, In x, Out i) const override {
    i[0] = -x[1];
    i[1] = x[0];
  }
  MatrixSlot jacobian_pattern() const override { return MatrixSlot::dense(2, 2); }
  void jacobians(double, In, MatrixSlot& dcharge, MatrixSlot& dcurrent) const override {
    dcharge.set_zero();
    dcurrent.set_zero();
    dcharge.add(0, 0, 1);
    dcharge.add(1, 1, 1);
    dcurrent.add(0, 1, -1);
    dcurrent.add(1, 0, 1);
  }
};
}  // namespace

TestOscillator make_test_oscillator(const Accepts& accepts) {
  if (accepts.mechanical) return {std::make_unique<Oscillator>(), 1};
  if (accepts.first_order) return {std::make_unique<FirstOrderOscillator>(), 1};
  if (accepts.constrained) return {std::make_unique<ConstrainedOscillator>(), 2};
  if (accepts.langevin) return {std::make_unique<ColdBath>(), 1};
  return {std::make_unique<LcCircuit>(), 1};
}
}  // namespace trill
