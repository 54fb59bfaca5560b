// SPDX-License-Identifier: BSD-3-Clause
#include "multiscale/weight.hpp"

#include "base/text.hpp"
#include "trill/base/errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

namespace trill {
namespace {
using std::numbers::pi;
constexpr double mass_tolerance = 1e-10;
constexpr double longest_support = 100;  // in steps, on one side: sweeps go this far
constexpr std::size_t most_boxes = 8;    // alternating sums of more boxes lose too many digits

double sinc(double x) { return std::abs(x) < 1e-4 ? 1 - x * x / 6 : std::sin(x) / x; }

double horner(const Vec& c, double x) {
  double sum = 0;
  for (Index i = c.size() - 1; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

// c(x) in powers of x - shift.
Vec about(const Vec& c, double shift) {
  Vec moved = c;
  for (Index i = 0; i < c.size(); ++i)
    for (Index j = c.size() - 2; j >= i; --j) moved[j] += shift * moved[j + 1];
  return moved;
}

struct SignedSum {
  double sign, shift;  // product of the signs, half the signed sum of widths
};

std::vector<SignedSum> signed_sums(const std::vector<double>& widths) {
  std::vector<SignedSum> sums{{1, 0}};
  for (const double w : widths) {
    const std::size_t n = sums.size();
    for (std::size_t i = 0; i < n; ++i) {
      sums.push_back({-sums[i].sign, sums[i].shift - 0.5 * w});
      sums[i].shift += 0.5 * w;
    }
  }
  return sums;
}

// 1/((m - 1)! prod w) sum over signs of the product of signs times (t + c)_+^(m - 1), on (from, to).
Weight::Piece spline_piece(const std::vector<SignedSum>& sums, double scale, Index degree, double from, double to) {
  Weight::Piece piece{from, to, Vec::Zero(degree + 1)};
  Vec power = Vec::Zero(degree + 1);
  power[degree] = scale;
  for (const SignedSum& s : sums)
    if (0.5 * (from + to) + s.shift > 0) piece.coefficients += s.sign * about(power, from + s.shift);
  return piece;
}

std::vector<Weight::Piece> spline(const std::vector<double>& widths) {
  std::vector<Weight::Piece> pieces;
  const std::vector<SignedSum> sums = signed_sums(widths);
  std::vector<double> ends{0};
  for (const SignedSum& s : sums)
    if (s.shift > 0) ends.push_back(s.shift);
  std::sort(ends.begin(), ends.end());
  double scale = 1;
  for (std::size_t i = 0; i < widths.size(); ++i) scale /= widths[i] * std::max<double>(1, static_cast<double>(i));
  for (std::size_t i = 0; i + 1 < ends.size(); ++i)
    if (ends[i + 1] > ends[i] * (1 + 1e-12) + 1e-12)
      pieces.push_back(
          spline_piece(sums, scale, static_cast<Index>(widths.size()) - 1, i == 0 ? 0 : ends[i], ends[i + 1]));
  return pieces;
}

std::string name_of(const std::vector<double>& widths) {
  if (widths.empty()) return "delta";
  if (widths == std::vector<double>{1, 1}) return "lin";
  if (widths == std::vector<double>{1, 1, 1, 1}) return "cubic";
  if (widths == std::vector<double>{1, 1, 2}) return "lin*long";
  std::vector<std::string> parts;
  for (const double w : widths)
    parts.push_back(w == 1 ? "short" : w == 2 ? "long" : fmt::format("box({})", format_number(w)));
  return join(parts, "*");
}

std::string without_blanks(std::string_view text) {
  std::string kept;
  for (const char c : text)
    if (c != ' ') kept += c;
  return kept;
}

// "name(..)" -> the text inside, or nothing.
std::optional<std::string_view> arguments(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.substr(name.size()).starts_with("(") || !text.ends_with(")"))
    return std::nullopt;
  return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

double number_in(std::string_view text, std::string_view weight) {
  const auto number = parse_number(text);
  if (!number) throw UsageError(fmt::format("weight '{}': '{}' is not a number", weight, text));
  return *number;
}

std::vector<double> factor_widths(const std::string& text) {
  static const std::vector<std::string> names{"delta", "short", "long", "lin", "cubic"};
  static const std::array<std::vector<double>, 5> widths{{{}, {1}, {2}, {1, 1}, {1, 1, 1, 1}}};
  const auto known = std::find(names.begin(), names.end(), text);
  if (known != names.end()) return widths[static_cast<std::size_t>(known - names.begin())];
  if (const auto width = arguments(text, "box")) return {number_in(*width, text)};
  throw UsageError(
      fmt::format("'{}' is not a weight{}; products such as short*long, box(1.5) and pieces(1: 1 -1) are also possible",
                  text, suggest(text, names)));
}

// "1: 1 -1; 2: .." -> ends and coefficients
std::vector<Weight::Piece> read_pieces(std::string_view inside, std::string_view weight) {
  std::vector<Weight::Piece> pieces;
  for (const std::string& part : split(inside, ';')) {
    const std::vector<std::string> sides = split(part, ':');
    if (sides.size() != 2)
      throw UsageError(fmt::format("weight '{}': a piece is written 'end: c0 c1 ..', not '{}'", weight, part));
    std::vector<double> numbers;
    for (const std::string& word : split(sides[1], ' '))
      if (!word.empty()) numbers.push_back(number_in(word, weight));
    const double from = pieces.empty() ? 0 : pieces.back().to;
    pieces.push_back({from, number_in(without_blanks(sides[0]), weight),
                      Eigen::Map<const Vec>(numbers.data(), static_cast<Index>(numbers.size()))});
  }
  return pieces;
}

std::string text_of(const std::vector<Weight::Piece>& pieces) {
  std::vector<std::string> parts;
  for (const Weight::Piece& p : pieces) {
    std::string part = format_number(p.to) + ":";
    for (const double c : p.coefficients) part += " " + format_number(c);
    parts.push_back(part);
  }
  return "pieces(" + join(parts, "; ") + ")";
}

// int chi(t) cos(x t) dt over a piece, by the 8-point Gauss rule on parts that are short compared with the wave.
double cosine_integral(const Weight::Piece& piece, double x) {
  static constexpr std::array<double, 4> node{0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                              0.9602898564975363};
  static constexpr std::array<double, 4> share{0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                               0.1012285362903763};
  const double length = piece.to - piece.from;
  const int parts = 1 + static_cast<int>(std::abs(x) * length);
  const double half = 0.5 * length / parts;
  double sum = 0;
  for (int k = 0; k < parts; ++k)
    for (std::size_t i = 0; i < node.size(); ++i)
      for (const double side : {-1.0, 1.0}) {
        const double t = (2 * k + 1) * half + side * half * node[i];
        sum += half * share[i] * horner(piece.coefficients, t) * std::cos(x * (piece.from + t));
      }
  return sum;
}
void check_support(double half, const std::string& name) {
  if (!(half <= longest_support))
    throw UsageError(fmt::format("weight '{}' extends over {} steps; at most {} are allowed", name, format_number(half),
                                 format_number(longest_support)));
}
}  // namespace

Weight Weight::boxes(std::vector<double> widths) {
  std::sort(widths.begin(), widths.end());
  for (const double w : widths)
    if (!(w > 0) || !std::isfinite(w))
      throw UsageError(fmt::format("a box of width {} is not a weight; widths must be positive", format_number(w)));
  if (widths.size() > most_boxes)
    throw UsageError(
        fmt::format("a weight of {} boxes has too many; at most {} are allowed", widths.size(), most_boxes));
  Weight weight;
  weight.name_ = name_of(widths);
  check_support(std::accumulate(widths.begin(), widths.end(), 0.0) / 2, weight.name_);
  if (!widths.empty()) weight.pieces_ = spline(widths);
  weight.widths_ = std::move(widths);
  return weight;
}

Weight Weight::of_pieces(std::vector<Piece> pieces) {
  const std::string name = text_of(pieces);
  if (pieces.empty()) throw UsageError("a weight needs at least one piece; use delta for none");
  double end = 0;
  for (Piece& piece : pieces) {
    if (piece.from != end || !(piece.to > piece.from) || !std::isfinite(piece.to))
      throw UsageError(
          fmt::format("weight '{}': the pieces must follow one another from 0 on, with increasing ends", name));
    if (piece.coefficients.size() == 0 || !piece.coefficients.allFinite())
      throw UsageError(fmt::format("weight '{}': all coefficients must be finite", name));
    end = piece.to;
    piece.coefficients = about(piece.coefficients, piece.from);
  }
  check_support(end, name);
  Weight weight;
  weight.name_ = name;
  weight.pieces_ = std::move(pieces);
  const double mass = weight.mass();
  if (std::abs(mass - 1) > mass_tolerance)
    throw UsageError(
        fmt::format("weight '{}' has the integral {} over both halves, not 1, so that averages would be wrong; divide "
                    "its coefficients by that",
                    name, format_number(mass)));
  return weight;
}

Weight Weight::named(std::string_view text) {
  if (const auto inside = arguments(text, "pieces")) return of_pieces(read_pieces(*inside, text));
  std::vector<double> widths;
  for (const std::string& factor : split(without_blanks(text), '*')) {
    const std::vector<double> more = factor_widths(factor);
    widths.insert(widths.end(), more.begin(), more.end());
  }
  return boxes(std::move(widths));
}

double Weight::filter(double x) const {
  if (is_delta()) return 1;
  double value = 1;
  for (const double w : widths_) value *= sinc(0.5 * w * x);
  if (!widths_.empty()) return value;
  value = 0;
  for (const Piece& piece : pieces_) value += 2 * cosine_integral(piece, x);
  return value;
}

double Weight::value(double t, double tref) const {
  const double side = tref < 0 ? -1 : 1;
  for (const Piece& piece : pieces_)
    if (side * tref < piece.to) return horner(piece.coefficients, side * t - piece.from);
  return 0;
}

double Weight::mass() const { return filter(0); }

double Weight::unity_defect() const {
  constexpr int harmonics = 8;  // a defect shows in the first harmonics, because the transform decays
  double largest = 0;
  for (int n = 1; n <= harmonics; ++n) largest = std::max(largest, std::abs(filter(2 * pi * n)));
  return largest < 1e-12 ? 0 : largest;
}

Weight Weight::operator*(const Weight& other) const {
  if (is_delta()) return other;
  if (other.is_delta()) return *this;
  if (widths_.empty() || other.widths_.empty())
    throw UsageError(fmt::format("weights '{}' and '{}' cannot be convolved: only boxes can", name_, other.name_));
  std::vector<double> widths = widths_;
  widths.insert(widths.end(), other.widths_.begin(), other.widths_.end());
  return boxes(std::move(widths));
}

bool Weight::operator==(const Weight& other) const {
  if (pieces_.size() != other.pieces_.size()) return false;
  if (!widths_.empty() || !other.widths_.empty()) return widths_ == other.widths_;
  return std::equal(pieces_.begin(), pieces_.end(), other.pieces_.begin(), [](const Piece& a, const Piece& b) {
    return a.to == b.to && a.coefficients.size() == b.coefficients.size() && a.coefficients == b.coefficients;
  });
}

double half_trace(const WeightPair& pair, double theta, double square) {
  return std::cos(theta) - 0.5 * square * sinc(theta) * exchange_factor(pair, theta);
}

double instability_width(const WeightPair& pair, int k, double square) {
  const double width = std::abs(square * exchange_factor(pair, k * pi)) / (k * pi);
  return resonance_free(pair) || width < 1e-15 ? 0 : width;
}

double exchange_factor(const WeightPair& pair, double theta) { return pair.phi.filter(theta) * pair.psi.filter(theta); }

bool resonance_free(const WeightPair& pair) {
  const Weight longer = Weight::boxes({2});
  if (pair.phi == longer && pair.psi == longer) return true;
  const bool of_boxes = pair.phi.is_delta() || !pair.phi.widths().empty();
  return of_boxes && pair.phi * longer == pair.psi;
}
}  // namespace trill
