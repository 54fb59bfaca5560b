// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: mechanical systems with masses, forces, stiff gaps and constraints.
#pragma once

#include "trill/problem/problem.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace trill {
// A point of a motion with as many of its time derivatives as the called function needs; the others are null.
struct Motion {
  double t = 0;
  const double* q = nullptr;
  const double* v = nullptr;
  const double* acceleration = nullptr;
  const double* jerk = nullptr;
  const double* snap = nullptr;
};
inline constexpr int most_time_derivatives = 3, most_gap_derivatives = 4;

// g(q, t) and the derivatives that formulations need. It is used both for hard constraints g = 0 and for strong
// potentials 1/2 g^T K g: the first is the stiff limit of the second (JP95 sec. 3).
class ConstraintMap {
 public:
  virtual ~ConstraintMap() = default;
  virtual Index count() const = 0;
  virtual std::string name(Index k) const;  // name of row k in messages: "joint 'elbow' along x"; default: its number
  virtual MatrixSlot pattern() const = 0;   // of G
  virtual void value(double t, In q, Out g) const = 0;
  virtual void jacobian(double t, In q, MatrixSlot& G) const = 0;
  virtual bool moving() const { return false; }  // g depends on t
  virtual void time_derivative(double /*t*/, In /*q*/, Out gt) const { gt.setZero(); }
  virtual void curvature(double t, In q, In v, Out eta) const = 0;  // v^T H v + 2 g_qt v + g_tt: G a + eta = 0
  // Both at once, which may be cheaper.
  virtual void slope_and_curvature(double t, In q, In v, MatrixSlot& G, Out eta) const {
    jacobian(t, q, G);
    curvature(t, q, v, eta);
  }
  // d(G v + g_t)/dq, with the pattern of G. Default: false, and the caller uses finite differences.
  virtual bool velocity_derivative(double /*t*/, In /*q*/, In /*v*/, MatrixSlot& /*d*/) const { return false; }
  virtual void transpose_derivative(double t, In q, In s, MatrixSlot& d) const = 0;  // d(G^T s)/dq, n x n, overwritten
  virtual MatrixSlot transpose_pattern() const;                                      // of d(G^T s)/dq; default: dense
  // For Taylor series in time along a motion: d^k g/dt^k, k = 1..4, and d^k G/dt^k, k = 1..3; and the directional
  // derivatives of G and of G^T s in the direction dq. Default: false, they are not known.
  virtual bool value_derivative(int /*k*/, const Motion&, Out) const { return false; }
  virtual bool jacobian_derivative(int /*k*/, const Motion&, MatrixSlot&) const { return false; }
  virtual bool jacobian_along(double /*t*/, In /*q*/, In /*dq*/, MatrixSlot&) const { return false; }
  virtual bool reaction_along(double /*t*/, In /*q*/, In /*dq*/, In /*s*/, Out) const { return false; }
  // For Taylor series of the rigid motion M a + G^T s = f, G a + eta = 0, k = 1 or 2: d^k(G^T s)/dt^k without the term
  // G^T s^(k), and d^k(G a + eta)/dt^k without the term G a^(k). s1 = s' is used for k = 2 only. Default: false.
  virtual bool rigid_rate(int /*k*/, const Motion&, In /*s*/, In /*s1*/, Out /*covector*/, Out /*values*/) const {
    return false;
  }
};

// A set of force groups, one bit each. A model names its groups; methods with nested time steps take lists of them.
using Groups = std::uint32_t;
inline constexpr Groups all_groups = ~Groups{0};

// The energy 1/2 sum_i stiffness_i g_i(q)^2 that causes the fastest forces of a model.
struct StrongPotential {
  const ConstraintMap* map = nullptr;
  Vec stiffness;
  Groups groups = 0;  // groups with the forces of this energy and no others; 0: there are none
};

struct GroupInfo {
  std::string name;
  bool fast = true;
};

// The forces on several copies of one system at once, each with its own parameters. The values of all copies are stored
// together for each component: q[component * copies + copy]. It refers to the copies, which must outlive it.
class ForceBlock {
 public:
  virtual ~ForceBlock() = default;
  virtual void force(Groups groups, double t, const double* q, const double* v, double* f) const = 0;
};

enum class Drag { none, linear, nonlinear };  // how forces depend on velocities

enum class MassKind { identity, diagonal, constant, of_q };

// M(q) q'' = f_slow + f_fast - G^T lambda,  g(q, t) = 0     (PJY97 eq. 3.1)
// If the mass depends on q, f contains the force quadratic in the velocities that results from this.
class MechanicalProblem : public Problem {
 public:
  static std::string kind() { return "a mechanical system"; }
  virtual MassKind mass_kind() const { return MassKind::identity; }
  virtual MatrixSlot mass_pattern() const;                                // default: the diagonal
  virtual void mass(In q, MatrixSlot& m) const;                           // default: identity
  virtual void mass_product_derivative(In q, In w, MatrixSlot& d) const;  // d(M(q) w)/dq, added to d; default: nothing

  virtual std::vector<GroupInfo> groups() const { return {{"all", true}}; }
  virtual void force(Groups groups, double t, In q, In v, Out f) const = 0;
  // The forces of several systems of this class with different parameters; results must be bit-identical to those of
  // force(). Default: calls force() copy by copy.
  virtual std::unique_ptr<ForceBlock> join(std::span<const MechanicalProblem* const> copies) const;
  virtual MatrixSlot stiffness_pattern() const;  // of df/dq; default: dense
  virtual MatrixSlot damping_pattern() const;    // of df/dv; default: empty, or dense if forces depend on v
  // Fills df/dq and df/dv. Default: false, and the caller uses finite differences.
  virtual bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const;
  // f'(q) dq without the matrix. Default: false, and the caller uses finite differences.
  virtual bool force_product(Groups groups, double t, In q, In v, In dq, Out df) const;
  // d^k f/dt^k and d^k M/dt^k along a motion, k = 1..3, and the directional derivative of M in the direction dq.
  // Default: false.
  virtual bool force_derivative(Groups, int /*k*/, const Motion&, Out) const { return false; }
  virtual bool mass_derivative(int /*k*/, const Motion&, MatrixSlot&) const { return false; }
  virtual bool mass_along(In /*q*/, In /*dq*/, MatrixSlot&) const { return false; }
  // Is the force of these groups -S q + c with constant S and c? Then S = -df/dq anywhere and c is the force at q = 0.
  virtual bool linear_force(Groups) const { return false; }
  virtual bool velocity_dependent(Groups) const { return false; }
  // How these forces depend on velocities, not counting the forces that result from a position-dependent mass.
  virtual Drag drag(Groups groups) const { return velocity_dependent(groups) ? Drag::nonlinear : Drag::none; }
  virtual std::optional<double> potential(Groups, double /*t*/, In /*q*/) const { return std::nullopt; }

  virtual const ConstraintMap* constraints() const { return nullptr; }
  virtual const StrongPotential* strong_potential() const { return nullptr; }
};

Groups fast_groups(const MechanicalProblem& problem);
Groups slow_groups(const MechanicalProblem& problem);
Groups known_groups(const MechanicalProblem& problem);  // one bit for each group the problem has
}  // namespace trill
