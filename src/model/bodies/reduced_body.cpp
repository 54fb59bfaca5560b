// SPDX-License-Identifier: BSD-3-Clause
#include "model/bodies/reduced_body.hpp"

#include "base/text.hpp"
#include "model/expression/parser.hpp"
#include "trill/base/archive.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr std::string_view first_line_of_body = "trill body 1";
constexpr std::string_view checksum_word = "checksum ";

std::string checksum_text(std::string_view text) { return fmt::format("{:016x}", checksum(text.data(), text.size())); }

void add_numbers(std::string& text, std::string_view word, const Vec& numbers) {
  text += word;
  for (const double x : numbers) text += fmt::format(" {:.17g}", x);
  text += '\n';
}
void add_matrix(std::string& text, std::string_view word, const Mat& matrix) {
  text += word;
  text += '\n';
  for (Index i = 0; i < matrix.rows(); ++i) add_numbers(text, " ", matrix.row(i).transpose());
}

class ReducedBodyReader {
 public:
  ReducedBodyReader(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  ReducedBody read() {
    if (text_.size() > most_body_bytes)
      throw error(
          0, fmt::format("the file has {} bytes; a reduced body may have at most {}", text_.size(), most_body_bytes));
    if (next_line() != first_line_of_body)
      throw error(
          0, fmt::format("a reduced body begins with the line '{}', as 'trill reduce' writes it", first_line_of_body));
    check_sum();
    ReducedBody body;
    const double count = number("modes");
    if (!(count >= 1 && count <= static_cast<double>(most_body_modes)) || count != std::floor(count))
      throw error(line_, fmt::format("the number of modes must be from 1 to {}", most_body_modes));
    const Index n = static_cast<Index>(count);
    body.mass = positive("mass");
    const Vec moment = numbers("moment", 2);
    body.moment_x = moment[0];
    body.moment_y = moment[1];
    body.inertia = positive("inertia");
    body.stiffness = numbers("stiffness", n);
    if (!(body.stiffness.minCoeff() > 0)) throw error(line_, "the stiffness of every mode must be positive");
    body.push_x = numbers("push_x", n);
    body.push_y = numbers("push_y", n);
    body.stretch = numbers("stretch", n);
    body.swing = numbers("swing", n);
    body.convective = matrix("convective", n, 1);
    body.gyroscopic = matrix("gyroscopic", n, -1);
    body.stiffening = matrix("stiffening", n, 1);
    body.damping = matrix("damping", n, 1);
    const double points = number("points");
    if (!(points >= 1 && points <= static_cast<double>(most_body_points)) || points != std::floor(points))
      throw error(line_, fmt::format("the number of points must be from 1 to {}", most_body_points));
    for (int p = 0; p < static_cast<int>(points); ++p) body.points.push_back(point(n));
    if (at_ < sum_at_) throw error(at_, "the file goes on after its last point");
    return body;
  }

 private:
  ModelError error(std::size_t offset, std::string_view message) const {
    return error_at(file_, text_, std::min(offset, text_.size()), message);
  }

  std::string_view next_line() {
    line_ = at_;
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return line;
  }

  void check_sum() {
    sum_at_ = text_.rfind(checksum_word);
    if (sum_at_ == std::string_view::npos || sum_at_ == 0 || text_[sum_at_ - 1] != '\n')
      throw error(text_.size(), "the last line, 'checksum ...', is missing: the file is not complete");
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    std::string_view sum = text_.substr(sum_at_ + checksum_word.size());
    while (!sum.empty() && (sum.back() == '\n' || sum.back() == '\r')) sum.remove_suffix(1);
    if (sum != checksum_text(text_.substr(0, sum_at_)))
      throw error(sum_at_,
                  "the checksum does not fit: the file was changed after 'trill reduce' wrote it; make it again");
#endif
  }

  Vec parsed(std::string_view line, std::string_view what, Index count) const {
    Vec found(count);
    Index k = 0;
    for (const std::string& word : split(line, ' ')) {
      if (word.empty()) continue;
      const auto value = parse_number(word);
      if (!value || !std::isfinite(*value))
        throw error(line_, fmt::format("'{}' is not a finite number", shortened(word)));
      if (k < count) found[k] = *value;
      ++k;
    }
    if (k != count) throw error(line_, fmt::format("'{}' needs {} numbers here, but there are {}", what, count, k));
    return found;
  }

  // After the word that must come next.
  std::string_view after(std::string_view word) {
    const std::string_view line = at_ < sum_at_ ? next_line() : std::string_view();
    if (line.empty() && at_ >= sum_at_) line_ = sum_at_;
    if (!line.starts_with(word) || (line.size() > word.size() && line[word.size()] != ' '))
      throw error(line_, fmt::format("expected a line that begins with '{}'", word));
    return line.substr(word.size());
  }
  Vec numbers(std::string_view word, Index count) { return parsed(after(word), word, count); }
  double number(std::string_view word) { return numbers(word, 1)[0]; }
  double positive(std::string_view word) {
    const double value = number(word);
    if (!(value > 0)) throw error(line_, fmt::format("'{}' must be positive", word));
    return value;
  }

  Mat matrix(std::string_view word, Index n, int sign) {
    parsed(after(word), word, 0);
    Mat m(n, n);
    const std::size_t begin = line_;
    for (Index i = 0; i < n; ++i) m.row(i) = parsed(next_line(), word, n).transpose();
    const double size = m.cwiseAbs().maxCoeff();
    if (!((m - sign * m.transpose()).cwiseAbs().maxCoeff() <= 1e-6 * size))
      throw error(begin, fmt::format("the matrix '{}' must be {}", word, sign > 0 ? "symmetric" : "skew-symmetric"));
    return m;
  }

  ReducedBody::Point point(Index n) {
    std::string_view line = after("point");
    const std::vector<std::string> words = split(line.empty() ? line : line.substr(1), ' ');
    ReducedBody::Point p;
    if (words.size() != 3 || !is_identifier(words[0]) || !names_.insert(words[0]).second)
      throw error(line_, "a point is 'point NAME X Y' with a new name of letters, digits and _");
    p.name = words[0];
    const Vec at = parsed(words[1] + " " + words[2], "point", 2);
    p.x = at[0];
    p.y = at[1];
    p.shape_x = numbers("shape_x", n);
    p.shape_y = numbers("shape_y", n);
    p.shape_angle = numbers("shape_angle", n);
    return p;
  }

  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0, line_ = 0, sum_at_ = 0;
  std::set<std::string> names_;
};
}  // namespace

std::string body_text(const ReducedBody& body) {
  std::string text(first_line_of_body);
  text += fmt::format("\nmodes {}\nmass {:.17g}\nmoment {:.17g} {:.17g}\ninertia {:.17g}\n", body.modes(), body.mass,
                      body.moment_x, body.moment_y, body.inertia);
  add_numbers(text, "stiffness", body.stiffness);
  add_numbers(text, "push_x", body.push_x);
  add_numbers(text, "push_y", body.push_y);
  add_numbers(text, "stretch", body.stretch);
  add_numbers(text, "swing", body.swing);
  add_matrix(text, "convective", body.convective);
  add_matrix(text, "gyroscopic", body.gyroscopic);
  add_matrix(text, "stiffening", body.stiffening);
  add_matrix(text, "damping", body.damping);
  text += fmt::format("points {}\n", body.points.size());
  for (const ReducedBody::Point& p : body.points) {
    text += fmt::format("point {} {:.17g} {:.17g}\n", p.name, p.x, p.y);
    add_numbers(text, "shape_x", p.shape_x);
    add_numbers(text, "shape_y", p.shape_y);
    add_numbers(text, "shape_angle", p.shape_angle);
  }
  return text + std::string(checksum_word) + checksum_text(text) + "\n";
}

ReducedBody read_reduced_body(const std::string& file, std::string_view text) {
  return ReducedBodyReader(file, text).read();
}
}  // namespace trill
