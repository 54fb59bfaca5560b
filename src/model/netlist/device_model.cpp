// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/device_model.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double none = std::numeric_limits<double>::infinity();

// What values a parameter may have.
enum class Bound { any, not_negative, positive, share };

struct ModelParameter {
  std::string_view name;
  double value;  // its default
  Bound bound = Bound::any;
  std::string_view alias = {};
};
// What noise, ratings and the names of makers say has no effect; what else is not modelled is noted.
struct ModelType {
  std::string_view name;
  std::vector<ModelParameter> parameters;
  std::vector<std::string_view> not_modelled;
};
const std::vector<std::string_view> without_effect = {"kf",       "af",   "mfg", "type", "iave", "vpk",  "irms",
                                                      "icrating", "vceo", "qg",  "vds",  "tnom", "level"};

const std::vector<ModelParameter> bipolar_parameters = {{"is", 1e-16, Bound::not_negative},
                                                        {"bf", 100, Bound::positive},
                                                        {"nf", 1, Bound::positive},
                                                        {"vaf", none, Bound::not_negative, "va"},
                                                        {"ikf", none, Bound::not_negative, "ik"},
                                                        {"ise", 0, Bound::not_negative},
                                                        {"ne", 1.5, Bound::positive},
                                                        {"br", 1, Bound::positive},
                                                        {"nr", 1, Bound::positive},
                                                        {"var", none, Bound::not_negative, "vb"},
                                                        {"ikr", none, Bound::not_negative},
                                                        {"isc", 0, Bound::not_negative},
                                                        {"nc", 2, Bound::positive},
                                                        {"rb", 0, Bound::not_negative},
                                                        {"re", 0, Bound::not_negative},
                                                        {"rc", 0, Bound::not_negative},
                                                        {"cje", 0, Bound::not_negative},
                                                        {"vje", 0.75, Bound::positive, "pe"},
                                                        {"mje", 0.33, Bound::share, "me"},
                                                        {"tf", 0, Bound::not_negative},
                                                        {"cjc", 0, Bound::not_negative},
                                                        {"vjc", 0.75, Bound::positive, "pc"},
                                                        {"mjc", 0.33, Bound::share, "mc"},
                                                        {"tr", 0, Bound::not_negative},
                                                        {"cjs", 0, Bound::not_negative, "ccs"},
                                                        {"vjs", 0.75, Bound::positive, "ps"},
                                                        {"mjs", 0, Bound::share, "ms"},
                                                        {"fc", 0.5, Bound::share},
                                                        {"eg", 1.11, Bound::positive},
                                                        {"xti", 3}};
const std::vector<std::string_view> bipolar_rest = {"irb", "rbm", "xtf", "vtf", "itf", "ptf", "xtb", "xcjc"};
const std::vector<ModelParameter> mos_parameters = {
    {"vto", 0, Bound::any, "vt0"},      {"kp", 2e-5, Bound::positive},      {"gamma", 0, Bound::not_negative},
    {"phi", 0.6, Bound::positive},      {"lambda", 0, Bound::not_negative}, {"rd", 0, Bound::not_negative},
    {"rs", 0, Bound::not_negative},     {"cbd", 0, Bound::not_negative},    {"cbs", 0, Bound::not_negative},
    {"is", 1e-14, Bound::not_negative}, {"pb", 0.8, Bound::positive},       {"cgso", 0, Bound::not_negative},
    {"cgdo", 0, Bound::not_negative},   {"cgbo", 0, Bound::not_negative},   {"cj", 0, Bound::not_negative},
    {"mj", 0.5, Bound::share},          {"cjsw", 0, Bound::not_negative},   {"mjsw", 0.5, Bound::share},
    {"js", 0, Bound::not_negative},     {"tox", 0, Bound::not_negative},    {"u0", 600, Bound::positive, "uo"},
    {"ld", 0, Bound::not_negative},     {"fc", 0.5, Bound::share},          {"level", 1},
    {"l", 1e-4, Bound::positive},       {"w", 1e-4, Bound::positive}};
const std::vector<std::string_view> mos_rest = {"rsh", "nsub", "nss", "tpg", "nfs", "xj"};

const std::vector<ModelType> model_types = {
    {"d",
     {{"is", 1e-14, Bound::not_negative, "js"},
      {"n", 1, Bound::positive},
      {"rs", 0, Bound::not_negative},
      {"tt", 0, Bound::not_negative},
      {"cjo", 0, Bound::not_negative, "cj0"},
      {"vj", 1, Bound::positive, "pb"},
      {"m", 0.5, Bound::share, "mj"},
      {"fc", 0.5, Bound::share},
      {"bv", none, Bound::positive},
      {"ibv", 1e-3, Bound::positive},
      {"eg", 1.11, Bound::positive},
      {"xti", 3}},
     {"isr", "nr", "ikf", "ik", "nbv", "ibvl", "nbvl", "tbv1", "tbv2", "trs1", "trs2", "jsw", "cjsw", "cjp"}},
    {"npn", bipolar_parameters, bipolar_rest},
    {"pnp", bipolar_parameters, bipolar_rest},
    {"nmos", mos_parameters, mos_rest},
    {"pmos", mos_parameters, mos_rest},
    {"sw",
     {{"ron", 1, Bound::positive}, {"roff", 1e12, Bound::positive}, {"vt", 0}, {"vh", 0, Bound::not_negative}},
     {}},
    {"csw",
     {{"ron", 1, Bound::positive}, {"roff", 1e12, Bound::positive}, {"it", 0}, {"ih", 0, Bound::not_negative}},
     {}}};

const ModelType* find_type(std::string_view name) {
  const auto it = std::find_if(model_types.begin(), model_types.end(), [&](auto& t) { return t.name == name; });
  return it == model_types.end() ? nullptr : &*it;
}

const ModelParameter* find_parameter(const ModelType& type, std::string_view name) {
  const auto it = std::find_if(type.parameters.begin(), type.parameters.end(),
                               [&](auto& p) { return p.name == name || (!p.alias.empty() && p.alias == name); });
  return it == type.parameters.end() ? nullptr : &*it;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_bound(const WordReader& words, const Word& name, Bound bound, double value) {
  if (bound == Bound::positive && !(value > 0))
    words.fail(name, fmt::format("'{}' must be positive, not {:g}", name.text, value));
  if (bound != Bound::any && !(value >= 0))
    words.fail(name, fmt::format("'{}' must not be negative; it is {:g}", name.text, value));
  if (bound == Bound::share && !(value < 1))
    words.fail(name, fmt::format("'{}' must be below 1, not {:g}", name.text, value));
}

// The saturation current at another temperature than 27 degrees.
double warmed(double saturation, const DeviceModel& model, double ideality, const CircuitOptions& options) {
  constexpr double nominal = 300.15;
  const double ratio = (options.temperature + 273.15) / nominal;
  if (ratio == 1) return saturation;
  const double exponent = (ratio - 1) * model.value("eg") / (ideality * thermal_voltage(options.temperature));
  return saturation * std::exp(exponent) * std::pow(ratio, model.value("xti") / ideality);
}

// Models of other levels have parameters of their own, so this is said first.
void refuse_other_levels(const Card& card, const ParameterScope& scope) {
  WordReader words(card);
  while (!words.done()) {
    const Word name = words.take();
    if (name.text != "level" || !words.take_if(Word::Kind::equals)) continue;
    const double level = scope.number(words, "the value of 'level'");
    if (level != 1)
      words.fail(name, fmt::format("this model is of level {:g}; only MOS models of level 1 are known", level));
  }
}

double inverse(double value) { return std::isfinite(value) && value != 0 ? 1 / value : 0; }
}  // namespace

double thermal_voltage(double celsius) { return 1.380649e-23 / 1.602176634e-19 * (celsius + 273.15); }

double DeviceModel::value(std::string_view parameter) const {
  if (const auto it = given.find(parameter); it != given.end()) return it->second;
  return find_parameter(*find_type(type), parameter)->value;
}

DeviceModel read_device_model(const Card& card, const ParameterScope& scope, std::vector<std::string>& notes) {
  WordReader words(card);
  words.take();
  DeviceModel model;
  model.card = &card;
  model.name = words.take_name("the name of the model").text;
  const Word type = words.take_name("the type of the model");
  model.type = type.text;
  const ModelType* known = find_type(type.text);
  if (!known) {
    std::vector<std::string> names;
    for (const ModelType& t : model_types) names.emplace_back(t.name);
    words.fail(type,
               fmt::format("models of type '{}' are not known; known types are {}", type.text, join(names, ", ")));
  }
  if (find_parameter(*known, "level")) refuse_other_levels(card, scope);
  const bool open = words.take_if(Word::Kind::open);
  std::vector<std::string> left_out;
  while (!words.done() && !words.peek().is(Word::Kind::close)) {
    const Word name = words.take_name("the name of a parameter of the model");
    if (!words.take_if(Word::Kind::equals)) words.expect(fmt::format("'=' after '{}'", name.text));
    const ModelParameter* parameter = find_parameter(*known, name.text);
    if (parameter) {
      const double value = scope.number(words, fmt::format("the value of '{}'", name.text));
      check_bound(words, name, parameter->bound, value);
      model.given[std::string(parameter->name)] = value;
      continue;
    }
    words.take();
    if (contains(without_effect, name.text)) continue;
    if (contains(known->not_modelled, name.text)) {
      left_out.push_back(name.text);
      continue;
    }
    std::vector<std::string> names;
    for (const ModelParameter& p : known->parameters) names.emplace_back(p.name);
    words.fail(name, fmt::format("a model of type '{}' has no parameter '{}'{}", type.text, name.text,
                                 suggest(name.text, names)));
  }
  if (open && !words.take_if(Word::Kind::close)) words.expect("')'");
  if (!left_out.empty())
    notes.push_back(fmt::format("{}: what model '{}' says about {} is not modelled and left out", card.place(),
                                model.name, join(left_out, ", ")));
  return model;
}

JunctionDiode make_diode(const DeviceModel& m, double area, const CircuitOptions& options) {
  JunctionDiode d;
  d.saturation = area * warmed(m.value("is"), m, m.value("n"), options);
  d.thermal = m.value("n") * thermal_voltage(options.temperature);
  d.transit = m.value("tt");
  d.leakage = options.gmin;
  d.breakdown = m.value("bv");
  d.breakdown_current = area * m.value("ibv");
  d.depletion = {area * m.value("cjo"), m.value("vj"), m.value("m"), m.value("fc")};
  return d;
}

BipolarTransistor make_bipolar(const DeviceModel& m, double area, const CircuitOptions& options) {
  BipolarTransistor q;
  q.polarity = m.type == "npn" ? 1 : -1;
  q.saturation = area * warmed(m.value("is"), m, 1, options);
  q.thermal = thermal_voltage(options.temperature);
  q.leakage = options.gmin;
  q.forward_gain = m.value("bf");
  q.reverse_gain = m.value("br");
  q.forward_ideality = m.value("nf");
  q.reverse_ideality = m.value("nr");
  q.early_inverse = inverse(m.value("vaf"));
  q.reverse_early_inverse = inverse(m.value("var"));
  q.knee_inverse = inverse(m.value("ikf")) / area;
  q.reverse_knee_inverse = inverse(m.value("ikr")) / area;
  q.emitter_leakage = area * m.value("ise");
  q.emitter_leakage_ideality = m.value("ne");
  q.collector_leakage = area * m.value("isc");
  q.collector_leakage_ideality = m.value("nc");
  q.forward_transit = m.value("tf");
  q.reverse_transit = m.value("tr");
  q.emitter = {area * m.value("cje"), m.value("vje"), m.value("mje"), m.value("fc")};
  q.collector = {area * m.value("cjc"), m.value("vjc"), m.value("mjc"), m.value("fc")};
  return q;
}

MosTransistor make_mos(const DeviceModel& m, const MosSize& size, const CircuitOptions& options) {
  constexpr double oxide_permittivity = 3.9 * 8.8541878128e-12;
  MosTransistor t;
  const double n = size.count, length = size.length - 2 * m.value("ld");
  const double per_area = m.value("tox") > 0 ? oxide_permittivity / m.value("tox") : 0;
  const double strength = m.has("kp") || per_area == 0 ? m.value("kp") : m.value("u0") * 1e-4 * per_area;
  t.polarity = m.type == "nmos" ? 1 : -1;
  t.threshold = t.polarity * m.value("vto");
  t.gain = n * strength * size.width / length;
  t.body = m.value("gamma");
  t.surface = m.value("phi");
  t.modulation = m.value("lambda");
  t.oxide = n * per_area * size.width * length;
  t.gate_source = n * m.value("cgso") * size.width;
  t.gate_drain = n * m.value("cgdo") * size.width;
  t.gate_bulk = n * m.value("cgbo") * length;
  t.thermal = thermal_voltage(options.temperature);
  t.leakage = options.gmin;
  const auto saturation = [&](double area) {
    return n * (m.value("js") > 0 && area > 0 ? m.value("js") * area : m.value("is"));
  };
  t.drain_saturation = saturation(size.drain_area);
  t.source_saturation = saturation(size.source_area);
  const auto depletion = [&](double whole, double area, double side) -> std::array<JunctionCharge, 2> {
    const double bottom = whole > 0 ? whole : m.value("cj") * area;
    return {JunctionCharge{n * bottom, m.value("pb"), m.value("mj"), m.value("fc")},
            JunctionCharge{n * m.value("cjsw") * side, m.value("pb"), m.value("mjsw"), m.value("fc")}};
  };
  t.drain_depletion = depletion(m.value("cbd"), size.drain_area, size.drain_side);
  t.source_depletion = depletion(m.value("cbs"), size.source_area, size.source_side);
  return t;
}
}  // namespace trill
