// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/body_reduction.hpp"

#include <array>
#include <cmath>

namespace trill {
namespace {
constexpr std::array<double, 3> gauss_place = {-0.774596669241483377, 0, 0.774596669241483377};
constexpr std::array<double, 3> gauss_weight = {5.0 / 9, 8.0 / 9, 5.0 / 9};

// The quadratic polynomials that are 1 at -1, 0 or 1 and 0 at the two others, and their slopes.
std::array<double, 3> quadratic(double z) { return {z * (z - 1) / 2, 1 - z * z, z * (z + 1) / 2}; }
std::array<double, 3> quadratic_slope(double z) { return {z - 0.5, -2 * z, z + 0.5}; }

class StripAssembly {
 public:
  explicit StripAssembly(const PlanarStrip& strip)
      : s_(strip), half_x_(strip.length / static_cast<double>(strip.elements) / 2), half_y_(strip.height / 2) {
    const double factor = strip.modulus / (1 - strip.poisson * strip.poisson);
    elasticity_ << factor, factor * strip.poisson, 0, factor * strip.poisson, factor, 0, 0, 0,
        factor * (1 - strip.poisson) / 2;
  }

  template <class Use>
  void each_point(Use use) const {
    for (Index e = 0; e < s_.elements; ++e)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          const auto nx = quadratic(gauss_place[a]), ny = quadratic(gauss_place[b]);
          const auto dx = quadratic_slope(gauss_place[a]), dy = quadratic_slope(gauss_place[b]);
          Eigen::Matrix<double, 9, 3> shape;  // value and slopes along x and y
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j)
              shape.row(static_cast<Index>(3 * i + j)) << nx[i] * ny[j], dx[i] * ny[j] / half_x_,
                  nx[i] * dy[j] / half_y_;
          use(6 * e, shape, gauss_weight[a] * gauss_weight[b] * half_x_ * half_y_ * s_.thickness);
        }
  }

  // The node (i, j) of element e has the number 3 (2 e + i) + j, so an element has nine consecutive nodes.
  void add(std::vector<Eigen::Triplet<double>>& entries, Index first, Index i, Index j, double value, int a,
           int b) const {
    entries.emplace_back(static_cast<int>(2 * (first + i)) + a, static_cast<int>(2 * (first + j)) + b, value);
  }

  void assemble(PlanarBody& body) const {
    std::vector<Eigen::Triplet<double>> k, m;
    each_point([&](Index first, const auto& shape, double weight) {
      for (Index i = 0; i < 9; ++i)
        for (Index j = 0; j < 9; ++j) {
          const Eigen::Matrix<double, 3, 2> bi = strain(shape, i), bj = strain(shape, j);
          const Eigen::Matrix2d block = weight * bi.transpose() * elasticity_ * bj;
          for (int a = 0; a < 2; ++a) {
            add(m, first, i, j, weight * s_.density * shape(i, 0) * shape(j, 0), a, a);
            for (int b = 0; b < 2; ++b) add(k, first, i, j, block(a, b), a, b);
          }
        }
    });
    body.stiffness.setFromTriplets(k.begin(), k.end());
    body.mass.setFromTriplets(m.begin(), m.end());
  }

  SpMat geometric(const Vec& u) const {
    std::vector<Eigen::Triplet<double>> entries;
    each_point([&](Index first, const auto& shape, double weight) {
      Eigen::Vector3d strains = Eigen::Vector3d::Zero();
      for (Index i = 0; i < 9; ++i) strains += strain(shape, i) * u.segment<2>(2 * (first + i));
      const Eigen::Vector3d t = elasticity_ * strains;
      Eigen::Matrix2d stress;
      stress << t[0], t[2], t[2], t[1];
      for (Index i = 0; i < 9; ++i)
        for (Index j = 0; j < 9; ++j) {
          const Eigen::Vector2d slope_i = shape.row(i).template tail<2>(), slope_j = shape.row(j).template tail<2>();
          for (int a = 0; a < 2; ++a) add(entries, first, i, j, weight * slope_i.dot(stress * slope_j), a, a);
        }
    });
    SpMat g(u.size(), u.size());
    g.setFromTriplets(entries.begin(), entries.end());
    return g;
  }

 private:
  static Eigen::Matrix<double, 3, 2> strain(const Eigen::Matrix<double, 9, 3>& shape, Index i) {
    Eigen::Matrix<double, 3, 2> b;
    b << shape(i, 1), 0, 0, shape(i, 2), shape(i, 2), shape(i, 1);
    return b;
  }

  const PlanarStrip& s_;
  double half_x_, half_y_;
  Eigen::Matrix3d elasticity_;
};
}  // namespace

PlanarBody planar_strip(const PlanarStrip& strip) {
  PlanarBody body;
  const Index columns = 2 * strip.elements + 1, nodes = 3 * columns;
  body.x.resize(nodes);
  body.y.resize(nodes);
  for (Index i = 0; i < nodes; ++i) {
    body.x[i] = strip.length * static_cast<double>(i / 3) / static_cast<double>(columns - 1);
    body.y[i] = strip.height * (static_cast<double>(i % 3) - 1) / 2;
  }
  body.stiffness.resize(2 * nodes, 2 * nodes);
  body.mass.resize(2 * nodes, 2 * nodes);
  body.damping.resize(2 * nodes, 2 * nodes);
  body.points = {{"left", {0, 1, 2}}, {"right", {nodes - 3, nodes - 2, nodes - 1}}, {"tip", {nodes - 2}}};
  body.held_at = "left";
  const StripAssembly assembly(strip);
  assembly.assemble(body);
  body.geometric = assembly.geometric(centrifugal_displacement(body, {0, 1, 2}));
  return body;
}
}  // namespace trill
