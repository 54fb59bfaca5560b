// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/body_reduction.hpp"

#include "base/text.hpp"
#include "linalg/component_modes.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double rigid_tolerance = 1e-6;  // of what K answers to a rigid motion, relative to its entries

class BodyReduction {
 public:
  BodyReduction(const PlanarBody& body, const ReductionOptions& options)
      : body_(body), options_(options), n_(body.stiffness.rows()), per_(body.per_node) {}

  ReducedBody reduce() {
    check_sizes();
    choose_interfaces();
    make_rigid_motions();
    check_free();
    join_patches();
    const Mat t = reduced_vectors();
    ReducedBody reduced = invariants(t);
    for (const PlanarBody::Point* p : ordered_points()) reduced.points.push_back(point(*p, t));
    return reduced;
  }

 private:
  void check_sizes() const {
    if (n_ != body_.nodes() * per_)
      throw UsageError(fmt::format("{} nodes with {} unknowns each make {} unknowns, but the matrices have {} rows",
                                   body_.nodes(), per_, body_.nodes() * per_, n_));
    if (options_.interfaces.empty()) throw UsageError("a reduced body needs an interface, to which its frame is fixed");
  }

  const PlanarBody::Point& named(const std::string& name) const {
    std::vector<std::string> names;
    for (const PlanarBody::Point& p : body_.points) {
      if (p.name == name) return p;
      names.push_back(p.name);
    }
    throw UsageError(fmt::format("the body has no point '{}'{}", name, suggest(name, names)));
  }

  void choose_interfaces() {
    std::set<Index> taken;
    for (const std::string& name : options_.interfaces) {
      interfaces_.push_back(&named(name));
      for (const Index node : interfaces_.back()->nodes)
        if (!taken.insert(node).second)
          throw UsageError(fmt::format("node {} belongs to two interfaces, or twice to one", node + 1));
    }
    const PlanarBody::Point& first = *interfaces_.front();
    if (first.nodes.size() < 2 && per_ < 3)
      throw UsageError(fmt::format(
          "the frame of the body is fixed to its first interface, but '{}' is a single node that cannot turn; give it "
          "two nodes or more",
          first.name));
    origin_ = centre(first);
  }

  Eigen::Vector2d centre(const PlanarBody::Point& p) const {
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    for (const Index node : p.nodes) sum += Eigen::Vector2d(body_.x[node], body_.y[node]);
    return sum / static_cast<double>(p.nodes.size());
  }

  void make_rigid_motions() {
    along_x_ = along_y_ = turning_ = positions_ = Vec::Zero(n_);
    for (Index i = 0; i < body_.nodes(); ++i) {
      const double x = body_.x[i] - origin_[0], y = body_.y[i] - origin_[1];
      along_x_[i * per_] = along_y_[i * per_ + 1] = 1;
      positions_[i * per_] = turning_[i * per_ + 1] = x;
      positions_[i * per_ + 1] = y;
      turning_[i * per_] = -y;
      if (per_ == 3) turning_[i * per_ + 2] = 1;
    }
  }

  void check_free() const {
    const std::pair<const char*, const Vec*> motions[] = {
        {"along x", &along_x_}, {"along y", &along_y_}, {"by turning", &turning_}};
    const SpMat sizes = body_.stiffness.cwiseAbs();
    for (const auto& [how, motion] : motions) {
      const double answer = (body_.stiffness * *motion).cwiseAbs().maxCoeff();
      const double size = (sizes * motion->cwiseAbs()).maxCoeff();
      if (!(answer <= rigid_tolerance * size))
        throw UsageError(fmt::format(
            "K resists a rigid motion of the body {}, by {:.2g} of what its entries allow; a body is reduced "
            "free, without supports, and its unknowns must come node by node: x, y{}",
            how, answer / size, per_ == 3 ? ", angle" : ""));
    }
    const double mx = along_x_.dot(body_.mass * along_x_), my = along_y_.dot(body_.mass * along_y_);
    if (!(std::abs(mx - my) <= 1e-6 * mx) || !(mx > 0))
      throw UsageError(
          fmt::format("the mass of the body is {:.6g} along x and {:.6g} along y; they must be equal", mx, my));
  }

  // An interface of several nodes moves as a rigid piece with three coordinates.
  void join_patches() {
    std::vector<Eigen::Triplet<double>> entries;
    std::vector<const PlanarBody::Point*> patch_of(static_cast<std::size_t>(body_.nodes()), nullptr);
    for (const PlanarBody::Point* p : interfaces_)
      for (const Index node : p->nodes) patch_of[static_cast<std::size_t>(node)] = p;
    int next = 0;
    for (Index i = 0; i < body_.nodes(); ++i)
      for (Index d = 0; d < per_ && !patch_of[static_cast<std::size_t>(i)]; ++d)
        entries.emplace_back(static_cast<int>(i * per_ + d), next++, 1.0);
    for (const PlanarBody::Point* p : interfaces_) {
      const Eigen::Vector2d c = centre(*p);
      const int width = p->nodes.size() > 1 || per_ == 3 ? 3 : 2;
      for (const Index node : p->nodes) {
        const int row = static_cast<int>(node * per_);
        entries.emplace_back(row, next, 1.0);
        entries.emplace_back(row + 1, next + 1, 1.0);
        if (width < 3) continue;
        entries.emplace_back(row, next + 2, -(body_.y[node] - c[1]));
        entries.emplace_back(row + 1, next + 2, body_.x[node] - c[0]);
        if (per_ == 3) entries.emplace_back(row + 2, next + 2, 1.0);
      }
      for (int d = 0; d < width; ++d) boundary_.push_back(next++);
    }
    joined_.resize(n_, next);
    joined_.setFromTriplets(entries.begin(), entries.end());
  }

  Mat reduced_vectors() const {
    const SpMat back = joined_.transpose();
    const SpMat k = back * body_.stiffness * joined_, m = back * body_.mass * joined_;
    const ComponentBasis basis = options_.method == ReductionMethod::rubin
                                     ? rubin(k, m, boundary_, options_.modes)
                                     : craig_bampton(k, m, boundary_, options_.modes);
    // The frame takes the motion of the first interface.
    const Mat in_frame = basis.vectors.rightCols(basis.vectors.cols() - 3);
    if (in_frame.cols() == 0) throw UsageError("the body has no modes left; ask for some, or for a second interface");
    const DenseModes modes = modes_in(in_frame, k, m);
    if (modes.values.size() > most_body_modes)
      throw UsageError(fmt::format("a reduced body may have at most {} coordinates, and this one would have {}",
                                   most_body_modes, modes.values.size()));
    stiffness_ = modes.values;
    return joined_ * (in_frame * modes.vectors);
  }

  // A quarter turn of all displacements, without rotations of nodes.
  Mat turned(const Mat& a, double sign) const {
    Mat b = Mat::Zero(a.rows(), a.cols());
    for (Index i = 0; i < body_.nodes(); ++i) {
      b.row(i * per_) = -sign * a.row(i * per_ + 1);
      b.row(i * per_ + 1) = sign * a.row(i * per_);
    }
    return b;
  }

  // M W, where displacements along x and y have the same inertia. For elements that interpolate both alike this is M
  // itself; for others, such as beams, it is the mean of M and of M for the body after a quarter turn.
  Mat even_mass_times(const Mat& w) const {
    const Mat direct = turned(turned(body_.mass * w, 1), -1);
    return 0.5 * (direct + turned(body_.mass * turned(w, 1), -1));
  }

  ReducedBody invariants(const Mat& t) const {
    ReducedBody r;
    const Vec mx = body_.mass * along_x_, my = body_.mass * along_y_, spin = body_.mass * turning_;
    r.mass = along_x_.dot(mx);
    r.moment_x = turning_.dot(my);
    r.moment_y = -turning_.dot(mx);
    r.inertia = turning_.dot(spin);
    r.stiffness = stiffness_;
    r.push_x = t.transpose() * mx;
    r.push_y = t.transpose() * my;
    r.swing = t.transpose() * spin;
    const Mat w = turned(turned(t, 1), -1), mw = even_mass_times(w);
    r.stretch = mw.transpose() * positions_;
    r.convective = symmetric(w.transpose() * mw);
    const Mat p = turned(w, 1).transpose() * mw;
    r.gyroscopic = 0.5 * (p - p.transpose());
    r.stiffening = symmetric(t.transpose() * (geometric() * t));
    r.damping =
        body_.damping.nonZeros() > 0 ? symmetric(t.transpose() * (body_.damping * t)) : Mat::Zero(t.cols(), t.cols());
    return r;
  }
  static Mat symmetric(const Mat& a) { return 0.5 * (a + a.transpose()); }

  SpMat geometric() const {
    if (body_.geometric.rows() > 0 && (body_.held_at.empty() || body_.held_at == interfaces_.front()->name))
      return body_.geometric;
    return centrifugal_stiffness(body_, interfaces_.front()->nodes, origin_[0], origin_[1]);
  }

  // The interfaces come first, in the order in which they were named.
  std::vector<const PlanarBody::Point*> ordered_points() const {
    std::vector<const PlanarBody::Point*> all = interfaces_;
    for (const PlanarBody::Point& p : body_.points)
      if (std::find(all.begin(), all.end(), &p) == all.end()) all.push_back(&p);
    return all;
  }

  // Mean displacement and rotation of the nodes of a point. The rotation of a single node that has none of its own is
  // that of its neighbours about it.
  ReducedBody::Point point(const PlanarBody::Point& p, const Mat& t) const {
    ReducedBody::Point out;
    const Eigen::Vector2d c = centre(p);
    out.name = p.name;
    out.x = c[0] - origin_[0];
    out.y = c[1] - origin_[1];
    const auto mean = [&](Index d) {
      Vec row = Vec::Zero(t.cols());
      for (const Index node : p.nodes) row += t.row(node * per_ + d).transpose();
      return Vec(row / static_cast<double>(p.nodes.size()));
    };
    out.shape_x = mean(0);
    out.shape_y = mean(1);
    if (per_ == 3) {
      out.shape_angle = mean(2);
      return out;
    }
    out.shape_angle = Vec::Zero(t.cols());
    double square = 0;
    for (const Index node : p.nodes.size() > 1 ? p.nodes : neighbours(p.nodes[0])) {
      const double dx = body_.x[node] - c[0], dy = body_.y[node] - c[1];
      square += dx * dx + dy * dy;
      out.shape_angle +=
          dx * (t.row(node * per_ + 1).transpose() - out.shape_y) - dy * (t.row(node * per_).transpose() - out.shape_x);
    }
    if (square > 0) out.shape_angle /= square;
    return out;
  }

  std::vector<Index> neighbours(Index node) const {
    std::set<Index> found;
    for (SpMat::InnerIterator it(body_.stiffness, node * per_); it; ++it) found.insert(it.row() / per_);
    return {found.begin(), found.end()};
  }

  const PlanarBody& body_;
  const ReductionOptions& options_;
  Index n_, per_;
  std::vector<const PlanarBody::Point*> interfaces_;
  Eigen::Vector2d origin_ = Eigen::Vector2d::Zero();
  Vec along_x_, along_y_, turning_, positions_;
  SpMat joined_;
  std::vector<Index> boundary_;
  mutable Vec stiffness_;
};
}  // namespace

ReducedBody reduce_body(const PlanarBody& body, const ReductionOptions& options) {
  return BodyReduction(body, options).reduce();
}
}  // namespace trill
