// SPDX-License-Identifier: BSD-3-Clause
#include "formulation/slow_passages.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trill {
namespace {
constexpr double always_alike = 1e-6;  // relative change of two frequencies that always coincide
constexpr double least_chance = 1e-4;  // smallest relevant probability of changing from one mode to the other
constexpr double closest = 1e-3;       // relative distance below which two modes no longer beat
constexpr double longest_arc = 0.5;    // radians of the plane of two modes between two points
constexpr std::size_t most_passages = 256;
}  // namespace

SlowPassages::SlowPassages(const SlowSystem& slow)
    : slow_(slow), between_(slow.layout()), x_(slow.unknowns()), s_(slow.rows()), covector_(slow.unknowns()) {
  passages_.reserve(most_passages);
}

void SlowPassages::start() {
  seen_ = {};
  passages_.clear();
  low_.resize(0);
}

double SlowPassages::Passage::detuning(const Vec& omega) const {
  if (k < 0) return omega[j] - omega[i];
  return k == j ? 2 * omega[i] - omega[j] : omega[i] + omega[j] - omega[k];
}

void SlowPassages::look(const State& s, In actions, In reach, const std::vector<char>& carries) {
  const Vec& omega = slow_.modes().frequencies();
  const bool first = low_.size() == 0;
  if (first) {
    low_ = high_ = omega;
    y_before_.resize(slow_.rows(), slow_.modes().layers());
  }
  low_ = low_.cwiseMin(omega);
  high_ = high_.cwiseMax(omega);
  if (!first && s.t != t_before_) {
    const Index parts = parts_since(carries);
    for (Index k = 1; k < parts; ++k) {
      stand_between(s, static_cast<double>(k) / static_cast<double>(parts));
      look_at_all(between_, actions, reach, carries);
      keep_modes(between_.t);
    }
    if (parts > 1) stand_between(s, 1);
    look_at_all(s, actions, reach, carries);
  }
  add_up(s.t);
  keep_modes(s.t);
  t_last_ = s.t;
  q_last_ = s.q();
  v_last_ = s.v();
}

// A straight line between two points of the plane of look_at_pair cuts off the arc between them.
Index SlowPassages::parts_since(const std::vector<char>& carries) const {
  const GapModes& modes = slow_.modes();
  const auto carrying = [&](Index k) { return carries[static_cast<std::size_t>(k)] != 0; };
  double most = 0;
  for (Index block = 0; block < modes.blocks(); ++block) {
    const Index begin = modes.first(block), end = begin + modes.size(block);
    for (Index i = begin; i < end; ++i)
      for (Index j = i + 1; j < end; ++j)
        if (carrying(i) || carrying(j)) most = std::max(most, 2 * turned(block, i, j));
  }
  return std::max<Index>(1, static_cast<Index>(std::ceil(most / longest_arc)));
}

// Finds the modes on the cubic from the last point to this one; theta = 1: at this point itself.
void SlowPassages::stand_between(const State& s, double theta) {
  const double h = s.t - t_last_, rest = 1 - theta;
  between_.t = t_last_ + theta * h;
  x_ = s.q() - q_last_;
  between_.q() = q_last_ + theta * x_ + theta * rest * (rest * (h * v_last_ - x_) - theta * (h * s.v() - x_));
  if (theta == 1) between_.q() = s.q();
  if (slow_.manifold().stand_at(between_.t, between_.q())) slow_.modes().find(slow_.manifold().schur());
}

void SlowPassages::look_at_all(const State& s, In actions, In reach, const std::vector<char>& carries) {
  const GapModes& modes = slow_.modes();
  const auto carrying = [&](Index k) { return static_cast<int>(carries[static_cast<std::size_t>(k)]); };
  for (Index block = 0; block < modes.blocks(); ++block) {
    const Index begin = modes.first(block), end = begin + modes.size(block);
    for (Index i = begin; i < end; ++i)
      for (Index j = i + 1; j < end; ++j) {
        const int of_two = carrying(i) + carrying(j);
        if (of_two == 0) continue;
        look_at_pair(s.t, actions, reach, block, {.i = i, .j = j});
        look_at_resonance(s, actions, block, {.i = i, .j = j, .k = j});
        for (Index k = j + 1; k < end; ++k)
          if (of_two + carrying(k) > 1) look_at_resonance(s, actions, block, {.i = i, .j = j, .k = k});
      }
  }
}

void SlowPassages::keep_modes(double t) {
  const GapModes& modes = slow_.modes();
  for (Index layer = 0; layer < modes.layers(); ++layer) y_before_.col(layer) = modes.y(layer);
  omega_before_ = modes.frequencies();
  t_before_ = t;
}

SlowPassages::Passage* SlowPassages::find(const Passage& same, double t) {
  for (Passage& p : passages_)
    if (p.i == same.i && p.j == same.j && p.k == same.k) return &p;
  if (passages_.size() == most_passages) return &passages_.back();
  passages_.push_back(same);
  Passage& made = passages_.back();
  made.low = made.high = made.detuning(slow_.modes().frequencies());
  made.since = t;
  return &made;
}

// The angle by which mode i turned towards mode j since the last point.
double SlowPassages::turned(Index block, Index i, Index j) const {
  const GapModes& modes = slow_.modes();
  const Index first = modes.first(block);
  double along = 0, across = 0;
  for (Index row = 0; row < slow_.gaps(); ++row) {
    if (modes.block_of_row(row) != block) continue;
    const double before = y_before_(row, i - first) / slow_.stiffness()[row];
    along += before * modes.y(i - first)[row];
    across += before * modes.y(j - first)[row];
  }
  return std::atan2(std::abs(across), std::abs(along));
}

// The matrix of two modes, taken as linear in time between the points, is (Omega_j^2 - Omega_i^2)/2 times a reflection
// at twice the angle of the modes. So the smallest distance of the frequencies is the distance of the origin from the
// line between two points in the plane. The probability of leaving the mode there is given by the Landau-Zener formula.
void SlowPassages::look_at_pair(double t, In actions, In reach, Index block, Passage pair) {
  const Vec& omega = slow_.modes().frequencies();
  const Index i = pair.i, j = pair.j;
  if (std::max(high_[j] - low_[j], high_[i] - low_[i]) <= always_alike * omega[j]) return;
  const double angle = 2 * turned(block, i, j);
  const auto distance = [&](const Vec& of) { return of[j] * of[j] - of[i] * of[i]; };
  const double before = distance(omega_before_), now = distance(omega);
  const double x = now * std::cos(angle) - before, y = now * std::sin(angle);
  const double length = std::hypot(x, y);
  const double at = length > 0 ? std::clamp(-x * before / (length * length), 0.0, 1.0) : 0;
  const double nearest = std::hypot(before + at * x, at * y) / (2 * omega[j]);
  const double speed = length / (2 * omega[j]) / std::abs(t - t_before_);
  seen_.nearest = std::min(seen_.nearest, nearest / omega[j]);
  const double apart = std::max(nearest / omega[j], closest);
  seen_.beat = std::max(seen_.beat, reach[i] * reach[j] / (apart * apart));
  const double chance = speed > 0 ? std::exp(-std::numbers::pi / 2 * nearest * nearest / speed) : 0;
  if (chance < least_chance) return;
  const double mixed = 2 * std::sqrt(std::max(chance * (1 - chance) * actions[i] * actions[j], 0.0));
  Passage& found = *find(pair, t);
  found.lost = std::max(found.lost, chance * std::abs(actions[i] - actions[j]) + mixed);
}

// A term H cos(psi) of the energy with psi' = d t, passed at the speed d, changes an action by H sqrt(2 pi/d) at most.
void SlowPassages::look_at_resonance(const State& s, In actions, Index block, Passage triple) {
  const Vec& omega = slow_.modes().frequencies();
  const double before = triple.detuning(omega_before_), now = triple.detuning(omega);
  if ((before > 0) == (now > 0)) return;
  const auto square = [&](Index k) { return 2 * std::max(actions[k], 0.0) / omega[k]; };
  const double product = triple.k == triple.j ? square(triple.i) * std::sqrt(square(triple.j))
                                              : std::sqrt(square(triple.i) * square(triple.j) * square(triple.k));
  const double energy = std::abs(coupling(s, block, triple)) * product / 4;
  const double speed = std::abs((now - before) / (s.t - t_before_));
  const double there = actions[triple.i] + actions[triple.j];
  const double lost = std::min(energy * std::sqrt(2 * std::numbers::pi / speed), there);
  if (!(lost > 0)) return;
  ++seen_.resonances;
  if (lost / there > seen_.largest_loss) {
    seen_.worst_resonance = s.t;
    seen_.largest_loss = lost / there;
  }
  Passage& found = *find(triple, s.t);
  found.lost = std::hypot(found.lost, lost);
}

// Coefficient of x_i^2 x_j, or of x_i x_j x_k, in the energy 1/2 g^T K g along the modes u.
double SlowPassages::coupling(const State& s, Index block, const Passage& p) {
  if (p.k == p.j) return 0.5 * cubic(s, block, p.j, p.i, p.i) + cubic(s, block, p.i, p.i, p.j);
  return cubic(s, block, p.i, p.j, p.k) + cubic(s, block, p.j, p.k, p.i) + cubic(s, block, p.k, p.i, p.j);
}

// Omega_i y_i^T Hess(g)[u_j, u_k]: K G u = Omega y.
double SlowPassages::cubic(const State& s, Index block, Index i, Index j, Index k) {
  const GapModes& modes = slow_.modes();
  const Vec& omega = modes.frequencies();
  const Index first = modes.first(block);
  s_ = modes.y(i - first);
  x_ = modes.b(j - first);
  slow_.bend(s.t, s.q(), x_, s_, covector_);
  double sum = 0;
  for (Index n = 0; n < x_.size(); ++n)
    if (modes.block_of_coordinate(n) == block) sum += covector_[n] * modes.b(k - first)[n];
  return omega[i] / (omega[j] * omega[k]) * sum;
}

void SlowPassages::add_up(double t) {
  seen_.met = seen_.resonated = 0;
  for (Passage& p : passages_) {
    const double detuning = p.detuning(slow_.modes().frequencies());
    p.low = std::min(p.low, detuning);
    p.high = std::max(p.high, detuning);
    (p.k < 0 ? seen_.met : seen_.resonated) += p.lost * (p.high - p.low) * std::abs(t - p.since);
  }
}

void SlowPassages::memory(Archive& archive) {
  archive(seen_, passages_, low_, high_, omega_before_, y_before_, t_before_, t_last_, q_last_, v_last_);
}
}  // namespace trill
