// SPDX-License-Identifier: BSD-3-Clause
#include "model/expression/time_marks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>

namespace trill {
namespace {
// A piece is short enough when f is a straight line in it, up to this share of the range of f.
constexpr double straight = 0.1;
constexpr std::size_t most_pieces = 1 << 14;
// The time scale sqrt(range/curvature) times this is half a period of a sine.
constexpr double steps_per_scale = std::numbers::pi / std::numbers::sqrt2;
constexpr double share_of_run = 0.125;  // a function for which steps of this share will do is not active
constexpr double similar = 6;           // neighbours whose scales differ by no more form one stretch
constexpr double short_stretch = 8;     // stretches of up to so many steps are not divided
constexpr double most_bound_steps = 20'000;

struct Piece {
  double begin = 0, end = 0, curvature = 0;
  double bend() const { return curvature * (end - begin) * (end - begin); }
  bool operator<(const Piece& other) const { return bend() < other.bend(); }
};

// Divides the run until f is nearly straight in every piece, the most curved piece first.
class Division {
 public:
  Division(TimeFunction& f, double t0, double t1) : f_(f), shortest_(1e-10 * (t1 - t0)) {
    look(t0);
    look(t1);
    add(t0, t1);
  }
  bool run() {
    while (!open_.empty() && open_.top().bend() > straight * range()) {
      if (open_.size() >= most_pieces) return false;
      const Piece worst = open_.top();
      open_.pop();
      if (worst.end - worst.begin < shortest_) continue;  // a singularity, where no step is short enough
      const double middle = 0.5 * (worst.begin + worst.end);
      look(middle);
      add(worst.begin, middle);
      add(middle, worst.end);
    }
    return true;
  }
  double range() const { return high_ - low_; }
  std::vector<Piece> take_pieces() {
    std::vector<Piece> pieces;
    for (; !open_.empty(); open_.pop()) pieces.push_back(open_.top());
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    return pieces;
  }

 private:
  void look(double t) {
    const double value = f_.at(t);
    if (!std::isfinite(value)) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  void add(double begin, double end) { open_.push({begin, end, f_.over(begin, end).curvature.most()}); }

  TimeFunction& f_;
  double shortest_;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -std::numeric_limits<double>::infinity();
  std::priority_queue<Piece> open_;
};

// A function that is equally fast everywhere, such as a sine, need not be divided: the pieces of a coarse division have
// similar bounds of the curvature.
std::vector<ActiveStretch> whole_run_if_uniform(TimeFunction& f, double t0, double t1, double range) {
  constexpr int parts = 64;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int i = 0; i < parts; ++i) {
    const double length = (t1 - t0) / parts, begin = t0 + i * length;
    const double curvature = f.over(begin, begin + length).curvature.most();
    least = std::min(least, curvature);
    most = std::max(most, curvature);
  }
  if (!std::isfinite(most) || most > similar * similar * least) return {};
  return {{t0, t1, steps_per_scale * std::sqrt(range / most)}};
}

// Joins neighbours into stretches of similar scale.
std::vector<ActiveStretch> join(const std::vector<ActiveStretch>& active) {
  std::vector<ActiveStretch> joined;
  double slowest = 0;
  for (const ActiveStretch& piece : active) {
    if (!joined.empty() && joined.back().end == piece.begin) {
      ActiveStretch& last = joined.back();
      const double fastest = std::min(last.longest_step, piece.longest_step);
      const double slower = std::max(slowest, piece.longest_step);
      if (slower <= similar * fastest || piece.end - last.begin <= short_stretch * fastest) {
        last = {last.begin, piece.end, fastest};
        slowest = slower;
        continue;
      }
    }
    joined.push_back(piece);
    slowest = piece.longest_step;
  }
  return joined;
}

std::vector<ActiveStretch> active_pieces(Division& division, double longest_of_interest) {
  std::vector<ActiveStretch> active;
  for (const Piece& piece : division.take_pieces()) {
    const double longest = steps_per_scale * std::sqrt(division.range() / piece.curvature);
    if (longest < longest_of_interest) active.push_back({piece.begin, piece.end, longest});
  }
  return active;
}
}  // namespace

std::vector<ActiveStretch> active_stretches(TimeFunction f, double t0, double t1) {
  Division division(f, t0, t1);
  const bool divided = division.run();
  std::vector<ActiveStretch> stretches = divided ? join(active_pieces(division, share_of_run * (t1 - t0)))
                                                 : whole_run_if_uniform(f, t0, t1, division.range());
  std::erase_if(stretches, [](const ActiveStretch& s) { return s.end - s.begin > most_bound_steps * s.longest_step; });
  return stretches;
}

std::vector<TimeMark> marks_of(const std::vector<ActiveStretch>& stretches) {
  std::vector<double> times;
  for (const ActiveStretch& s : stretches) times.insert(times.end(), {s.begin, s.end});
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<TimeMark> marks;
  for (const double t : times) {
    TimeMark mark{t};
    for (const ActiveStretch& s : stretches)
      if (s.begin <= t && t < s.end) mark.longest_step = std::min(mark.longest_step, s.longest_step);
    marks.push_back(mark);
  }
  return marks;
}
}  // namespace trill
