// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.hpp"
#include "support/mentions.hpp"
#include "trill/base/archive.hpp"
#include "trill/base/notes.hpp"
#include "trill/base/options.hpp"
#include "trill/base/random.hpp"

#include <cstring>
#include <random>

namespace trill {
namespace {
using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(Text, EditDistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("verlet", "verlet"), 0);
  EXPECT_EQ(edit_distance("verlet", "vrelet"), 1);
  EXPECT_EQ(edit_distance("verlet", "verlt"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
}

TEST(Text, EditDistanceIsAMetric) {
  std::mt19937 random(7);
  const auto word = [&] {
    std::string w(random() % 6, ' ');
    for (char& c : w) c = static_cast<char>('a' + random() % 3);
    return w;
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string a = word(), b = word();
    EXPECT_EQ(edit_distance(a, b), edit_distance(b, a));
    EXPECT_EQ(edit_distance(a, b) == 0, a == b);
    EXPECT_LE(edit_distance(a, b), static_cast<int>(std::max(a.size(), b.size())));
    EXPECT_GE(edit_distance(a, b), std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())));
  }
}

TEST(Text, SuggestsNearNamesOrTheShortList) {
  const Words known{"verlet", "rattle", "dopri5", "dop853"};
  EXPECT_EQ(suggest("verlett", known), "; did you mean 'verlet'?");
  EXPECT_THAT(suggest("dop", known), HasSubstr("dop853"));
  EXPECT_THAT(suggest("zzzzzz", known), HasSubstr("verlet, rattle"));
  EXPECT_EQ(suggest("zzzzzz", Words(100, "a_long_name")), "");
  EXPECT_EQ(suggest("x", Words{}), "");
}

TEST(Text, NumbersAreReadWholeAndFinite) {
  EXPECT_EQ(parse_number("1e-3"), 1e-3);
  EXPECT_EQ(parse_number("+2"), 2);
  for (const char* bad : {"", " 1", "1 ", "1x", "0x10", "nan", "inf", "1e999", "--1", "1,5"})
    EXPECT_FALSE(parse_number(bad)) << bad;
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_FALSE(parse_integer("1.5"));
}

TEST(Text, NumbersSurviveARoundTrip) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(parse_number(format_number(value)), value);
  }
}

TEST(Text, SplitAndJoinAreInverse) {
  for (const char* text : {"", "a", "a,b", ",a,,b,"}) EXPECT_EQ(join(split(text, ','), ","), text);
}

struct Sample {
  double rho = 0.5;
  int s = 3;
  std::string form = "a";
  void fields(OptionVisitor& v) {
    v.number("rho", rho, Range::between(0, 1), "damping");
    v.integer("s", s, Range::at_least(1), "stages");
    v.choice("form", form, {"a", "b"}, "form");
  }
};

std::string message_of(const OptionSet& given) {
  try {
    read_options<Sample>(given, "gauss");
    return "";
  } catch (const UsageError& e) {
    return e.what();
  }
}

TEST(Options, AreReadCheckedAndNamed) {
  const Sample read = read_options<Sample>({{"rho", "0.25"}, {"s", "5"}, {"form", "b"}}, "gauss");
  EXPECT_EQ(read.rho, 0.25);
  EXPECT_EQ(read.s, 5);
  EXPECT_EQ(read.form, "b");
  EXPECT_EQ(message_of({{"rho", "1.5"}}), "gauss: option 'rho' = 1.5 is out of range; the allowed range is [0, 1]");
  EXPECT_THAT(message_of({{"s", "2.5"}}), mentions("gauss", "'s'", "whole number", "'2.5'"));
  EXPECT_THAT(message_of({{"s", "99999999999"}}), mentions("gauss", "'s'", "whole number", "'99999999999'"));
  EXPECT_THAT(message_of({{"form", "c"}}), mentions("gauss", "'form'", "'c'", "a | b"));
  EXPECT_THAT(message_of({{"rhoo", "1"}}), mentions("gauss", "'rhoo'", "'rho'"));
  const auto rows = list_options<Sample>();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].value, "0.5");
  EXPECT_EQ(rows[1].allowed, ">= 1");
}

enum class Shade { light, dark };

struct Named {
  Shade shade = Shade::dark;
  bool round = false;
  int count = 0;
  void fields(OptionVisitor& v) {
    v.choice("shade", shade, {{"light", Shade::light}, {"dark", Shade::dark}}, "of the picture");
    v.choice("corners", round, {{"sharp", false}, {"round", true}}, "of the picture");
    v.choice("count", count, {{"auto", 0}, {"1", 1}, {"2", 2}}, "of pictures");
  }
};

TEST(Options, WordsBecomeValuesOfTheirOwnType) {
  const Named read = read_options<Named>({{"shade", "light"}, {"corners", "round"}, {"count", "2"}}, "picture");
  EXPECT_EQ(read.shade, Shade::light);
  EXPECT_TRUE(read.round);
  EXPECT_EQ(read.count, 2);
  EXPECT_EQ(read_options<Named>({}, "picture").shade, Shade::dark);
  try {
    read_options<Named>({{"shade", "grey"}}, "picture");
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), "picture: option 'shade' cannot be 'grey'; choose one of light | dark");
  }
  const auto rows = list_options<Named>();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].value, "dark");
  EXPECT_EQ(rows[0].allowed, "light | dark");
  EXPECT_EQ(rows[1].value, "sharp");
  EXPECT_EQ(rows[2].value, "auto");
}

TEST(Options, AssignmentsAndTheirAliases) {
  EXPECT_EQ(parse_assignment("rho-inf=0.5"), (std::pair<std::string, std::string>{"rho", "0.5"}));
  EXPECT_EQ(parse_assignment("a=b=c"), (std::pair<std::string, std::string>{"a", "b=c"}));
  EXPECT_THROW(parse_assignment("novalue"), UsageError);
  EXPECT_THROW(parse_assignment("=1"), UsageError);
}

struct Remembered {
  struct Entry {
    std::string name;
    double value = 0;
    void memory(Archive& archive) { archive(name, value); }
    bool operator==(const Entry&) const = default;
  };
  double number = 0;
  Vec vector;
  Mat matrix;
  std::string text;
  std::vector<int> integers;
  std::vector<Entry> entries;
  void memory(Archive& archive) { archive(number, vector, matrix, text, integers, entries); }
  static Remembered sample() {
    return {1.5, Vec::LinSpaced(5, 0, 1), Mat::Identity(2, 3), "text", {1, -2}, {{"a", 1}, {"", 2}}};
  }
};

TEST(Archive, GivesBackWhatItTook) {
  Remembered given = Remembered::sample(), back;
  back.integers = {7, 8, 9};
  Archive out;
  EXPECT_FALSE(out.reading());
  out(given);
  Archive in(out.bytes());
  EXPECT_TRUE(in.reading());
  in(back);
  EXPECT_TRUE(in.at_end());
  const Remembered expected = Remembered::sample();
  for (const Remembered* r : {&given, &back}) {
    EXPECT_EQ(r->number, expected.number);
    EXPECT_EQ(r->vector, expected.vector);
    EXPECT_EQ(r->matrix, expected.matrix);
    EXPECT_EQ(r->text, expected.text);
    EXPECT_EQ(r->integers, expected.integers);
    EXPECT_EQ(r->entries, expected.entries);
  }
}

TEST(Archive, EveryTruncationIsNoticed) {
  Remembered given = Remembered::sample();
  Archive out;
  out(given);
  for (std::size_t length = 0; length < out.bytes().size(); ++length) {
    Archive in(std::vector<char>(out.bytes().begin(), out.bytes().begin() + static_cast<long>(length)));
    Remembered back;
    EXPECT_THROW(in(back), IoError) << length;
  }
}

TEST(Archive, ForgedSizesAskForNoMemory) {
  std::uint64_t forged = std::uint64_t{1} << 60;
  Archive out;
  out(forged);
  Vec vector;
  std::vector<Remembered::Entry> entries;
  Archive as_vector(out.bytes()), as_list(out.bytes());
  EXPECT_THROW(as_vector(vector), IoError);
  EXPECT_THROW(as_list(entries), IoError);
}

// Known answers published with the generator (Random123, kat_vectors, philox 4x32 with 10 rounds).
TEST(Random, PhiloxKnownAnswers) {
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, NormalNumbersHaveTheirMoments) {
  double sum = 0, square = 0, fourth = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double x = random_normal({1, 0, static_cast<std::uint64_t>(i / 10)}, static_cast<std::uint32_t>(i % 10));
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(square / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
}

TEST(Random, UniformNumbersLieInside) {
  for (std::uint32_t i = 0; i < 100000; ++i) {
    const double x = random_uniform({3, 1, 5}, i);
    ASSERT_GT(x, 0);
    ASSERT_LT(x, 1);
  }
}

TEST(Notes, CountRepetitionsAndKeepTheLargest) {
  Notes notes(2);
  notes.raise(1, "a", "small", Severity::warning, 3, 2);
  notes.raise(2, "a", "large", Severity::warning, 9, 2);
  notes.raise(3, "a", "as large", Severity::warning, 9, 2);
  notes.raise(3, "b", "other", Severity::info, 0, 0);
  notes.raise(4, "c", "no room", Severity::info, 0, 0);
  const auto all = notes.notices();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].t, 2);
  EXPECT_EQ(all[0].text, "large");
  EXPECT_EQ(all[0].value, 9);
  EXPECT_EQ(all[0].count, 3);
}

// Some quantities are bad when they are small, as this one: the notice keeps the smallest value.
TEST(Notes, KeepTheSmallestOfWhatIsTooSmall) {
  Notes notes;
  for (const double value : {1e-3, 1e-6, 1e-5}) notes.raise(value, "condition", "", Severity::warning, value, 1e-2);
  EXPECT_EQ(notes.notices()[0].value, 1e-6);
  EXPECT_EQ(notes.notices()[0].t, 1e-6);
  notes.raise(7, "condition", "", Severity::warning, std::nan(""), 1e-2);
  EXPECT_TRUE(std::isnan(notes.notices()[0].value));
  notes.raise(8, "condition", "", Severity::warning, 1e-9, 1e-2);
  EXPECT_EQ(notes.notices()[0].t, 7);
}

TEST(Notes, AMildOneDoesNotReplaceASevereOne) {
  Notes notes;
  notes.raise(1, "a", "severe", Severity::doubt, 3, 2);
  notes.raise(2, "a", "mild", Severity::warning, 9, 2);
  EXPECT_EQ(notes.notices()[0].text, "severe");
  EXPECT_EQ(notes.notices()[0].severity, Severity::doubt);
  EXPECT_EQ(notes.notices()[0].count, 2);
}

TEST(Notes, MadeTextsAreThoseOfTheirValues) {
  Notes notes;
  int made = 0;
  for (const double value : {3.0, 9.0, 5.0})
    notes.raise_with(
        value, "a", [&] { return ++made, fmt::format("off by {}", value); }, Severity::warning, value, 2);
  EXPECT_EQ(notes.notices()[0].text, "off by 9");
  EXPECT_EQ(notes.notices()[0].value, 9);
  EXPECT_EQ(made, 2);
}

// A run that was interrupted at any checkpoint and resumed gives the same notices as an unbroken run.
TEST(Notes, OfAResumedRunAreThoseOfAnUnbrokenOne) {
  const std::vector<double> values{3, 9, std::nan(""), 5, 9, 12, std::nan(""), 1};
  const auto raise = [](Notes& notes, double t, double value) {
    notes.raise_with(
        t, "a", [&] { return fmt::format("{} at {}", value, t); }, value == 5 ? Severity::doubt : Severity::warning,
        value, 2);
  };
  for (std::size_t length = 1; length <= values.size(); ++length)
    for (std::size_t checkpoint = 0; checkpoint <= length; ++checkpoint) {
      Notes whole, first, second;
      for (std::size_t k = 0; k < length; ++k) {
        const auto t = static_cast<double>(k);
        if (k == checkpoint) second.restore(first.notices());
        raise(whole, t, values[k]);
        raise(k < checkpoint ? first : second, t, values[k]);
      }
      const Notice a = whole.notices()[0], b = (checkpoint < length ? second : first).notices()[0];
      EXPECT_EQ(a.text, b.text) << length << " " << checkpoint;
      EXPECT_EQ(a.t, b.t);
      EXPECT_EQ(a.severity, b.severity);
      EXPECT_EQ(a.count, b.count);
    }
}
}  // namespace
}  // namespace trill
