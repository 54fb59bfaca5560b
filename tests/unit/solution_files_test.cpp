// SPDX-License-Identifier: BSD-3-Clause
#include "support/solution_files.hpp"

#include "solution/run_json.hpp"
#include "support/allocation_count.hpp"
#include "support/mentions.hpp"

namespace trill::testing_files {
namespace {

class EveryFormat : public testing::TestWithParam<const char*> {
 protected:
  TemporaryDirectory dir;
  fs::path file() const { return dir / GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(SolutionFiles, EveryFormat, testing::ValuesIn(all_files),
                         [](const auto& info) { return std::string(info.param + 4); });

TEST_P(EveryFormat, GivesBackEveryBit) {
  for (const auto& [rows, n_y, n_measured] :
       {std::array<Index, 3>{0, 3, 2}, {1, 3, 2}, {5000, 3, 2}, {7, 3, 0}, {7, 0, 2}, {40'000, 1, 1}, {3, 9000, 0}}) {
    const Solution s = random_solution(rows, n_y, n_measured);
    save_solution(s, file());
    const SolutionFile stored(file());
    EXPECT_EQ(stored.rows(), rows);
    EXPECT_FALSE(stored.unfinished());
    EXPECT_EQ(bits_of(stored), bits_of(s, s.info)) << rows << " rows";
    EXPECT_EQ(to_json(stored.info()), to_json(s.info));
    EXPECT_EQ(to_json(stored.outcome()), to_json(s.outcome));
    EXPECT_EQ(to_json(stored.trust()), to_json(s.trust));
    const Solution loaded = stored.load();
    EXPECT_EQ(bits_of(loaded, loaded.info), bits_of(s, s.info));
  }
}

TEST_P(EveryFormat, KeepsTheWholeRecord) {
  const Solution s = random_solution(2);
  save_solution(s, file());
  const Solution back = SolutionFile(file()).load();
  EXPECT_EQ(back.info.parameters, s.info.parameters);
  EXPECT_EQ(back.info.components[2].name, s.info.components[2].name);
  EXPECT_EQ(back.info.quantities[0].kind, QuantityKind::energy);
  EXPECT_EQ(back.info.quantities[1].kind, QuantityKind::other);
  EXPECT_EQ(back.info.layout, s.info.layout);
  EXPECT_EQ(back.info.model_text, s.info.model_text);
  EXPECT_EQ(back.info.inputs, s.info.inputs);
  EXPECT_EQ(back.info.groups, s.info.groups);
  EXPECT_EQ(back.outcome.status, RunStatus::event);
  EXPECT_EQ(back.outcome.events[1].t, s.outcome.events[1].t);
  EXPECT_EQ(back.outcome.notices[0].count, 17);
  EXPECT_EQ(back.outcome.notices[0].severity, Severity::warning);
  EXPECT_EQ(back.outcome.counters.forces, s.outcome.counters.forces);
  EXPECT_EQ(back.trust.verdict, Verdict::amber);
  EXPECT_EQ(back.trust.rows[0].deviation, 1e-300);
  EXPECT_EQ(back.trust.error, 0.02);
  EXPECT_EQ(back.trust.of, "x");
  EXPECT_TRUE(std::isnan(back.trust.until));
  EXPECT_EQ(back.trust.remedy, "a smaller step");
}

TEST_P(EveryFormat, KeepsUntilWhenTheVerdictHolds) {
  Solution s = random_solution(2);
  s.trust.until = 6.25;
  s.trust.error = NAN;
  save_solution(s, file());
  const Solution back = SolutionFile(file()).load();
  EXPECT_EQ(back.trust.until, 6.25);
  EXPECT_TRUE(std::isnan(back.trust.error));
}

TEST(SolutionFile, QuantitiesOfOlderFilesGetTheirKindsByName) {
  RunInfo info = sample_info(3, 0);
  info.layout = {1, 1, 1, 0};
  const std::vector<Quantity> expected{{"energy", "", QuantityKind::energy},
                                       {"kinetic energy", "", QuantityKind::energy_part},
                                       {"total_energy", "", QuantityKind::energy},
                                       {"constraint_velocity", "", QuantityKind::constraint},
                                       {"h", "", QuantityKind::step_size},
                                       {"error", "", QuantityKind::step_error},
                                       {"model_error", "", QuantityKind::model_error},
                                       {"newton_rate", "", QuantityKind::newton_rate},
                                       {"frequency_12", "", QuantityKind::frequency},
                                       {"frequency_", "", QuantityKind::other},
                                       {"action_1", "", QuantityKind::action},
                                       {"action_sum", "", QuantityKind::other},
                                       {"amplitude_x", "", QuantityKind::amplitude}};
  for (const Quantity& q : expected) info.quantities.push_back({q.name, q.unit});
  std::string text = to_json(info);
  for (const std::string kind = "\"kind\":\"other\","; text.find(kind) != text.npos;)
    text.erase(text.find(kind), kind.size());
  ASSERT_EQ(text.find("\"kind\""), text.npos);
  const RunInfo back = info_from_json(text, "an older file");
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(back.quantities[i].kind, expected[i].kind) << expected[i].name;
  EXPECT_EQ(back.components[0].kind, QuantityKind::position);
  EXPECT_EQ(back.components[1].kind, QuantityKind::velocity);
  EXPECT_EQ(back.components[2].kind, QuantityKind::multiplier);
}

TEST_P(EveryFormat, HoldsLongTexts) {
  Solution s = random_solution(2);
  s.info.model_text.assign(3'000'000, 'x');
  save_solution(s, file());
  EXPECT_EQ(SolutionFile(file()).info().model_text, s.info.model_text);
}

TEST_P(EveryFormat, LeavesNothingElseBehind) {
  save_solution(random_solution(5), file());
  for (const std::string& name : names_in(dir.path())) EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
  Solution bad = random_solution(5);
  bad.append(7, Vec::Constant(3, NAN), Vec::Zero(2));
  fs::remove(file());
  EXPECT_THROW(save_solution(bad, file()), IoError);
  EXPECT_FALSE(fs::exists(file()));
  for (const std::string& name : names_in(dir.path())) EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
}

TEST_P(EveryFormat, RefusesNumbersThatAreNotFinite) {
  Solution s = random_solution(3);
  Vec measured = Vec::Zero(2);
  measured[1] = INFINITY;
  s.append(2.5, Vec::Zero(3), measured);
  EXPECT_EQ(message_of<IoError>([&] { save_solution(s, file()); }), "cannot record q1 at t = 2.5: it is inf");
  s = random_solution(3);
  s.outcome.notices[0].value = NAN;
  EXPECT_EQ(message_of<IoError>([&] { save_solution(s, file()); }),
            "cannot write the value of notice 'stiff' at t = 0.25: it is nan");
  s = random_solution(3);
  s.trust.rows[0].deviation = NAN;
  EXPECT_THROW(save_solution(s, file()), IoError);
  EXPECT_FALSE(fs::exists(file()));
}

// Wherever a file is cut off, reading gives an IoError or, if only white space is missing, the same numbers.
TEST_P(EveryFormat, NeverReadsTruncatedFiles) {
  const Solution s = random_solution(3000);
  save_solution(s, file());
  const std::string whole = slurp(file());
  const auto wanted = bits_of(s, s.info);
  std::mt19937_64 random(7);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    const std::size_t length = i < 100 ? whole.size() - 1 - static_cast<std::size_t>(i) : random() % whole.size();
    spill(file(), whole.substr(0, length));
    try {
      EXPECT_EQ(bits_of(SolutionFile(file())), wanted) << length << " of " << whole.size() << " bytes";
    } catch (const IoError& error) {
      EXPECT_NE(std::string(error.what()).find("run."), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GE(refused, 299);
}

TEST_P(EveryFormat, SaysWhatItExpected) {
  const std::string name = file().string();
  EXPECT_EQ(message_of<IoError>([&] { SolutionFile f(file()); }),
            name + " does not exist; a solution written by trill was expected");
  for (const char* text : {"", "{}", "hello", "{\"schema\": 3}", "[1, 2]", "t,x\n0,1\n"}) {
    spill(file(), text);
    EXPECT_NE(message_of<IoError>([&] { SolutionFile f(file()); }).find(name), std::string::npos) << text;
  }
  fs::remove(file());
  fs::create_directory(file());
  EXPECT_THAT(message_of<IoError>([&] { SolutionFile f(file()); }), mentions(file().string(), "directory"));
  EXPECT_THROW(save_solution(random_solution(1), file()), IoError);
  EXPECT_THROW(save_solution(random_solution(1), dir / "no" / GetParam()), IoError);
}

TEST_P(EveryFormat, ReplacesAnEarlierFile) {
  save_solution(random_solution(10, 3, 2, 1), file());
  const Solution later = random_solution(20, 3, 2, 2);
  save_solution(later, file());
  EXPECT_EQ(bits_of(SolutionFile(file())), bits_of(later, later.info));
}

class Waves final : public RowSource {
 public:
  explicit Waves(Index rows) : rows_(rows) {}
  Index rows() const override { return rows_; }
  void visit(const Visitor& visitor) const override {
    double y[8];
    for (Index i = 0; i < rows_; ++i) {
      const double t = 1e-3 * static_cast<double>(i);
      for (int k = 0; k < 8; ++k) y[k] = std::sin((k + 1) * t);
      visitor(t, y, y);
    }
  }

 private:
  Index rows_;
};

// The largest memory used since the last reset, in kB.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
long peak() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  return 0;
}

TEST_P(EveryFormat, StreamsAMillionRows) {
  const Index rows = std::string(GetParam()) == "run.json" ? 100'000 : 1'000'000;  // a million rows are 72 MB
  const Waves waves(rows);
  const RunInfo info = sample_info(8, 0);
  reset_peak();
  const long before = peak();
  save_solution(waves, info, {}, {}, file());
  const SolutionFile stored(file());
  Index seen = 0;
  bool same = true;
  stored.visit([&](double t, const double* y, const double*) {
    same = same && t == 1e-3 * static_cast<double>(seen) && y[7] == std::sin(8 * t);
    ++seen;
  });
  EXPECT_TRUE(same);
  EXPECT_EQ(seen, rows);
  // Under the address sanitizer (where allocations are not counted) freed memory is kept, so it would count here.
  if (rows == 1'000'000 && counts_allocations()) {
    EXPECT_LT(peak() - before, 16 * 1024);
  }
}

TEST(SolutionFiles, CsvFollowsTheStandard) {
  const TemporaryDirectory dir;
  Solution s;
  s.info = sample_info();
  s.append(0.1, Vec::Constant(3, -0.0), Vec::Constant(2, 1e308));
  save_solution(s, dir / "run.csv");
  EXPECT_EQ(slurp(dir / "run.csv"),
            "t [s],\"x, y [m]\",\"say \"\"q\"\"\",\u03b8\u0308 \u2713 [1/s\u00b2],q0 [J],q1\r\n"
            "0.1,-0,-0,-0,1e+308,1e+308\r\n");
}

TEST(SolutionFiles, CsvBelongsToItsSidecar) {
  const TemporaryDirectory dir;
  save_solution(random_solution(20, 3, 2, 1), dir / "run.csv");
  const std::string other = slurp(dir / "run.csv.meta.json");
  save_solution(random_solution(20, 3, 2, 2), dir / "run.csv");
  spill(dir / "run.csv.meta.json", other);
  EXPECT_NE(message_of<IoError>([&] { SolutionFile f(dir / "run.csv"); }).find("run.csv.meta.json"), std::string::npos);
  fs::remove(dir / "run.csv.meta.json");
  EXPECT_NE(message_of<IoError>([&] { SolutionFile f(dir / "run.csv"); }).find("run.csv.meta.json"), std::string::npos);
}

TEST(SolutionFiles, TruncatedSidecarIsRefused) {
  const TemporaryDirectory dir;
  save_solution(random_solution(20), dir / "run.csv");
  const std::string whole = slurp(dir / "run.csv.meta.json");
  for (std::size_t length = 0; length < whole.size() - 1; ++length) {  // only the last line break may be missing
    spill(dir / "run.csv.meta.json", whole.substr(0, length));
    EXPECT_THROW(SolutionFile f(dir / "run.csv"), IoError) << length;
  }
}

TEST(SolutionFiles, JsonRefusesEqualNames) {
  const TemporaryDirectory dir;
  Solution s = random_solution(2);
  s.info.components[1].name = s.info.components[0].name;
  EXPECT_THROW(save_solution(s, dir / "run.json"), UsageError);
  save_solution(s, dir / "run.csv");
  EXPECT_EQ(bits_of(SolutionFile(dir / "run.csv")), bits_of(s, s.info));
}

TEST(SolutionFiles, NamesTheKnownExtensions) {
  const TemporaryDirectory dir;
  for (const char* name : {"run.txt", "run", "run.h6"}) {
    EXPECT_THAT(message_of<UsageError>([&] { save_solution(random_solution(1), dir / name); }),
                mentions(name, ".h5", ".hdf5", ".csv", ".json"));
    EXPECT_THROW(SolutionFile f(dir / name), UsageError);
    EXPECT_THROW(SegmentRecorder r(dir / name), UsageError);
  }
}

#ifdef TRILL_HAVE_HDF5
TEST(SolutionFiles, DamagedHdf5DataAreRefused) {
  const TemporaryDirectory dir;
  const Solution s = random_solution(20'000);
  save_solution(s, dir / "run.h5");
  const std::string whole = slurp(dir / "run.h5");
  std::string damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 4);
  spill(dir / "run.h5", damaged);
  EXPECT_THROW(bits_of(SolutionFile(dir / "run.h5")), IoError);
}

TEST(SolutionFiles, ConvertsFromFileToFile) {
  const TemporaryDirectory dir;
  const Solution s = random_solution(30'000);
  save_solution(s, dir / "a.h5");
  const SolutionFile a(dir / "a.h5");
  save_solution(a, a.info(), a.outcome(), a.trust(), dir / "b.hdf5");
  const SolutionFile b(dir / "b.hdf5");
  save_solution(b, b.info(), b.outcome(), b.trust(), dir / "c.csv");
  EXPECT_EQ(bits_of(SolutionFile(dir / "c.csv")), bits_of(s, s.info));
}
#else
TEST(SolutionFiles, SaysThatHdf5IsMissing) {
  const TemporaryDirectory dir;
  EXPECT_THAT(message_of<UsageError>([&] { save_solution(random_solution(1), dir / "run.h5"); }),
              mentions("run.h5", "HDF5"));
}
#endif

TEST(RunJson, SealDetectsDamage) {
  const std::string text = to_json(sample_info()), whole = sealed(text);
  EXPECT_EQ(unsealed(whole, "x"), text);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_THROW(unsealed(damaged, "x"), IoError) << i;
    EXPECT_THROW(unsealed(whole.substr(0, i), "x"), IoError) << i;
  }
}

TEST(RunJson, NamesTheFirstDifference) {
  const RunInfo stored = sample_info();
  RunInfo now = stored;
  now.host = "elsewhere";
  now.started = "later";
  EXPECT_FALSE(difference(stored, now));
  const auto changed = [&](auto change) {
    RunInfo other = stored;
    change(other);
    return difference(stored, other).value_or("none");
  };
  EXPECT_EQ(changed([](RunInfo& i) { i.method = "rk4"; }), "method: verlet, now rk4");
  EXPECT_EQ(changed([](RunInfo& i) { i.problem = "kepler"; }), "problem: pendulum/stiff_spring, now kepler");
  EXPECT_EQ(changed([](RunInfo& i) { i.formulation = "cs"; }), "formulation: none, now cs");
  EXPECT_EQ(changed([](RunInfo& i) { i.parameters["epsilon"] = "1"; }), "parameter epsilon: 0.001, now 1");
  EXPECT_EQ(changed([](RunInfo& i) { i.options.erase("rho"); }), "option rho: 0.5, now not set");
  EXPECT_EQ(changed([](RunInfo& i) { i.settings["seed"] = "3"; }), "setting seed: not set, now 3");
  EXPECT_EQ(changed([](RunInfo& i) { i.version = "0.2.0"; }), "version: 0.1.0, now 0.2.0");
  EXPECT_THAT(changed([](RunInfo& i) { i.inputs["beads.csv"] += "0"; }), mentions("beads.csv", "changed"));
  EXPECT_THAT(changed([](RunInfo& i) { i.inputs.clear(); }), mentions("beads.csv"));
  EXPECT_THAT(changed([](RunInfo& i) { i.inputs["k.mtx"] = "1"; }), mentions("k.mtx"));
  EXPECT_THAT(changed([](RunInfo& i) { i.model_text += " "; }), mentions("text of the model"));
  EXPECT_THAT(changed([](RunInfo& i) { i.layout.nq = 2; }), mentions("layout"));
  EXPECT_EQ(changed([](RunInfo& i) { i.quantities[1].name = "z"; }), "quantities: q1, now z");
}
}  // namespace
}  // namespace trill::testing_files
