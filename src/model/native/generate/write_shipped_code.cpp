// SPDX-License-Identifier: BSD-3-Clause
// Part of the build: write_shipped_code OUT.c OUT.cpp MODEL.toml... writes the functions of models as C, and a table
// that finds them by their C source, so that they need not be compiled at run time.
#include "model/native/c_source.hpp"
#include "model/native/shipped_code.hpp"
#include "model/text/compiled_model.hpp"
#include "trill/base/errors.hpp"

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

namespace trill {
namespace {
// The functions that are evaluated in steps.
std::vector<FunctionKey> vector_keys(const CompiledModel& model) {
  std::vector<FunctionKey> keys{{Purpose::force}, {Purpose::energy}, {Purpose::rate}, {Purpose::measure}};
  for (std::size_t g = 0; model.groups.size() > 1 && g < model.groups.size(); ++g)
    keys.push_back({Purpose::force, static_cast<int>(g)});
  for (const int selection : {of_gaps, of_constraints})
    for (const Purpose purpose : {Purpose::value, Purpose::time_derivative, Purpose::curvature})
      keys.push_back({purpose, selection});
  keys.push_back({Purpose::force_and_gaps, of_constraints});
  if (model.gap_groups == 0) return keys;
  keys.push_back({Purpose::force_and_gaps, of_gaps});
  // Functions for the slow motion of models with stiff gaps.
  for (const int selection : {of_gaps, of_constraints}) {
    keys.push_back({Purpose::slope_and_curvature, selection});
    keys.push_back({Purpose::reaction, selection, along_direction});
    for (const int k : {1, 2}) keys.push_back({Purpose::rigid_rate, selection, k});
    keys.push_back({Purpose::force_and_curvature, selection});
    for (const int k : {1, 2}) keys.push_back({Purpose::rates, selection, k});
  }
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    if (model.gap_groups >> g & 1) continue;
    keys.push_back({Purpose::energy, static_cast<int>(g)});
    for (const int k : {1, 2}) keys.push_back({Purpose::force, static_cast<int>(g), k});
  }
  return keys;
}
std::vector<FunctionKey> matrix_keys(const CompiledModel& model) {
  std::vector<FunctionKey> keys{{Purpose::by_position},
                                {Purpose::by_velocity},
                                {Purpose::mass},
                                {Purpose::rate_jacobian},
                                {Purpose::jacobian, of_gaps},
                                {Purpose::jacobian, of_constraints},
                                {Purpose::transpose_derivative, of_constraints}};
  if (model.gap_groups != 0 && model.mass_kind == MassKind::of_q)
    keys.insert(keys.end(),
                {{Purpose::mass_product}, {Purpose::mass, every_group, 1}, {Purpose::mass, every_group, 2}});
  return keys;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class Writer {
 public:
  void add(const Routines& routines) {
    if (routines.empty()) return;
    std::vector<CRoutine> sources;
    for (const auto& routine : routines) sources.push_back({routine.get()});
    std::string source = c_source(sources, CopiesInC::one);
    const SourceKey key = source_key(source);
    if (!known_.insert(key.key[0]).second) return;
    std::string names;
    for (std::size_t k = 0; k < routines.size(); ++k) {
      const std::string name = fmt::format("trill_shipped_{:016x}_{}", key.key[0], k);
      source = replaced(std::move(source), "void " + function_name(k, CopiesInC::one) + "(", "void " + name + "(");
      declarations_ += fmt::format(
          "void {}(long, const double*, double, const double* const*, const std::int32_t* "
          "const*, const double* const*, const std::int32_t* const*, double*);\n",
          name);
      names += name + ", ";
    }
    code_ += source;
    arrays_ += fmt::format("constexpr NativeFunction functions_{:016x}[] = {{{}}};\n", key.key[0], names);
    table_ += fmt::format("    {{{{{:#x}u, {:#x}u}}, functions_{:016x}, {}}},\n", key.key[0], key.key[1], key.key[0],
                          routines.size());
  }

  const std::string& code() const { return code_; }
  std::string table() const {
    return fmt::format(
        "// Written by the build from the shipped models.\n#include \"model/native/shipped_code.hpp\"\n\nextern \"C\" "
        "{{\n{}}}\n\n"
        "namespace trill {{\nnamespace {{\n{}constexpr ShippedCode all[] = {{\n{}}};\n}}  // namespace\n"
        "std::span<const ShippedCode> all_shipped_code() {{ return all; }}\n}}  // namespace trill\n",
        declarations_, arrays_, table_);
  }

 private:
  std::set<std::uint64_t> known_;
  std::string code_, declarations_, arrays_, table_;
};

void write_model(const std::string& path, Writer& writer) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  CompiledModel model(path, text.str());
  model.file = read_model_file(model.source);
  compile_model(model, {});
  for (const FunctionKey key : vector_keys(model)) writer.add(model.functions->vector(key).routines);
  for (const FunctionKey key : matrix_keys(model)) {
    Routines routines;
    for (const MatrixPart& part : model.functions->matrix(key).parts) routines.push_back(part.routine);
    writer.add(routines);
  }
}

bool write(const char* path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  return static_cast<bool>(out);
}
}  // namespace
}  // namespace trill

int main(int count, char** words) {
  if (count < 3) return 2;
  try {
    trill::Writer writer;
    for (int k = 3; k < count; ++k) trill::write_model(words[k], writer);
    return trill::write(words[1], writer.code()) && trill::write(words[2], writer.table()) ? 0 : 3;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
