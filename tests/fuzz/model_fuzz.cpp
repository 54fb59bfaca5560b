// SPDX-License-Identifier: BSD-3-Clause
// Whatever a model file contains, it is refused, or it loads and its functions can be evaluated. The files that it
// names follow in the same input, each after a line such as "#### atoms.csv".
#include "scratch_folder.hpp"
#include "time_limit.hpp"
#include "trill/model/text_problem.hpp"
#include "trill/problem/mechanical.hpp"

#include <string_view>

namespace {
using namespace trill;

constexpr std::string_view mark = "\n#### ";
constexpr Index most_evaluated = 40;  // largest model whose matrices are formed

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(0, 20))
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.') plain += c;
  return plain;
}

class Folder {
 public:
  explicit Folder(std::string_view text) {
    write("fuzz.toml", text.substr(0, text.find(mark)));
    for (std::size_t at = text.find(mark); at != text.npos;) {
      const std::string_view rest = text.substr(at + mark.size());
      const std::size_t line_end = rest.find('\n'), next = rest.find(mark);
      if (line_end == rest.npos || next < line_end) return;
      const std::string name = plain_name(rest.substr(0, line_end));
      if (name.find_first_not_of('.') != name.npos) write(name, rest.substr(line_end + 1, next - line_end - 1));
      at = next == rest.npos ? next : at + mark.size() + next;
    }
  }
  ~Folder() {
    for (const auto& name : names_) std::filesystem::remove(fuzz::scratch_folder() / name);
  }
  TextModel load() const { return load_model(fuzz::scratch_folder() / "fuzz.toml"); }

 private:
  void write(const std::string& name, std::string_view content) {
    names_.push_back(name);
    fuzz::write_scratch(name, content);
  }
  std::vector<std::string> names_;
};

void evaluate_map(const ConstraintMap* map, const State& s) {
  if (!map) return;
  const Vec q = s.q(), v = s.v(), ones = Vec::Ones(map->count());
  Vec values(map->count());
  MatrixSlot G = map->pattern(), curved = map->transpose_pattern();
  map->value(s.t, q, values);
  map->curvature(s.t, q, v, values);
  map->jacobian(s.t, q, G);
  map->transpose_derivative(s.t, q, ones, curved);
}

void evaluate(const MechanicalProblem& problem, const State& s) {
  const Vec q = s.q(), v = s.v();
  Vec f(q.size());
  MatrixSlot m = problem.mass_pattern(), dq = problem.stiffness_pattern(), dv = problem.damping_pattern();
  problem.mass(q, m);
  problem.force(all_groups, s.t, q, v, f);
  problem.force(1, s.t, q, v, f);
  problem.potential(all_groups, s.t, q);
  problem.force_jacobian(all_groups, s.t, q, v, dq, dv);
  evaluate_map(problem.constraints(), s);
  if (problem.strong_potential()) evaluate_map(problem.strong_potential()->map, s);
}

void evaluate(const FirstOrderProblem& problem, const State& s) {
  Vec dy(s.y.size());
  MatrixSlot j = problem.jacobian_pattern();
  problem.rhs(s.t, s.y, dy);
  problem.jacobian(s.t, s.y, j);
}

void evaluate(const TextModel& model) {
  const Problem& problem = *model.problem;
  State s = problem.initial_state();
  if (s.y.size() > 2 * most_evaluated) return;
  if (problem.components().size() != static_cast<std::size_t>(s.y.size())) std::abort();
  Vec values(static_cast<Index>(problem.quantities().size()));
  problem.measure(s, values);
  Vec y(s.y.size());
  problem.exact(0.5, y);
  if (const auto* mechanical = dynamic_cast<const MechanicalProblem*>(&problem)) evaluate(*mechanical, s);
  if (const auto* first_order = dynamic_cast<const FirstOrderProblem*>(&problem)) evaluate(*first_order, s);
  const int events = static_cast<int>(std::min<std::size_t>(problem.events().size(), 8));
  ProblemSession session(problem, Formulas::held);
  for (int e = 0; e < events; ++e) {
    problem.event_value(e, s);
    problem.on_event(e, s);
    session.enter(s);
  }
  problem.clone()->measure(s, values);
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const fuzz::TimeLimit limit;
  try {
    evaluate(text.find(mark) == text.npos ? read_model("fuzz.toml", text) : Folder(text).load());
  } catch (const UsageError&) {
  }
  return 0;
}
