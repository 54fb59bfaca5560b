// SPDX-License-Identifier: BSD-3-Clause
// For authors of models: forces and Jacobians computed from the energies of elements with dual numbers.
#pragma once

#include "trill/model/dual.hpp"
#include "trill/problem/mechanical.hpp"

#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace trill {
// An element with the indices of the entries of q that it depends on. E has a number of coordinates, `size`, and an
// energy that is a template in the number type:
//   struct Spring {
//     static constexpr int size = 2;
//     double k;
//     template <class T> T energy(const T* q) const { return 0.5*k*(q[1] - q[0])*(q[1] - q[0]); }
//   };
template <class E>
struct PlacedElement {
  E element;
  std::array<Index, E::size> coordinates;
};

// Interface to all elements of one kind.
class ElementKind {
 public:
  virtual ~ElementKind() = default;
  virtual double energy(const double* q) const = 0;
  virtual void subtract_gradient(const double* q, double* f) const = 0;
  virtual void subtract_second_derivative(const double* q, MatrixSlot& m) const = 0;
  virtual void list_coordinates(std::vector<std::span<const Index>>& all) const = 0;  // element by element
};

template <class E>
class Elements final : public ElementKind {
 public:
  static_assert(E::size >= 1 && E::size <= 12, "an element depends on 1 to 12 coordinates");
  static constexpr std::size_t size = E::size;
  explicit Elements(std::vector<PlacedElement<E>> elements) : elements_(std::move(elements)) {}

  double energy(const double* q) const override {
    double sum = 0;
    for (const PlacedElement<E>& e : elements_) sum += e.element.energy(unknowns<double>(e, q).data());
    return sum;
  }
  void subtract_gradient(const double* q, double* f) const override {
    for (const PlacedElement<E>& e : elements_) {
      const Dual<E::size> energy = e.element.energy(unknowns<Dual<E::size>>(e, q).data());
      for (std::size_t i = 0; i < size; ++i) f[e.coordinates[i]] -= energy.slope[i];
    }
  }
  void subtract_second_derivative(const double* q, MatrixSlot& m) const override {
    for (const PlacedElement<E>& e : elements_) {
      const SecondDual<E::size> energy = e.element.energy(unknowns<SecondDual<E::size>>(e, q).data());
      for (std::size_t i = 0, k = 0; i < size; ++i)
        for (std::size_t j = 0; j <= i; ++j, ++k) {
          m.add(e.coordinates[i], e.coordinates[j], -energy.curvature[k]);
          if (i != j) m.add(e.coordinates[j], e.coordinates[i], -energy.curvature[k]);
        }
    }
  }
  void list_coordinates(std::vector<std::span<const Index>>& all) const override {
    for (const PlacedElement<E>& e : elements_) all.emplace_back(e.coordinates);
  }

 private:
  template <class T>
  static std::array<T, size> unknowns(const PlacedElement<E>& e, const double* q) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      if constexpr (std::is_same_v<T, double>)
        return std::array<T, size>{q[e.coordinates[i]]...};
      else
        return std::array<T, size>{T::template unknown<i>(q[e.coordinates[i]])...};
    }
    (std::make_index_sequence<size>());
  }

  std::vector<PlacedElement<E>> elements_;
};

// M q'' = -dV/dq with V a sum over elements and M constant and diagonal. Forces and their Jacobian are computed
// from the energies with dual numbers, the sparsity pattern from the coordinates that the elements share.
class ElementProblem : public MechanicalProblem {
 public:
  ElementProblem(std::string name, Vec start, Vec velocity);  // masses 1
  ElementProblem(std::string name, Vec start, Vec velocity, Vec mass);

  // Adds elements of one kind to a force group; several kinds may be in the same group. UsageError if an element refers
  // to a coordinate that does not exist.
  template <class E>
  void add(std::vector<PlacedElement<E>> elements, const GroupInfo& group = {"all", true}) {
    add_kind(std::make_shared<Elements<E>>(std::move(elements)), group);
  }

  std::string name() const override { return name_; }
  Layout layout() const override { return {start_.size(), start_.size(), 0, 0}; }
  std::vector<Quantity> components() const override;
  State initial_state() const override;
  std::unique_ptr<Problem> clone() const override { return std::make_unique<ElementProblem>(*this); }

  MassKind mass_kind() const override;
  void mass(In q, MatrixSlot& m) const override;
  std::vector<GroupInfo> groups() const override { return groups_; }
  void force(Groups groups, double t, In q, In v, Out f) const override;
  MatrixSlot stiffness_pattern() const override;
  bool force_jacobian(Groups groups, double t, In q, In v, MatrixSlot& dq, MatrixSlot& dv) const override;
  std::optional<double> potential(Groups groups, double t, In q) const override;

  std::vector<Quantity> quantities() const override { return {{"energy", "", QuantityKind::energy}}; }
  void measure(const State& s, Out values) const override;

 private:
  struct Kind {
    std::shared_ptr<const ElementKind> elements;
    Groups group = 1;
  };
  void add_kind(std::shared_ptr<const ElementKind> elements, const GroupInfo& group);

  std::string name_;
  Vec start_, velocity_, mass_;
  std::vector<GroupInfo> groups_;
  std::vector<Kind> kinds_;
};
}  // namespace trill
