// SPDX-License-Identifier: BSD-3-Clause
#include "solution/run_json.hpp"

#include "problem/quantity_kind.hpp"
#include "solution/run_json_parts.hpp"
#include "solution/seal.hpp"
#include "trill/base/archive.hpp"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trill {
namespace {
using nlohmann::json;

std::string text_of(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

double finite(double value, const std::string& what, double t) {
  if (!std::isfinite(value)) throw IoError(fmt::format("cannot write {} at t = {:.6g}: it is {}", what, t, value));
  return value;
}

json quantities(const std::vector<Quantity>& list) {
  json out = json::array();
  for (const Quantity& q : list) out.push_back({{"name", q.name}, {"unit", q.unit}, {"kind", to_text(q.kind)}});
  return out;
}
std::vector<Quantity> quantities(const json& list) {
  std::vector<Quantity> out;
  for (const json& q : list) {
    out.push_back({q.at("name"), q.at("unit")});
    if (q.contains("kind")) out.back().kind = quantity_kind_from(q.at("kind").get<std::string>());
  }
  return out;
}

// Files of earlier versions have no kinds.
void guess_kinds(const json& stored, RunInfo& info) {
  const auto lacks_kinds = [&](const char* list) {
    return !stored.at(list).empty() && !stored.at(list).front().contains("kind");
  };
  if (lacks_kinds("components")) give_kinds(info.components, info.layout);
  if (!lacks_kinds("quantities")) return;
  for (Quantity& q : info.quantities) q.kind = kind_of_older_quantity(q.name);
}

json value_of(const RunInfo& info) {
  const Layout& l = info.layout;
  return {{"problem", info.problem},
          {"problem_title", info.problem_title},
          {"problem_reference", info.problem_reference},
          {"method", info.method},
          {"method_title", info.method_title},
          {"method_reference", info.method_reference},
          {"delivers", info.delivers},
          {"formulation", info.formulation},
          {"parameters", json(json::object_t(info.parameters.begin(), info.parameters.end()))},
          {"options", json(json::object_t(info.options.begin(), info.options.end()))},
          {"settings", json(json::object_t(info.settings.begin(), info.settings.end()))},
          {"version", info.version},
          {"host", info.host},
          {"started", info.started},
          {"model_text", info.model_text},
          {"inputs", json(json::object_t(info.inputs.begin(), info.inputs.end()))},
          {"code", info.code},
          {"layout", {{"nq", l.nq}, {"nv", l.nv}, {"nl", l.nl}, {"nx", l.nx}}},
          {"time_unit", info.time_unit},
          {"components", quantities(info.components)},
          {"quantities", quantities(info.quantities)},
          {"groups", info.groups}};
}

OptionSet options_from(const json& object) {
  OptionSet out;
  for (const auto& [name, value] : object.items()) out.emplace(name, value.get<std::string>());
  return out;
}

// The library would convert any number, one beyond the range of integers to anything.
std::int64_t integer(const json& value) {
  if (!value.is_number_integer()) throw IoError("a whole number was expected, but it has '" + text_of(value) + "'");
  return value.get<std::int64_t>();
}

// Each part is compared first, so that no sum of hostile numbers overflows.
bool fits(const Layout& l, Index components) {
  for (const Index part : {l.nq, l.nv, l.nl, l.nx})
    if (part < 0 || part > components) return false;
  return l.size() == components;
}

RunInfo info_from(const json& j) {
  RunInfo info;
  info.problem = j.at("problem");
  info.problem_title = j.at("problem_title");
  info.problem_reference = j.at("problem_reference");
  info.method = j.at("method");
  info.method_title = j.at("method_title");
  info.method_reference = j.at("method_reference");
  info.delivers = j.at("delivers");
  info.formulation = j.at("formulation");
  info.parameters = options_from(j.at("parameters"));
  info.options = options_from(j.at("options"));
  info.settings = options_from(j.at("settings"));
  info.version = j.at("version");
  info.host = j.at("host");
  info.started = j.at("started");
  info.model_text = j.at("model_text");
  if (j.contains("inputs")) info.inputs = options_from(j.at("inputs"));  // not in files of earlier versions
  info.code = j.value("code", "");
  const json& l = j.at("layout");
  info.layout = {integer(l.at("nq")), integer(l.at("nv")), integer(l.at("nl")), integer(l.at("nx"))};
  info.time_unit = j.at("time_unit");
  info.components = quantities(j.at("components"));
  info.quantities = quantities(j.at("quantities"));
  guess_kinds(j, info);
  info.groups = j.at("groups").get<std::vector<std::string>>();
  if (!fits(info.layout, static_cast<Index>(info.components.size())))
    throw IoError("the layout of the unknowns does not fit the names of the components");
  return info;
}

json value_of(const RunOutcome& outcome) {
  json events = json::array(), notices = json::array();
  for (const EventHit& hit : outcome.events)
    events.push_back({{"name", hit.name}, {"t", finite(hit.t, "the time of event '" + hit.name + "'", hit.t)}});
  for (const Notice& n : outcome.notices)
    notices.push_back({{"t", finite(n.t, "the time of notice '" + n.code + "'", n.t)},
                       {"code", n.code},
                       {"text", n.text},
                       {"severity", to_text(n.severity)},
                       {"value", finite(n.value, "the value of notice '" + n.code + "'", n.t)},
                       {"threshold", finite(n.threshold, "the threshold of notice '" + n.code + "'", n.t)},
                       {"count", n.count}});
  const Counters& c = outcome.counters;
  return {{"status", to_text(outcome.status)},
          {"message", outcome.message},
          {"events", events},
          {"notices", notices},
          {"counters",
           {{"forces", c.forces},
            {"steps", c.steps},
            {"rejected", c.rejected},
            {"jacobians", c.jacobians},
            {"newton_iterations", c.newton_iterations},
            {"newton_failures", c.newton_failures},
            {"factorisations", c.factorisations},
            {"linear_iterations", c.linear_iterations},
            {"micro_steps", c.micro_steps},
            {"products", c.products},
            {"seconds", finite(c.seconds, "the run time", 0)}}}};
}

Severity severity_from(const std::string& text) {
  for (const Severity s : {Severity::info, Severity::warning, Severity::doubt, Severity::error})
    if (text == to_text(s)) return s;
  throw IoError("'" + text + "' is not a severity");
}

RunOutcome outcome_from(const json& j) {
  RunOutcome outcome;
  outcome.status = run_status_from(j.at("status").get<std::string>());
  outcome.message = j.at("message");
  for (const json& e : j.at("events")) outcome.events.push_back({e.at("name"), e.at("t")});
  for (const json& n : j.at("notices"))
    outcome.notices.push_back({n.at("t"), n.at("code"), n.at("text"), severity_from(n.at("severity")), n.at("value"),
                               n.at("threshold"), integer(n.at("count"))});
  const json& c = j.at("counters");
  Counters& counters = outcome.counters;
  for (std::size_t i = 0; i < counters.forces.size(); ++i) counters.forces[i] = integer(c.at("forces").at(i));
  counters.steps = integer(c.at("steps"));
  counters.rejected = integer(c.at("rejected"));
  counters.jacobians = integer(c.at("jacobians"));
  counters.newton_iterations = integer(c.at("newton_iterations"));
  counters.newton_failures = integer(c.at("newton_failures"));
  counters.factorisations = integer(c.at("factorisations"));
  counters.linear_iterations = integer(c.at("linear_iterations"));
  counters.micro_steps = integer(c.at("micro_steps"));
  counters.products = c.contains("products") ? integer(c.at("products")) : 0;
  counters.seconds = c.at("seconds");
  return outcome;
}

json number_or_null(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json value_of(const Trust& trust) {
  json rows = json::array();
  for (const TrustRow& r : trust.rows)
    rows.push_back({{"name", r.name},
                    {"unit", r.unit},
                    {"deviation", finite(r.deviation, "the deviation of '" + r.name + "'", 0)},
                    {"scale", finite(r.scale, "the scale of '" + r.name + "'", 0)}});
  return {{"verdict", to_text(trust.verdict)},
          {"headline", trust.headline},
          {"how", trust.how},
          {"rows", rows},
          {"error", number_or_null(trust.error)},
          {"of", trust.of},
          {"until", number_or_null(trust.until)},
          {"remedy", trust.remedy}};
}

// Files of earlier versions have no such number.
double number_if_known(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? std::nan("") : found->get<double>();
}

Verdict verdict_from(const std::string& text) {
  for (const Verdict v : {Verdict::none, Verdict::green, Verdict::amber, Verdict::red})
    if (text == to_text(v)) return v;
  throw IoError("'" + text + "' is not a verdict");
}

Trust trust_from(const json& j) {
  Trust trust;
  trust.verdict = verdict_from(j.at("verdict"));
  trust.headline = j.at("headline");
  trust.how = j.at("how");
  trust.error = number_if_known(j, "error");
  trust.of = j.value("of", "");
  trust.until = number_if_known(j, "until");
  trust.remedy = j.value("remedy", "");
  for (const json& r : j.at("rows"))
    trust.rows.push_back({r.at("name"), r.at("unit"), r.at("deviation"), r.at("scale")});
  return trust;
}

json parse(std::string_view text, const std::string& file) {
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded())
    throw IoError(file + " is damaged or incomplete: its JSON text is broken or ends too early");
  return value;
}

template <class Read>
auto named(const std::string& file, const Read& read) {
  try {
    return read();
  } catch (const json::exception& error) {
    throw IoError(fmt::format("{} is not a solution of trill: {}", file, error.what()));
  } catch (const IoError& error) {
    throw IoError(fmt::format("{} is not a complete solution of trill: {}", file, error.what()));
  }
}

Seal seal_of(const json& document, std::string_view text, const std::string& file) {
  const auto [schema, stored] = named(file, [&] {
    return std::pair<std::string, std::string>(
        document.at("schema"), document.contains("checksum") ? document.at("checksum").get<std::string>() : "");
  });
  return judge_seal(schema, stored, has_whole_seal(text), file);
}

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }
}  // namespace

RunRecord record_from(const json& j, const std::string& file) {
  return named(file, [&] {
    if (const std::string found = j.at("schema"); found != solution_schema && found != older_schema)
      throw IoError(fmt::format("its schema is '{}', but this version of trill reads '{}'", found, solution_schema));
    RunRecord record{info_from(j.at("info")), outcome_from(j.at("outcome")), trust_from(j.at("trust")),
                     integer(j.at("rows")), std::strtoull(j.value("data_checksum", "0").c_str(), nullptr, 16)};
    if (record.rows < 0) throw IoError("the number of rows is negative");
    return record;
  });
}

std::string to_json(const RunInfo& info) { return text_of(value_of(info)); }
std::string to_json(const RunOutcome& outcome) { return text_of(value_of(outcome)); }
std::string to_json(const Trust& trust) { return text_of(value_of(trust)); }
std::string to_json(const RunRecord& r) {
  json value{{"schema", solution_schema},
             {"rows", r.rows},
             {"info", value_of(r.info)},
             {"outcome", value_of(r.outcome)},
             {"trust", value_of(r.trust)}};
  if (r.data_checksum) value["data_checksum"] = hex(r.data_checksum);
  return text_of(value);
}
RunInfo info_from_json(std::string_view text, const std::string& file) {
  return named(file, [&, j = parse(text, file)] { return info_from(j); });
}
RunOutcome outcome_from_json(std::string_view text, const std::string& file) {
  return named(file, [&, j = parse(text, file)] { return outcome_from(j); });
}
Trust trust_from_json(std::string_view text, const std::string& file) {
  return named(file, [&, j = parse(text, file)] { return trust_from(j); });
}
RunRecord record_from_json(std::string_view text, const std::string& file) {
  return record_from(parse(text, file), file);
}

Seal read_sealed(std::string_view text, const std::string& file, RunRecord& record, json& document) {
  document = parse(text, file);
  const Seal seal = seal_of(document, text, file);
  record = record_from(document, file);
  note_seal(record, seal);
  return seal;
}

std::string json_quoted(std::string_view text) { return text_of(json(text)); }

std::string sealed(std::string_view json_text) {
  return fmt::format("{{\"checksum\":\"{}\",\"content\":{}}}\n", hex(checksum(json_text.data(), json_text.size())),
                     json_text);
}

std::string unsealed(std::string_view text, const std::string& file) {
  constexpr std::string_view before = "{\"checksum\":\"", between = "\",\"content\":", after = "}\n";
  constexpr std::size_t start = before.size() + 16 + between.size();
  if (text.starts_with(before) && text.size() > start + after.size() && text.ends_with(after)) {
    const std::string_view content = text.substr(start, text.size() - start - after.size());
    if (text.substr(before.size(), 16) == hex(checksum(content.data(), content.size())) &&
        text.substr(before.size() + 16, between.size()) == between)
      return std::string(content);
  }
  throw IoError(file + " is damaged, or it is not a file of trill");
}
}  // namespace trill
