// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/mechanical.hpp"

#include <cmath>

namespace trill {
inline double length(double x, double y) { return std::sqrt(x * x + y * y); }
inline double angular_momentum(double x, double y, double u, double v) { return x * v - y * u; }

// A symmetric 2 x 2 matrix.
struct Planar {
  double xx, xy, yy;
};

// Second derivative of the length r = |(x, y)|: (I - n n^T) / r with n = (x, y) / r.
inline Planar length_hessian(double x, double y) {
  const double r2 = x * x + y * y, c = 1 / (r2 * std::sqrt(r2));
  return {c * y * y, -c * x * y, c * x * x};
}

// Second derivative of k/2 (r - 1)^2: k (n n^T + (r - 1)/r (I - n n^T)) = k (1 - 1/r) I + k/r n n^T.
inline Planar spring_hessian(double k, double x, double y) {
  const double r = length(x, y), a = k * (1 - 1 / r), c = k / (r * r * r);
  return {a + c * x * x, c * x * y, a + c * y * y};
}

// Adds factor * block to the rows of point i and the columns of point j, both counted by their x component.
inline void add_block(MatrixSlot& m, Index i, Index j, double factor, const Planar& block) {
  m.add(i, j, factor * block.xx);
  m.add(i, j + 1, factor * block.xy);
  m.add(i + 1, j, factor * block.xy);
  m.add(i + 1, j + 1, factor * block.yy);
}

// A link of rest length 1 from point `from` to point `to`. A point is given by the index of its x component in q.
struct Link {
  static constexpr Index origin = -1;
  Index to = 0, from = origin;
};

// The gaps g_i = |q_to - q_from| - 1 of plane links, which are springs (stiff) or rods (rigid).
class UnitLinks final : public ConstraintMap {
 public:
  UnitLinks(Index unknowns, std::vector<Link> links) : unknowns_(unknowns), links_(std::move(links)) {}
  Index count() const override { return static_cast<Index>(links_.size()); }
  MatrixSlot pattern() const override { return MatrixSlot::dense(count(), unknowns_); }

  void value(double, In q, Out g) const override {
    Index row = 0;
    for (const Link& link : links_) {
      const auto [x, y] = across(link, q.data());
      g[row++] = length(x, y) - 1;
    }
  }

  void jacobian(double, In q, MatrixSlot& G) const override {
    G.set_zero();
    Index row = 0;
    for (const Link& link : links_) {
      const auto [x, y] = across(link, q.data());
      const double r = length(x, y);
      G.add(row, link.to, x / r);
      G.add(row, link.to + 1, y / r);
      if (link.from != Link::origin) {
        G.add(row, link.from, -x / r);
        G.add(row, link.from + 1, -y / r);
      }
      ++row;
    }
  }

  void curvature(double, In q, In v, Out eta) const override {
    Index row = 0;
    for (const Link& link : links_) {
      const auto [x, y] = across(link, q.data());
      const auto [u, w] = across(link, v.data());
      const double r = length(x, y), l = angular_momentum(x, y, u, w);
      eta[row++] = l * l / (r * r * r);  // (|v|^2 - (n v)^2) / r
    }
  }

  void transpose_derivative(double, In q, In s, MatrixSlot& d) const override {
    d.set_zero();
    Index row = 0;
    for (const Link& link : links_) {
      const auto [x, y] = across(link, q.data());
      const Planar h = length_hessian(x, y);
      const double factor = s[row++];
      add_block(d, link.to, link.to, factor, h);
      if (link.from == Link::origin) continue;
      add_block(d, link.from, link.from, factor, h);
      add_block(d, link.to, link.from, -factor, h);
      add_block(d, link.from, link.to, -factor, h);
    }
  }

 private:
  struct Point {
    double x, y;
  };
  static Point across(const Link& link, const double* q) {
    if (link.from == Link::origin) return {q[link.to], q[link.to + 1]};
    return {q[link.to] - q[link.from], q[link.to + 1] - q[link.from + 1]};
  }

  Index unknowns_;
  std::vector<Link> links_;
};
}  // namespace trill
