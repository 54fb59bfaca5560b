// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "trill/problem/problem.hpp"

#include <cmath>
#include <optional>

namespace trill {
using Vec3 = Eigen::Vector3d;

struct OrbitPoint {
  Vec3 q, v;
  double t = 0;
};

// Where revolutions begin. node: on the way up through the plane z = 0; apogee: where the distance is largest;
// longitude: at a fixed direction in the plane of the orbit, which exists also for circular and equatorial orbits.
enum class OrbitPlace { node, apogee, longitude };

// The surface where revolutions begin, and five slow coordinates on it with the time as the sixth. Being coordinates on
// the surface, they cannot leave it. Angles are continued over many turns.
class OrbitSection {
 public:
  // node: (r, v_r, v_t cos i, v_t sin i, Omega, t). elements: (a, e, i, Omega, omega, t). equinoctial: (a, h, k, p, q,
  // t) with e sin, e cos of the longitude of the perigee, and tan(i/2) sin, tan(i/2) cos of the node.
  enum class Coordinates { node, elements, equinoctial };
  static constexpr Index size = 6, time = 5;

  // The section that suits the orbit through this point. asked: the one that is wanted, if there is one. UsageError if
  // the orbit is not closed or if it has no such section.
  OrbitSection(const OrbitPoint& start, double mu, std::optional<OrbitPlace> asked);
  OrbitPlace place() const { return place_; }
  const std::string& reason() const { return reason_; }  // a sentence
  std::vector<Quantity> components(const std::string& length, const std::string& time) const;

  // Zero on the section and rising where revolutions begin, and how fast it rises.
  double value(const OrbitPoint& at) const;
  double rate(const OrbitPoint& at, const Vec3& acceleration) const;

  // near: coordinates with angles at most half a turn away, so that angles are continued.
  void to_coordinates(const OrbitPoint& at, In near, Out z) const;
  bool from_coordinates(In z, OrbitPoint& at) const;  // false: no closed orbit
  double period(In z) const;                          // of the ellipse; NaN: no closed orbit
  double period(const OrbitPoint& at) const;
  double dynamic_time(In q) const { return std::sqrt(std::pow(q.norm(), 3) / mu_); }  // of a circle, for one radian
  double time_to(const OrbitPoint& from) const;  // until the section is reached, on the ellipse
  void sizes(In z, Out sizes) const;             // of the components, with an angle of 1 for the time

 private:
  struct Equinoctial {
    double a, h, k, p, q;
  };
  Equinoctial equinoctial_of(const OrbitPoint& at) const;
  void place_at(const Equinoctial& orbit, double longitude, OrbitPoint& at) const;
  double longitude_of(const OrbitPoint& at, const Equinoctial& orbit) const;
  double longitude_of_section(const Equinoctial& orbit) const;
  void choose(const Equinoctial& orbit, std::optional<OrbitPlace> asked);
  Vec3 turned(const Vec3& x) const { return retrograde_ ? Vec3(x.x(), -x.y(), -x.z()) : x; }

  double mu_;
  OrbitPlace place_ = OrbitPlace::node;
  Coordinates coordinates_ = Coordinates::node;
  bool retrograde_ = false;  // equinoctial elements are those of the orbit turned by 180 degrees about the x axis
  double fixed_longitude_ = 0;
  std::string reason_;
};
}  // namespace trill
