// SPDX-License-Identifier: BSD-3-Clause
// Random routines: compiled code gives the same bits as the interpreter.
#include "model/native/c_source.hpp"
#include "model/native/native_library.hpp"
#include "support/solution_files.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

namespace trill {
namespace {
using Random = std::mt19937_64;
int choose(Random& random, int count) { return static_cast<int>(random() % static_cast<std::uint64_t>(count)); }
double number(Random& random) { return std::uniform_real_distribution<>(-2, 2)(random); }

constexpr int parameters = 3, columns = 2, slots = 3, rows = 2;  // numbers of symbols of each kind
constexpr int unknowns = 7, multipliers = 4, places = 5;

std::shared_ptr<KernelTable> random_table(Random& random, Index instances) {
  auto table = std::make_shared<KernelTable>();
  table->instances = instances;
  const auto indices = [&](int end) {
    IndexTable list(static_cast<std::size_t>(instances));
    for (auto& i : list) i = choose(random, end);
    return list;
  };
  for (int k = 0; k < slots; ++k) table->coordinates.push_back(indices(unknowns));
  for (int k = 0; k < rows; ++k) table->rows.push_back(indices(multipliers));
  for (int k = 0; k < columns; ++k) {
    std::vector<double> values;
    for (Index i = 0; i < instances; ++i) values.push_back(number(random));
    table->columns.push_back(std::make_shared<const std::vector<double>>(std::move(values)));
  }
  return table;
}

Expression random_symbol(ExpressionGraph& graph, Random& random) {
  const auto kind = static_cast<SymbolKind>(choose(random, static_cast<int>(SymbolKind::multiplier) + 1));
  switch (kind) {
    case SymbolKind::time:
    case SymbolKind::element:
      return graph.symbol(kind);
    case SymbolKind::parameter:
      return graph.symbol(kind, choose(random, parameters));
    case SymbolKind::column:
      return graph.symbol(kind, choose(random, columns));
    case SymbolKind::multiplier:
      return graph.symbol(kind, choose(random, rows));
    default:
      return graph.symbol(kind, choose(random, slots));
  }
}

Routine random_routine(Random& random, Index instances) {
  ExpressionGraph graph;
  std::vector<Expression> pool;
  for (int k = 0; k < 6; ++k) pool.push_back(random_symbol(graph, random));
  for (int k = 0; k < 2; ++k) pool.push_back(graph.number(number(random)));
  const auto any = [&] { return pool[static_cast<std::size_t>(choose(random, static_cast<int>(pool.size())))]; };
  const int first = static_cast<int>(Op::add), count = static_cast<int>(Op::hypot) - first + 1;
  for (int k = 0; k < 40; ++k) {
    // Half of the operations are those between add and square, which give sums of products.
    const auto op = static_cast<Op>(first + choose(random, choose(random, 2) ? 7 : count));
    pool.push_back(graph.apply(op, any(), any(), any()));
  }
  std::vector<Expression> outputs;
  for (int k = choose(random, 4); k >= 0; --k) outputs.push_back(any());
  Routine routine{Program(graph, outputs), random_table(random, instances), {}, nullptr};
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const bool sum = choose(random, 3) == 0;
    auto list = std::make_shared<IndexTable>(sum ? 1 : static_cast<std::size_t>(instances));
    for (auto& place : *list) place = choose(random, places);
    routine.targets.push_back({list, sum});
  }
  return routine;
}

// The input vectors of one system.
struct Inputs {
  explicit Inputs(Random& random) {
    for (double& x : values) x = number(random);
    for (double& x : parameter) x = number(random);
    t = number(random);
  }
  ProgramInputs at() const {
    ProgramInputs in;
    in.t = t;
    const double** const vectors[] = {&in.q,    &in.v,         &in.acceleration, &in.jerk,
                                      &in.snap, &in.direction, &in.multipliers,  &in.multiplier_rates};
    for (int k = 0; k < native_vectors; ++k) *vectors[k] = values + k * unknowns;
    return in;
  }
  double values[native_vectors * unknowns], parameter[parameters], t;
};

std::vector<double> run(const Routine& routine, const Inputs& inputs) {
  Runner runner(std::make_shared<const Routine>(routine), inputs.parameter);
  std::vector<double> out(places, 0.25);
  runner.add(inputs.at(), out.data());
  runner.add(inputs.at(), out.data());
  return out;
}

// NaNs may have different bits: the compiler decides which of two NaNs a sum returns.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k]) &&
        !(std::isnan(a[k]) && std::isnan(b[k])))
      return false;
  return a.size() == b.size();
}

class RandomRoutines : public testing::Test {
 protected:
  RandomRoutines() {
    ::setenv("XDG_CACHE_HOME", directory_.path().c_str(), 1);
    Random random(42);
    const Index sizes[] = {1, 7, 45};
    for (int k = 0; k < 45; ++k) routines_.push_back(random_routine(random, sizes[k % 3]));
    for (int k = 0; k < 32; ++k) inputs_.emplace_back(random);
  }
  ~RandomRoutines() override { ::unsetenv("XDG_CACHE_HOME"); }

  NativeResult load(CopiesInC copies) {
    std::vector<CRoutine> list;
    for (const Routine& routine : routines_) list.push_back({&routine});
    return load_native(c_source(list, copies), NativeUse::always);
  }

  testing_files::TemporaryDirectory directory_;
  std::vector<Routine> routines_;
  std::vector<Inputs> inputs_;
};

TEST_F(RandomRoutines, NativeCodeGivesTheBitsOfTheInterpreter) {
  const NativeResult native = load(CopiesInC::one);
  ASSERT_TRUE(native.library) << native.reason;
  int finite = 0;
  for (std::size_t k = 0; k < routines_.size(); ++k)
    for (const Inputs& inputs : inputs_) {
      const std::vector<double> expected = run(routines_[k], inputs);
      Routine compiled = routines_[k];
      compiled.native = native.library->native_function(function_name(k, CopiesInC::one));
      ASSERT_TRUE(compiled.native);
      EXPECT_TRUE(same_bits(run(compiled, inputs), expected)) << "routine " << k;
      finite += std::isfinite(expected[0]) && expected[0] != 0.25;
    }
  EXPECT_GT(finite, 250);
}

// The registers of a program that are constant for given parameters, computed as a Runner does.
std::vector<double> uniforms(const Program& program, const double* given) {
  ExpressionGraph graph;
  std::vector<double> values(program.fixed());
  for (const Constant& c : program.constants()) values[c.to] = c.value;
  for (const Load& load : program.of_parameters().loads) values[load.to] = given[load.index];
  for (const Instruction& i : program.of_parameters().code) {
    values[i.to] = evaluate(i.op, values[i.a], values[i.b], values[i.c]);
  }
  return values;
}

TEST_F(RandomRoutines, ManyCopiesGiveTheBitsOfEachAlone) {
  const NativeResult native = load(CopiesInC::many);
  ASSERT_TRUE(native.library) << native.reason;
  const std::size_t copies = inputs_.size() - 3;  // not a multiple of the length of a SIMD vector
  for (Inputs& inputs : inputs_) inputs.t = inputs_[0].t;
  for (std::size_t k = 0; k < routines_.size(); ++k) {
    const Routine& routine = routines_[k];
    std::vector<double> u(routine.program.fixed() * copies), x(native_vectors * unknowns * copies),
        out(places * copies, 0.25);
    for (std::size_t c = 0; c < copies; ++c) {
      const std::vector<double> own = uniforms(routine.program, inputs_[c].parameter);
      for (std::size_t e = 0; e < own.size(); ++e) u[e * copies + c] = own[e];
      for (std::size_t e = 0; e < native_vectors * unknowns; ++e) x[e * copies + c] = inputs_[c].values[e];
    }
    std::vector<const double*> vectors, column;
    std::vector<const std::int32_t*> index, target;
    for (int v = 0; v < native_vectors; ++v)
      vectors.push_back(x.data() + static_cast<std::size_t>(v) * unknowns * copies);
    for (const auto& list : routine.table->coordinates) index.push_back(list.data());
    for (const auto& list : routine.table->rows) index.push_back(list.data());
    for (const auto& list : routine.table->columns) column.push_back(list->data());
    for (const Target& place : routine.targets) target.push_back(place.places->data());
    const auto many = native.library->native_many_function(function_name(k, CopiesInC::many));
    ASSERT_TRUE(many);
    for (int twice = 0; twice < 2; ++twice)
      many(routine.table->instances, static_cast<long>(copies), u.data(), inputs_[0].t, vectors.data(), index.data(),
           column.data(), target.data(), out.data());
    for (std::size_t c = 0; c < copies; ++c) {
      std::vector<double> own(places);
      for (std::size_t e = 0; e < places; ++e) own[e] = out[e * copies + c];
      EXPECT_TRUE(same_bits(own, run(routine, inputs_[c]))) << "routine " << k << ", copy " << c;
    }
  }
}

TEST_F(RandomRoutines, CommentsCannotLeaveTheirPlace) {
  const CRoutine evil{&routines_[0], "x */ int main(void) { return 1; } \\\n #include </etc/passwd> \"\" ?\?/ y"};
  const std::string text = c_source({&evil, 1}, CopiesInC::one);
  const std::string start = "/* x __ int main(void) _ return 1; _ _\n    _include __etc_passwd_ __ ___ y */\n";
  EXPECT_NE(text.find(start), std::string::npos) << text.substr(0, 600);
}
}  // namespace
}  // namespace trill
