// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/resonance.hpp"
#include "multiscale/weight.hpp"
#include "trill/method/registry.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace trill {
namespace {
constexpr double pi = std::numbers::pi, reach = 20 * pi;

SplitForm form_of(const std::string& phi, const std::string& psi) {
  return *Catalogue::all().method("mollified_impulse").split_form({{"phi", phi}, {"psi", psi}});
}

// Results of an independent program that scanned 2e6 points up to 20 pi.
struct Scan {
  const char *phi, *psi;
  double square, fraction, largest, first;  // first: the first unstable h omega/pi; largest: |half trace| - 1
};
const Scan scans[] = {
    {"delta", "delta", 0.1, 0.0018235, 0.000127946, 0.9897703},
    {"delta", "delta", 1.0, 0.0189055, 0.0140731, 0.8869703},
    {"delta", "delta", 3.9, 0.0938045, 0.30656, 0.1739203},
    {"delta", "delta", -0.1, 0.00180559, 0.00012538, 1},
    {"delta", "delta", -1.0, 0.0176926, 0.0114882, 1},
    {"delta", "short", 0.1, 0.0003935, 5.20013e-05, 0.9934703},
    {"delta", "short", 1.0, 0.004394, 0.00590183, 0.9255603},
    {"delta", "short", 3.9, 0.0405755, 0.169154, 0.2404803},
    {"delta", "short", -0.1, 0.000386947, 5.06766e-05, 1},
    {"delta", "short", -1.0, 0.00359776, 0.00455045, 1},
    {"short", "delta", 0.1, 0.0003935, 5.20013e-05, 0.9934703},
    {"short", "delta", 1.0, 0.004394, 0.00590183, 0.9255603},
    {"short", "delta", 3.9, 0.0405755, 0.169154, 0.2404803},
    {"short", "delta", -0.1, 0.000386947, 5.06766e-05, 1},
    {"short", "delta", -1.0, 0.00359776, 0.00455045, 1},
    {"short", "short", 0.1, 0.000217, 2.10631e-05, 0.9958503},
    {"short", "short", 1.0, 0.002458, 0.00237863, 0.9528903},
    {"short", "short", 3.9, 0.0266125, 0.0702402, 0.4759403},
    {"short", "short", -0.1, 0.000216087, 2.05504e-05, 1},
    {"short", "short", -1.0, 0.00197239, 0.00185501, 1},
    {"lin", "lin", 0.1, 8.35e-05, 3.44576e-06, 0.9983303},
    {"lin", "lin", 1.0, 0.000913, 0.000373268, 0.9818003},
    {"lin", "lin", 3.9, 0.005361, 0.00805516, 0.8930603},
    {"lin", "lin", -0.1, 8.39223e-05, 3.38877e-06, 1},
    {"lin", "lin", -1.0, 0.000786517, 0.000315783, 1},
    {"cubic", "cubic", 0.1, 1.35e-05, 9.2384e-08, 0.9997303},
    {"cubic", "cubic", 1.0, 0.00014, 9.45296e-06, 0.9972003},
    {"cubic", "cubic", 3.9, 0.0005925, 0.000155478, 0.9881503},
    {"cubic", "cubic", -0.1, 1.40708e-05, 9.18882e-08, 1},
    {"cubic", "cubic", -1.0, 0.000135659, 8.99881e-06, 1},
    {"short", "lin", 0.1, 0.000134, 8.52047e-06, 0.9973603},
    {"short", "lin", 1.0, 0.0014865, 0.000943637, 0.9706703},
    {"short", "lin", 3.9, 0.011107, 0.0237336, 0.7793503},
    {"short", "lin", -0.1, 0.000132165, 8.34407e-06, 1},
    {"short", "lin", -1.0, 0.00122601, 0.000764387, 1},
};

TEST(Resonance, UnstableIntervalsAreThoseOfAScan) {
  for (const Scan& scan : scans) {
    const SplitForm form = form_of(scan.phi, scan.psi);
    const auto intervals = unstable_intervals(form, scan.square, reach);
    const std::string at = std::string(scan.phi) + ',' + scan.psi + ' ' + std::to_string(scan.square);
    ASSERT_FALSE(intervals.empty()) << at;
    double width = 0, growth = 0;
    for (const UnstableInterval& i : intervals) {
      width += i.to - i.from;
      growth = std::max(growth, i.growth);
    }
    const double scanned = reach - (scan.square < 0 ? std::sqrt(-scan.square) : 0);
    EXPECT_NEAR(intervals.front().from / pi, scan.first, 2e-5) << at;
    EXPECT_NEAR(width / scanned, scan.fraction, 5e-6 + 1e-3 * scan.fraction) << at;
    // If the largest |eigenvalue| is 1 + growth, then |half trace| is (growth + 1 + 1/(growth + 1))/2.
    const double trace = (growth + 1 + 1 / (growth + 1)) / 2 - 1;
    EXPECT_NEAR(trace, scan.largest, 1e-2 * scan.largest + 1e-9) << at;
  }
}

TEST(Resonance, TheFamilyPsiIsPhiTimesLongHasNone) {
  for (const auto& [phi, psi] : {std::pair{"delta", "long"},
                                 {"short", "short*long"},
                                 {"lin", "lin*long"},
                                 {"cubic", "cubic*long"},
                                 {"long", "long*long"},
                                 {"long", "long"}}) {
    const SplitForm form = form_of(phi, psi);
    for (const double square : {0.1, 1.0, 3.9, -0.1, -1.0}) {
      EXPECT_TRUE(unstable_intervals(form, square, reach).empty()) << phi << ' ' << psi << ' ' << square;
      double largest = -1;
      for (double theta = square < 0 ? std::sqrt(-square) * (1 + 1e-6) : 0; theta < reach; theta += 1e-3)
        largest = std::max(largest, excess_trace(form, theta, square));
      EXPECT_LE(largest, 1e-15) << phi << ' ' << psi << ' ' << square;
    }
  }
}

TEST(Resonance, TheExcessIsThatOfTheHalfTrace) {
  const SplitForm form = form_of("short", "lin");
  const WeightPair pair{Weight::named("short"), Weight::named("lin")};
  for (const double square : {0.3, -0.4, 3.5})
    for (double theta = 0.7; theta < 15; theta += 0.37)
      EXPECT_NEAR(excess_trace(form, theta, square), std::abs(half_trace(pair, theta, square)) - 1, 1e-14);
}

TEST(Resonance, OnlyMethodsOfKicksHaveASplitForm) {
  for (const char* method : {"impulse", "mollified_impulse", "respa"})
    EXPECT_TRUE(Catalogue::all().method(method).split_form({})) << method;
  EXPECT_FALSE(Catalogue::all().method("verlet").split_form({}));
}
}  // namespace
}  // namespace trill
