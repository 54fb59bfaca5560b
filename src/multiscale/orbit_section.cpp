// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/orbit_section.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double two_pi = 2 * std::numbers::pi;
// At the node the distance follows the perigee around, so eccentric orbits vary less at the apogee. Near the smallest
// eccentricity with an apogee, oblateness moves it by more than the eccentricity does.
constexpr double eccentric = 0.1, least_with_apogee = 0.01;
constexpr double least_with_node = 0.02;    // sin i below which the node is not well defined
constexpr double nearly_retrograde = -0.9;  // cos i below which tan(i/2) becomes large

double period_of(double mu, double inverse_a) {
  return inverse_a > 0 ? two_pi / std::sqrt(mu * inverse_a * inverse_a * inverse_a) : std::nan("");
}

double continued(double angle, double near) { return near + std::remainder(angle - near, two_pi); }

// Directions in the plane of an orbit with the given tan(i/2) sin, cos of the node (Broucke and Cefola 1972).
void axes_of(double p, double q, Vec3& f, Vec3& g) {
  const double s = 1 + p * p + q * q;
  f = Vec3(1 - p * p + q * q, 2 * p * q, -2 * p) / s;
  g = Vec3(2 * p * q, 1 + p * p - q * q, 2 * q) / s;
}
}  // namespace

OrbitSection::OrbitSection(const OrbitPoint& start, double mu, std::optional<OrbitPlace> asked) : mu_(mu) {
  const double inverse_a = 2 / start.q.norm() - start.v.squaredNorm() / mu;
  const Vec3 momentum = start.q.cross(start.v);
  if (!(inverse_a > 0))
    throw UsageError(fmt::format(
        "the orbit is not closed at t = {:g}: the speed {:.6g} is not below the escape speed {:.6g}, so there are no "
        "revolutions",
        start.t, start.v.norm(), std::sqrt(2 * mu / start.q.norm())));
  if (!(momentum.norm() > 1e-9 * start.q.norm() * start.v.norm()))
    throw UsageError(
        fmt::format("the motion at t = {:g} leads straight to the centre and makes no revolutions", start.t));
  retrograde_ = momentum.z() < nearly_retrograde * momentum.norm();
  const Equinoctial orbit = equinoctial_of(start);
  choose(orbit, asked);
  fixed_longitude_ = longitude_of(start, orbit);
}

void OrbitSection::choose(const Equinoctial& orbit, std::optional<OrbitPlace> asked) {
  const double e = std::hypot(orbit.h, orbit.k), half = std::atan(std::hypot(orbit.p, orbit.q));
  const bool has_node = std::sin(2 * half) >= least_with_node;
  if (asked == OrbitPlace::node && !has_node)
    throw UsageError("the orbit lies in the plane z = 0 and has no ascending node; take the apogee or the longitude");
  place_ = asked.value_or(e >= eccentric ? OrbitPlace::apogee : has_node ? OrbitPlace::node : OrbitPlace::longitude);
  const bool too_round = place_ == OrbitPlace::apogee && e < least_with_apogee;
  if (too_round) place_ = OrbitPlace::longitude;
  if (place_ == OrbitPlace::node) {
    coordinates_ = Coordinates::node;
    reason_ = asked ? "Revolutions begin at the ascending node, as asked."
                    : fmt::format(
                          "Revolutions begin at the ascending node, because the orbit with e = {:.3g} is nearly "
                          "circular.",
                          e);
    return;
  }
  const bool plain = place_ == OrbitPlace::apogee && has_node && !retrograde_;
  coordinates_ = plain ? Coordinates::elements : Coordinates::equinoctial;
  const std::string set = plain       ? "classical elements"
                          : !has_node ? "equinoctial elements, because it has no clear node"
                                      : "equinoctial elements";
  if (place_ == OrbitPlace::apogee)
    reason_ = fmt::format("Revolutions begin at the apogee, {}; the orbit is described by {}.",
                          asked ? "as asked" : fmt::format("because e = {:.3g} is large", e), set);
  else
    reason_ = fmt::format("Revolutions begin at a fixed longitude, {}; the orbit is described by {}.",
                          too_round ? fmt::format("because with e = {:.3g} the apogee is not well defined", e)
                          : asked   ? "as asked"
                                  : fmt::format("because the orbit with e = {:.3g} is nearly circular and has no clear "
                                                "node",
                                                e),
                          set);
}

std::vector<Quantity> OrbitSection::components(const std::string& length, const std::string& time) const {
  const std::string speed = length.empty() || time.empty() ? "" : length + "/" + time;
  switch (coordinates_) {
    case Coordinates::node:
      return {{"r", length}, {"v_r", speed}, {"v_t_cos_i", speed}, {"v_t_sin_i", speed}, {"node", "rad"}, {"t", time}};
    case Coordinates::elements:
      return {{"a", length}, {"e", ""}, {"i", "rad"}, {"node", "rad"}, {"perigee", "rad"}, {"t", time}};
    case Coordinates::equinoctial:
      break;
  }
  return {{"a", length}, {"h", ""}, {"k", ""}, {"p", ""}, {"q", ""}, {"t", time}};
}

OrbitSection::Equinoctial OrbitSection::equinoctial_of(const OrbitPoint& at) const {
  const Vec3 q = turned(at.q), v = turned(at.v), momentum = q.cross(v), normal = momentum.normalized();
  Equinoctial orbit{.a = 1 / (2 / q.norm() - v.squaredNorm() / mu_),
                    .h = 0,
                    .k = 0,
                    .p = normal.x() / (1 + normal.z()),
                    .q = -normal.y() / (1 + normal.z())};
  Vec3 f, g;
  axes_of(orbit.p, orbit.q, f, g);
  const Vec3 to_perigee = v.cross(momentum) / mu_ - q.normalized();
  orbit.h = to_perigee.dot(g);
  orbit.k = to_perigee.dot(f);
  return orbit;
}

double OrbitSection::longitude_of(const OrbitPoint& at, const Equinoctial& orbit) const {
  Vec3 f, g;
  axes_of(orbit.p, orbit.q, f, g);
  const Vec3 q = turned(at.q);
  return std::atan2(q.dot(g), q.dot(f));
}

double OrbitSection::longitude_of_section(const Equinoctial& orbit) const {
  if (place_ == OrbitPlace::longitude) return fixed_longitude_;
  if (place_ == OrbitPlace::apogee) return std::atan2(orbit.h, orbit.k) + std::numbers::pi;
  // In the turned frame the ascending node is the descending one.
  return std::atan2(orbit.p, orbit.q) + (retrograde_ ? std::numbers::pi : 0);
}

void OrbitSection::place_at(const Equinoctial& orbit, double longitude, OrbitPoint& at) const {
  Vec3 f, g;
  axes_of(orbit.p, orbit.q, f, g);
  const double c = std::cos(longitude), s = std::sin(longitude);
  const double parameter = orbit.a * (1 - orbit.h * orbit.h - orbit.k * orbit.k);
  const double r = parameter / (1 + orbit.h * s + orbit.k * c), speed = std::sqrt(mu_ / parameter);
  at.q = turned(r * (c * f + s * g));
  at.v = turned(speed * ((orbit.k + c) * g - (orbit.h + s) * f));
}

double OrbitSection::value(const OrbitPoint& at) const {
  if (place_ == OrbitPlace::node) return at.q.z();
  if (place_ == OrbitPlace::apogee) return -at.q.dot(at.v);
  return at.q.norm() * std::sin(longitude_of(at, equinoctial_of(at)) - fixed_longitude_);
}

double OrbitSection::rate(const OrbitPoint& at, const Vec3& acceleration) const {
  if (place_ == OrbitPlace::node) return at.v.z();
  if (place_ == OrbitPlace::apogee) return -at.v.squaredNorm() - at.q.dot(acceleration);
  // As if the plane of the orbit stood still, which it nearly does.
  const Equinoctial orbit = equinoctial_of(at);
  Vec3 f, g;
  axes_of(orbit.p, orbit.q, f, g);
  return turned(at.v).dot(std::cos(fixed_longitude_) * g - std::sin(fixed_longitude_) * f);
}

void OrbitSection::to_coordinates(const OrbitPoint& at, In near, Out z) const {
  const double before[] = {near[2], near[3], near[4]};  // near may be z
  if (coordinates_ == Coordinates::node) {
    const double r = std::hypot(at.q.x(), at.q.y());
    z[0] = r;
    z[1] = (at.q.x() * at.v.x() + at.q.y() * at.v.y()) / r;
    z[2] = (at.q.x() * at.v.y() - at.q.y() * at.v.x()) / r;
    z[3] = at.v.z();
    z[4] = continued(std::atan2(at.q.y(), at.q.x()), before[2]);
  } else {
    const Equinoctial orbit = equinoctial_of(at);
    z.head<5>() << orbit.a, orbit.h, orbit.k, orbit.p, orbit.q;
    if (coordinates_ == Coordinates::elements) {
      const double node = std::atan2(orbit.p, orbit.q);
      z[1] = std::hypot(orbit.h, orbit.k);
      z[2] = 2 * std::atan(std::hypot(orbit.p, orbit.q));
      z[3] = continued(node, before[1]);
      z[4] = continued(std::atan2(orbit.h, orbit.k) - node, before[2]);
    }
  }
  z[time] = at.t;
}

bool OrbitSection::from_coordinates(In z, OrbitPoint& at) const {
  if (!(period(z) > 0)) return false;
  at.t = z[time];
  if (coordinates_ == Coordinates::node) {
    const Vec3 out(std::cos(z[4]), std::sin(z[4]), 0), aside(-std::sin(z[4]), std::cos(z[4]), 0);
    at.q = z[0] * out;
    at.v = z[1] * out + z[2] * aside + z[3] * Vec3::UnitZ();
    return z[0] > 0 && z[3] > 0;
  }
  Equinoctial orbit{z[0], z[1], z[2], z[3], z[4]};
  if (coordinates_ == Coordinates::elements) {
    if (!(z[1] >= 0)) return false;
    const double half = std::tan(z[2] / 2);
    orbit = {z[0], z[1] * std::sin(z[3] + z[4]), z[1] * std::cos(z[3] + z[4]), half * std::sin(z[3]),
             half * std::cos(z[3])};
  }
  if (!(std::hypot(orbit.h, orbit.k) < 1)) return false;
  place_at(orbit, longitude_of_section(orbit), at);
  return true;
}

double OrbitSection::period(In z) const {
  if (coordinates_ == Coordinates::node) return period_of(mu_, 2 / z[0] - z.segment<3>(1).squaredNorm() / mu_);
  return period_of(mu_, 1 / z[0]);
}

double OrbitSection::period(const OrbitPoint& at) const {
  return period_of(mu_, 2 / at.q.norm() - at.v.squaredNorm() / mu_);
}

double OrbitSection::time_to(const OrbitPoint& from) const {
  const Equinoctial orbit = equinoctial_of(from);
  const double e = std::hypot(orbit.h, orbit.k), perigee = std::atan2(orbit.h, orbit.k);
  const auto mean = [&](double longitude) {
    const double nu = longitude - perigee;
    const double eccentric_anomaly =
        2 * std::atan2(std::sqrt(1 - e) * std::sin(nu / 2), std::sqrt(1 + e) * std::cos(nu / 2));
    return eccentric_anomaly - e * std::sin(eccentric_anomaly);
  };
  const double turn = mean(longitude_of_section(orbit)) - mean(longitude_of(from, orbit));
  const double ahead = turn - two_pi * std::floor(turn / two_pi);
  return ahead * std::sqrt(orbit.a * orbit.a * orbit.a / mu_);
}

void OrbitSection::sizes(In z, Out sizes) const {
  sizes.setOnes();
  sizes[0] = std::abs(z[0]);
  if (coordinates_ == Coordinates::node) sizes.segment<3>(1).setConstant(z.segment<3>(1).norm());
  sizes[time] = period(z) / two_pi;
}
}  // namespace trill
