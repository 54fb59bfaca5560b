// SPDX-License-Identifier: BSD-3-Clause
#include "model/netlist/device_model.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace trill {
namespace {
constexpr double none = std::numeric_limits<double>::infinity();

struct ModelParameter {
  std::string_view name;
  double value;  // its default
  std::string_view alias = {};
};
// What noise, ratings and the names of makers say has no effect; what else is not modelled is noted.
struct ModelType {
  std::string_view name;
  std::vector<ModelParameter> parameters;
  std::vector<std::string_view> not_modelled;
};
const std::vector<std::string_view> without_effect = {"kf",   "af",  "mfg", "type", "iave", "vpk",  "irms", "icrating",
                                                      "vceo", "ron", "qg",  "vds",  "tnom", "tref", "level"};

const std::vector<ModelParameter> bipolar_parameters = {
    {"is", 1e-16},       {"bf", 100},         {"nf", 1},           {"vaf", none, "va"}, {"ikf", none, "ik"},
    {"ise", 0},          {"ne", 1.5},         {"br", 1},           {"nr", 1},           {"var", none, "vb"},
    {"ikr", none},       {"isc", 0},          {"nc", 2},           {"rb", 0},           {"re", 0},
    {"rc", 0},           {"cje", 0},          {"vje", 0.75, "pe"}, {"mje", 0.33, "me"}, {"tf", 0},
    {"cjc", 0},          {"vjc", 0.75, "pc"}, {"mjc", 0.33, "mc"}, {"tr", 0},           {"cjs", 0, "ccs"},
    {"vjs", 0.75, "ps"}, {"mjs", 0, "ms"},    {"fc", 0.5},         {"eg", 1.11},        {"xti", 3}};
const std::vector<std::string_view> bipolar_rest = {"irb", "rbm", "xtf", "vtf", "itf", "ptf", "xtb", "xcjc"};
const std::vector<ModelParameter> mos_parameters = {
    {"vto", 0, "vt0"}, {"kp", 2e-5}, {"gamma", 0},  {"phi", 0.6},  {"lambda", 0}, {"rd", 0},   {"rs", 0},
    {"cbd", 0},        {"cbs", 0},   {"is", 1e-14}, {"pb", 0.8},   {"cgso", 0},   {"cgdo", 0}, {"cgbo", 0},
    {"cj", 0},         {"mj", 0.5},  {"cjsw", 0},   {"mjsw", 0.5}, {"js", 0},     {"tox", 0},  {"u0", 600, "uo"},
    {"ld", 0},         {"fc", 0.5},  {"level", 1},  {"l", 1e-4},   {"w", 1e-4}};
const std::vector<std::string_view> mos_rest = {"rsh", "nsub", "nss", "tpg", "nfs", "xj"};

const std::vector<ModelType> model_types = {
    {"d",
     {{"is", 1e-14, "js"},
      {"n", 1},
      {"rs", 0},
      {"tt", 0},
      {"cjo", 0, "cj0"},
      {"vj", 1, "pb"},
      {"m", 0.5, "mj"},
      {"fc", 0.5},
      {"bv", none},
      {"ibv", 1e-3},
      {"eg", 1.11},
      {"xti", 3}},
     {"isr", "nr", "ikf", "ik", "nbv", "ibvl", "nbvl", "tbv1", "tbv2", "trs1", "trs2", "jsw", "cjsw", "cjp"}},
    {"npn", bipolar_parameters, bipolar_rest},
    {"pnp", bipolar_parameters, bipolar_rest},
    {"nmos", mos_parameters, mos_rest},
    {"pmos", mos_parameters, mos_rest},
    {"sw", {{"ron", 1}, {"roff", 1e12}, {"vt", 0}, {"vh", 0}}, {}},
    {"csw", {{"ron", 1}, {"roff", 1e12}, {"it", 0}, {"ih", 0}}, {}}};

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

void check_range(const DeviceModel& model, WordReader& words, const Word& name, double value) {
  const std::string_view p = find_parameter(*find_type(model.type), name.text)->name;
  const bool positive = contains({"n",  "nf",  "nr",   "ne",  "nc",  "bf",  "br",  "vj", "vje", "vjc", "vjs",
                                  "pb", "ron", "roff", "vaf", "var", "ikf", "ikr", "kp", "phi", "bv",  "ibv"},
                                 p) &&
                        !(model.type == "d" && p == "vj" && value != 0 && value > 0);
  if (positive && !(value > 0) && !(value == 0 && contains({"vaf", "var", "ikf", "ikr"}, p)))
    words.fail(name, fmt::format("'{}' must be positive, not {:g}", name.text, value));
  const bool share = contains({"m", "mj", "mje", "mjc", "mjs", "mjsw", "fc"}, p);
  if (share && !(value >= 0 && value < 1))
    words.fail(name, fmt::format("'{}' must be at least 0 and below 1, not {:g}", name.text, value));
  if (contains({"is",  "ise", "isc", "rs",  "rd",   "rb",   "re",   "rc", "tt",   "tf", "tr",  "cjo", "cje",
                "cjc", "cjs", "cbd", "cbs", "cgso", "cgdo", "cgbo", "cj", "cjsw", "js", "tox", "vh",  "ih"},
               p) &&
      !(value >= 0))
    words.fail(name, fmt::format("'{}' must not be negative", name.text));
}

// The saturation current at another temperature than 27 degrees.
double warmed(double saturation, const DeviceModel& model, double ideality, const CircuitOptions& options) {
  constexpr double nominal = 300.15;
  const double ratio = (options.temperature + 273.15) / nominal;
  if (ratio == 1) return saturation;
  const double exponent = (ratio - 1) * model.value("eg") / (ideality * thermal_voltage(options.temperature));
  return saturation * std::exp(exponent) * std::pow(ratio, model.value("xti") / ideality);
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
  const bool open = words.take_if(Word::Kind::open);
  while (!words.done() && !words.peek().is(Word::Kind::close)) {
    const Word name = words.take_name("the name of a parameter of the model");
    if (!words.take_if(Word::Kind::equals)) words.expect(fmt::format("'=' after '{}'", name.text));
    const ModelParameter* parameter = find_parameter(*known, name.text);
    if (parameter) {
      const double value = scope.number(words, fmt::format("the value of '{}'", name.text));
      check_range(model, words, name, value);
      model.given[std::string(parameter->name)] = value;
      continue;
    }
    words.take();
    if (contains(without_effect, name.text)) continue;
    if (contains(known->not_modelled, name.text)) {
      notes.push_back(
          fmt::format("{}: '{}' of model '{}' is not modelled and left out", card.place(), name.text, model.name));
      continue;
    }
    std::vector<std::string> names;
    for (const ModelParameter& p : known->parameters) names.emplace_back(p.name);
    words.fail(name, fmt::format("a model of type '{}' has no parameter '{}'{}", type.text, name.text,
                                 suggest(name.text, names)));
  }
  if (open && !words.take_if(Word::Kind::close)) words.expect("')'");
  if (model.has("level") && model.value("level") != 1)
    throw card.error(type.at, "only MOS models of level 1 are known");
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
