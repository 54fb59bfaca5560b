// SPDX-License-Identifier: BSD-3-Clause
#include "problem/generated_structure.hpp"

#include "base/text.hpp"
#include "trill/base/errors.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/format.h>

namespace trill {
namespace {
using Triplets = std::vector<Eigen::Triplet<double>>;
using Numbers = std::map<std::string, double>;
constexpr double most_unknowns = 3e6;

SpMat matrix_from(const Triplets& entries, Index n) {
  SpMat m(n, n);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

// Numbers by name: each shape asks for those that it knows.
class ShapeNumbers {
 public:
  ShapeNumbers(std::string shape, const Numbers& given) : shape_(std::move(shape)), given_(given) {}
  double positive(const char* name, double otherwise) {
    const double x = number(name, otherwise);
    if (!(x > 0)) throw UsageError(fmt::format("'{}' of a {} must be positive, not {}", name, shape_, x));
    return x;
  }
  double not_negative(const char* name, double otherwise) {
    const double x = number(name, otherwise);
    if (!(x >= 0)) throw UsageError(fmt::format("'{}' of a {} must not be negative, and it is {}", name, shape_, x));
    return x;
  }
  Index whole(const char* name, Index otherwise, Index least) {
    const double x = number(name, static_cast<double>(otherwise));
    if (x != std::floor(x) || x < static_cast<double>(least) || x > most_unknowns)
      throw UsageError(
          fmt::format("'{}' of a {} must be a whole number of at least {}, not {}", name, shape_, least, x));
    return static_cast<Index>(x);
  }
  double number(const char* name, double otherwise) {
    known_.emplace_back(name);
    const auto found = given_.find(name);
    return found == given_.end() ? otherwise : found->second;
  }
  void finish(double unknowns) const {
    for (const auto& [name, unused] : given_)
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        throw UsageError(fmt::format("a {} has no number '{}'{}", shape_, name, suggest(name, known_)));
    if (unknowns > most_unknowns)
      throw UsageError(fmt::format("this {} would have {:.0f} unknowns; it may have at most {:.0f}", shape_, unknowns,
                                   most_unknowns));
  }

 private:
  std::string shape_;
  const Numbers& given_;
  std::vector<std::string> known_;
};

SpMat kronecker(const SpMat& a, const SpMat& b) {
  Triplets entries;
  entries.reserve(static_cast<std::size_t>(a.nonZeros() * b.nonZeros()));
  for (Index i = 0; i < a.outerSize(); ++i)
    for (SpMat::InnerIterator x(a, i); x; ++x)
      for (Index j = 0; j < b.outerSize(); ++j)
        for (SpMat::InnerIterator y(b, j); y; ++y)
          entries.emplace_back(x.row() * b.rows() + y.row(), x.col() * b.cols() + y.col(), x.value() * y.value());
  return matrix_from(entries, a.rows() * b.rows());
}

Vec kronecker(const Vec& a, const Vec& b) {
  Vec product(a.size() * b.size());
  for (Index i = 0; i < a.size(); ++i) product.segment(i * b.size(), b.size()) = a[i] * b;
  return product;
}

double share(Index part, Index whole) { return static_cast<double>(part) / static_cast<double>(whole); }

// Joins neighbours in a box of nodes along each direction, where they can be seen: on its surface.
void join_rows(StructureMesh& mesh, const std::array<Index, 3>& counts) {
  const auto is_outside = [&](std::size_t d, Index place) { return place == 0 || place + 1 == counts[d]; };
  std::array<Index, 3> at{};
  for (at[0] = 0; at[0] < counts[0]; ++at[0])
    for (at[1] = 0; at[1] < counts[1]; ++at[1])
      for (at[2] = 0; at[2] < counts[2]; ++at[2]) {
        const Index node = (at[0] * counts[1] + at[1]) * counts[2] + at[2];
        const std::array<Index, 3> next{counts[1] * counts[2], counts[2], 1};
        for (std::size_t d = 0; d < 3; ++d) {
          const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
          if (at[d] + 1 < counts[d] && (is_outside(e, at[e]) || is_outside(f, at[f])))
            mesh.lines.push_back({node, node + next[d]});
        }
      }
}

// A rectangle of elements that is held at its edges and moves across its plane.
template <class UnknownAt>
StructureMesh sheet(Index along, Index across, double dx, double dy, UnknownAt unknown_at) {
  StructureMesh mesh;
  for (Index i = 0; i <= along; ++i)
    for (Index j = 0; j <= across; ++j) {
      const bool held = i == 0 || j == 0 || i == along || j == across;
      mesh.nodes.push_back(
          {{dx * static_cast<double>(i), dy * static_cast<double>(j), 0}, {-1, -1, held ? -1 : unknown_at(i, j)}});
    }
  join_rows(mesh, {along + 1, across + 1, 1});
  return mesh;
}

// A beam that is clamped at one end or at both.
GeneratedStructure beam_structure(ShapeNumbers& given) {
  const Index elements = given.whole("elements", 20, 1), ends = given.whole("clamped_ends", 1, 1);
  const double length = given.positive("length", 1), EI = given.positive("bending_stiffness", 1),
               rhoA = given.positive("mass_per_length", 1);
  if (ends > 2) throw UsageError(fmt::format("a beam has two ends, so that 'clamped_ends' cannot be {}", ends));
  if (ends == 2 && elements < 2) throw UsageError("a beam that is clamped at both ends needs two elements at least");
  given.finish(2 * static_cast<double>(elements));
  const HermiteLine line = hermite_line(elements, length, {true, true, ends == 2, ends == 2});
  const Index n = line.values.rows();
  const double l = length / static_cast<double>(elements);
  GeneratedStructure made{rhoA * line.values, EI * line.curvatures, {}, {{"uniform", line.mean}}};
  if (ends == 1) made.vectors["tip"] = Vec::Unit(n, n - 2);
  if (ends == 2) made.vectors["middle"] = Vec::Unit(n, 2 * (elements / 2 - 1));
  Vec moment = Vec::Zero(n);  // E I w'' at the clamped end
  moment[0] = 6 * EI / (l * l);
  moment[1] = -2 * EI / l;
  made.vectors["root_moment"] = moment;
  for (Index i = 0; i <= elements; ++i) {
    const bool held = i == 0 || (ends == 2 && i == elements);
    made.mesh.nodes.push_back({{l * static_cast<double>(i), 0, 0}, {-1, held ? -1 : 2 * (i - 1), -1}});
  }
  join_rows(made.mesh, {elements + 1, 1, 1});
  return made;
}

// The five-point Laplacian on the inner points of a square that is held at its edges.
GeneratedStructure membrane_structure(ShapeNumbers& given) {
  const Index points = given.whole("points", 20, 1);
  const double side = given.positive("side", 1), tension = given.positive("tension", 1),
               rho = given.positive("mass_per_area", 1);
  given.finish(static_cast<double>(points) * static_cast<double>(points));
  const double h = side / static_cast<double>(points + 1), k = tension / (h * h);
  const Index n = points * points;
  Triplets entries;
  for (Index i = 0; i < points; ++i)
    for (Index j = 0; j < points; ++j) {
      const Index at = i * points + j;
      entries.emplace_back(at, at, 4 * k);
      if (j > 0) entries.emplace_back(at, at - 1, -k);
      if (j + 1 < points) entries.emplace_back(at, at + 1, -k);
      if (i > 0) entries.emplace_back(at, at - points, -k);
      if (i + 1 < points) entries.emplace_back(at, at + points, -k);
    }
  SpMat identity(n, n);
  identity.setIdentity();
  const Index middle = (points - 1) / 2;
  return {rho * identity,
          matrix_from(entries, n),
          {},
          {{"centre", Vec::Unit(n, middle * points + middle)}, {"uniform", Vec::Ones(n)}},
          sheet(points + 1, points + 1, h, h, [&](Index i, Index j) { return (i - 1) * points + j - 1; })};
}

// Bicubic elements (Bogner, Fox, Schmit 1965) on a simply supported rectangle: products of cubics along its sides, so
// that its matrices are products of those of two lines. On a plate whose edges are held, the integral of w_xx w_yy is
// that of w_xy^2, and Poisson's ratio occurs in the bending stiffness alone.
GeneratedStructure plate_structure(ShapeNumbers& given) {
  const Index elements = given.whole("elements", 20, 1), across = given.whole("elements_across", elements, 1);
  const double length = given.positive("length", 1), width = given.positive("width", 1),
               D = given.positive("bending_stiffness", 1), rho = given.positive("mass_per_area", 1);
  given.finish(4 * static_cast<double>(elements) * static_cast<double>(across));
  const LineEnds held{true, false, true, false};
  const HermiteLine x = hermite_line(elements, length, held), y = hermite_line(across, width, held);
  GeneratedStructure made;
  made.mass = rho * kronecker(x.values, y.values);
  made.stiffness =
      D * (kronecker(x.curvatures, y.values) + 2 * kronecker(x.slopes, y.slopes) + kronecker(x.values, y.curvatures));
  made.vectors["uniform"] = kronecker(x.mean, y.mean);
  if (elements > 1 && across > 1) {
    // The first unknown is the slope at the edge, then value and slope of node after node.
    const Vec at_x = Vec::Unit(x.mean.size(), 2 * (elements / 2) - 1),
              at_y = Vec::Unit(y.mean.size(), 2 * (across / 2) - 1);
    made.vectors["centre"] = kronecker(at_x, at_y);
  }
  made.mesh = sheet(elements, across, length / static_cast<double>(elements), width / static_cast<double>(across),
                    [&](Index i, Index j) { return (2 * i - 1) * y.mean.size() + 2 * j - 1; });
  return made;
}

// Rectangular bricks with linear interpolation in each direction, two Gauss points each way. With the products of
// values and slopes of the two linear functions along each direction all integrals are products, as for the plate.
class Bricks {
 public:
  Bricks(const std::array<Index, 3>& elements, const std::array<double, 3>& size) : elements_(elements) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double h = size[d] / static_cast<double>(elements[d]);
      values_[d] = along(elements[d], h / 3, h / 6);
      slopes_[d] = along(elements[d], 1 / h, -1 / h);
      mixed_[d] = mixed_along(elements[d]);
    }
  }
  Index nodes() const { return elements_[0] * (elements_[1] + 1) * (elements_[2] + 1); }

  SpMat mass() const { return product(values_[0], values_[1], values_[2]); }
  // The integral of d_i u d_j v.
  SpMat stiffness(std::size_t i, std::size_t j) const {
    std::array<SpMat, 3> factor;
    for (std::size_t d = 0; d < 3; ++d) {
      if (d == i && d == j)
        factor[d] = slopes_[d];
      else if (d == i)
        factor[d] = mixed_[d];
      else if (d == j)
        factor[d] = SpMat(mixed_[d].transpose());
      else
        factor[d] = values_[d];
    }
    return product(factor[0], factor[1], factor[2]);
  }

 private:
  static SpMat along(Index elements, double own, double other) {
    Triplets entries;
    for (Index e = 0; e < elements; ++e)
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 2; ++j) entries.emplace_back(e + i, e + j, i == j ? own : other);
    return matrix_from(entries, elements + 1);
  }
  // Slope of the function of the row times the function of the column.
  static SpMat mixed_along(Index elements) {
    Triplets entries;
    for (Index e = 0; e < elements; ++e)
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 2; ++j) entries.emplace_back(e + i, e + j, i == 0 ? -0.5 : 0.5);
    return matrix_from(entries, elements + 1);
  }
  // The nodes at x = 0, which are the first ones, are held.
  static SpMat product(const SpMat& x, const SpMat& y, const SpMat& z) {
    const Index free = x.rows() - 1;
    return kronecker(SpMat(x.bottomRightCorner(free, free)), kronecker(y, z));
  }

  std::array<Index, 3> elements_;
  std::array<SpMat, 3> values_, slopes_, mixed_;
};

GeneratedStructure solid_structure(ShapeNumbers& given) {
  const Index across = given.whole("elements_across", 4, 1), along = given.whole("elements", 4 * across, 1);
  const double length = given.positive("length", 4), width = given.positive("width", 1),
               height = given.positive("height", 1), E = given.positive("youngs_modulus", 1),
               nu = given.not_negative("poisson_ratio", 0.3), rho = given.positive("density", 1);
  if (!(nu < 0.5)) throw UsageError(fmt::format("'poisson_ratio' of a solid must be below 0.5, not {}", nu));
  given.finish(3 * static_cast<double>(along) * static_cast<double>(across + 1) * static_cast<double>(across + 1));
  const Bricks bricks({along, across, across}, {length, width, height});
  const double lame = E * nu / ((1 + nu) * (1 - 2 * nu)), shear = E / (2 * (1 + nu));
  const Index nodes = bricks.nodes(), n = 3 * nodes;
  Triplets mass, stiffness;
  const auto put = [](Triplets& into, const SpMat& block, double factor, Index i, Index j) {
    for (Index c = 0; c < block.outerSize(); ++c)
      for (SpMat::InnerIterator it(block, c); it; ++it)
        into.emplace_back(3 * it.row() + i, 3 * it.col() + j, factor * it.value());
  };
  const SpMat of_mass = bricks.mass();
  // lame d_i u_i d_j v_j + shear (d_j u_i d_j v_i + d_j u_i d_i v_j), summed over i and j
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<Index>(i);
    put(mass, of_mass, rho, row, row);
    for (std::size_t j = 0; j < 3; ++j) {
      const auto column = static_cast<Index>(j);
      put(stiffness, bricks.stiffness(i, j), lame, row, column);
      put(stiffness, bricks.stiffness(j, i), shear, row, column);
      put(stiffness, bricks.stiffness(j, j), shear, row, row);
    }
  }
  GeneratedStructure made{matrix_from(mass, n), matrix_from(stiffness, n), {}, {}};
  const Vec weight = made.mass * Vec::Ones(n);
  const char* const directions[] = {"x", "y", "z"};
  for (Index d = 0; d < 3; ++d) {
    const Index corner = 3 * (nodes - 1) + d;
    made.vectors[fmt::format("tip_{}", directions[d])] = Vec::Unit(n, corner);
    Vec uniform = Vec::Zero(n);
    for (Index k = 0; k < nodes; ++k) uniform[3 * k + d] = weight[3 * k + d];
    made.vectors[fmt::format("weight_{}", directions[d])] = uniform;
  }
  for (Index i = 0, unknown = 0; i <= along; ++i)
    for (Index j = 0; j <= across; ++j)
      for (Index k = 0; k <= across; ++k) {
        MeshNode node{{length * share(i, along), width * share(j, across), height * share(k, across)}, {-1, -1, -1}};
        for (std::size_t d = 0; d < 3 && i > 0; ++d) node.unknown[d] = unknown++;
        made.mesh.nodes.push_back(node);
      }
  join_rows(made.mesh, {along + 1, across + 1, across + 1});
  return made;
}

// A simply supported shaft with the inertia of its sections (Rayleigh) that turns about its axis: deflections v and w
// in two planes that do not turn. With z = v + i w and k = j pi / length the equation of mode j is (rhoA + rhoI k^2)
// z'' + (c_e + c_i - 2 i rhoI speed k^2) z' + (E I k^4 - i c_i speed) z = 0.
GeneratedStructure shaft_structure(ShapeNumbers& given) {
  const Index elements = given.whole("elements", 30, 1);
  const double length = given.positive("length", 1), EI = given.positive("bending_stiffness", 1),
               rhoA = given.positive("mass_per_length", 1), rhoI = given.not_negative("rotary_inertia", 0.002),
               speed = given.number("speed", 0), outer = given.not_negative("external_damping", 0),
               inner = given.not_negative("internal_damping", 0);
  given.finish(4 * static_cast<double>(elements));
  const HermiteLine line = hermite_line(elements, length, {true, false, true, false});
  const Index n = line.values.rows();
  const auto planes = [&](const SpMat& same, const SpMat& across) {  // [same, across; -across, same]
    Triplets entries;
    for (Index j = 0; j < n; ++j) {
      for (SpMat::InnerIterator it(same, j); it; ++it) {
        entries.emplace_back(it.row(), j, it.value());
        entries.emplace_back(n + it.row(), n + j, it.value());
      }
      for (SpMat::InnerIterator it(across, j); it; ++it) {
        entries.emplace_back(it.row(), n + j, it.value());
        entries.emplace_back(n + it.row(), j, -it.value());
      }
    }
    return matrix_from(entries, 2 * n);
  };
  const SpMat none(n, n);
  GeneratedStructure made;
  made.mass = planes(rhoA * line.values + rhoI * line.slopes, none);
  made.stiffness = planes(EI * line.curvatures, inner * speed != 0 ? SpMat(inner * speed * line.values) : none);
  if (outer + inner > 0 || rhoI * speed != 0)
    made.damping = planes((outer + inner) * line.values, 2 * rhoI * speed * line.slopes);
  if (elements > 1) {
    made.vectors["middle_v"] = Vec::Unit(2 * n, 2 * (elements / 2) - 1);
    made.vectors["middle_w"] = Vec::Unit(2 * n, n + 2 * (elements / 2) - 1);
  }
  for (Index i = 0; i <= elements; ++i) {
    const Index v = i > 0 && i < elements ? 2 * i - 1 : -1;
    made.mesh.nodes.push_back({{length * share(i, elements), 0, 0}, {-1, v, v < 0 ? -1 : n + v}});
  }
  join_rows(made.mesh, {elements + 1, 1, 1});
  return made;
}
}  // namespace

HermiteLine hermite_line(Index elements, double length, const LineEnds& ends) {
  const double l = length / static_cast<double>(elements);
  using Element = std::array<std::array<double, 4>, 4>;
  // For the unknowns (w_1, w_1', w_2, w_2')
  const Element values{{{156, 22 * l, 54, -13 * l},
                        {22 * l, 4 * l * l, 13 * l, -3 * l * l},
                        {54, 13 * l, 156, -22 * l},
                        {-13 * l, -3 * l * l, -22 * l, 4 * l * l}}};
  const Element slopes{{{36, 3 * l, -36, 3 * l},
                        {3 * l, 4 * l * l, -3 * l, -l * l},
                        {-36, -3 * l, 36, -3 * l},
                        {3 * l, -l * l, -3 * l, 4 * l * l}}};
  const Element curvatures{{{12, 6 * l, -12, 6 * l},
                            {6 * l, 4 * l * l, -6 * l, 2 * l * l},
                            {-12, -6 * l, 12, -6 * l},
                            {6 * l, 2 * l * l, -6 * l, 4 * l * l}}};
  const std::array<double, 4> mean{l / 2, l * l / 12, l / 2, -l * l / 12};
  std::vector<Index> place(static_cast<std::size_t>(2 * elements + 2), 0);
  place[0] = ends.held_first ? -1 : 0;
  place[1] = ends.clamped_first ? -1 : 0;
  place[place.size() - 2] = ends.held_last ? -1 : 0;
  place[place.size() - 1] = ends.clamped_last ? -1 : 0;
  Index n = 0;
  for (Index& p : place)
    if (p == 0) p = n++;
  HermiteLine line;
  line.mean = Vec::Zero(n);
  const auto assemble = [&](const Element& element, double factor) {
    Triplets entries;
    for (Index e = 0; e < elements; ++e)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          const Index row = place[static_cast<std::size_t>(2 * e) + i],
                      col = place[static_cast<std::size_t>(2 * e) + j];
          if (row >= 0 && col >= 0) entries.emplace_back(row, col, factor * element[i][j]);
        }
    return matrix_from(entries, n);
  };
  line.values = assemble(values, l / 420);
  line.slopes = assemble(slopes, 1 / (30 * l));
  line.curvatures = assemble(curvatures, 1 / (l * l * l));
  for (Index e = 0; e < elements; ++e)
    for (std::size_t i = 0; i < 4; ++i)
      if (const Index row = place[static_cast<std::size_t>(2 * e) + i]; row >= 0) line.mean[row] += mean[i];
  return line;
}

GeneratedStructure generate_structure(const std::string& shape, const std::map<std::string, double>& numbers) {
  ShapeNumbers given(shape, numbers);
  if (shape == "beam") return beam_structure(given);
  if (shape == "membrane") return membrane_structure(given);
  if (shape == "plate") return plate_structure(given);
  if (shape == "solid") return solid_structure(given);
  if (shape == "shaft") return shaft_structure(given);
  const std::vector<std::string> known{"beam", "membrane", "plate", "solid", "shaft"};
  throw UsageError(
      fmt::format("there is no shape '{}'{}; {} can be generated", shape, suggest(shape, known), join(known, ", ")));
}
}  // namespace trill
