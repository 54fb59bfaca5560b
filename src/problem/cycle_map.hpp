// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

namespace trill {
// One cycle of an oscillation as a map P from the state at its start to the state at its end (PJY97 section 5). The
// unknown is the quasi-envelope z(n), a smooth curve through the states at the starts of cycles; n counts cycles from
// the start of the run. Evaluations may fail, because each is an integration of its own.
class CycleMap : public Problem {
 public:
  static std::string kind() { return "a cycle map"; }
  // P(z) - z for a cycle that starts at z. Every cycle starts at the same phase of the fast motion, also where n is no
  // whole number: n only says how far things have got that change slowly. false: the cycle could not be computed.
  virtual bool change(double n, In z, Out change) const = 0;
  // The same with its derivative with respect to z. Default: finite differences, one more cycle for each component.
  virtual bool change_and_derivative(double n, In z, Out change, Mat& derivative) const;
  virtual bool derives_cheaply() const { return false; }  // a derivative costs little more than the cycle itself
  // For many unknowns: a cycle that is kept until the next record(), so that tangent() can multiply the derivative P'
  // of the map with vectors. Default: differences, one more cycle for each product.
  virtual bool record(double n, In z, Out change) const;
  virtual bool tangent(In v, Out image) const;
  // P(z) - z by an ordinary method, for a cycle that change() cannot compute. false: there is none, or it fails too.
  virtual bool change_plainly(double /*n*/, In /*z*/, Out /*change*/) const { return false; }
  // Moves a value that is not the end of a computed cycle to where cycles start, such as onto a section.
  virtual bool settle(double /*n*/, Out /*z*/) const { return true; }

  // Cycles take time: always the same, or as much as one component of z says. The state that a method steps has the
  // time of the given problem.
  virtual double time(double n, In /*z*/) const { return n; }  // at which the cycle n that begins with z begins
  virtual void passed(double /*n*/) const {}                   // a step has ended there
  // How many whole cycles can be made from there before t is reached.
  virtual double cycles_until(double t, double n, In /*z*/) const { return t - n; }
  // What is left when less than a cycle is left of a run: the state at t, which is later than the start of the cycle n.
  virtual bool part(double n, In z, double t, Out end) const;

  // What the errors of the components of z are compared with. largest: of each component so far, which is no measure
  // for a time that grows without end.
  virtual void sizes(In /*z*/, In largest, Out sizes) const { sizes = largest; }
  virtual std::string trouble() const { return ""; }  // why the last cycle could not be computed; empty: not known

 private:
  mutable double recorded_n_ = 0;
  mutable Vec recorded_z_, recorded_change_;
};
}  // namespace trill
