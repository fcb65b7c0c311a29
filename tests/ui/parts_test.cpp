// parts_test.cpp: the parts of broch ui that need no run: targets, records, thinned curves.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base64.hpp"
#include "records.hpp"
#include "refusal.hpp"
#include "target.hpp"
#include "thinned.hpp"

using namespace broch::ui;

TEST_CASE("ui: targets are taken apart before they are decoded") {
  const Target target = parse_target("/api//runs/a%2Fb/?x=1%262+3&y&z=%C3%A4");
  CHECK(target.path == std::vector<std::string>{"api", "runs", "a/b"});
  CHECK(target.query ==
        std::map<std::string, std::string>{{"x", "1&2 3"}, {"y", ""}, {"z", "\u00e4"}});
  CHECK(target.number("none", 5, 0, 9) == 5);
  CHECK(parse_target("").path.empty());
}

TEST_CASE("ui: thinned curves keep ends, extremes and gaps, in order") {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (const size_t size : {0, 1, 7, 8, 9, 100, 12'345})
    for (const size_t most : {8, 9, 50, 1000})
      for (const bool gaps : {false, true}) {
        std::vector<double> values(size);
        for (double& value : values) value = normal(random);
        if (gaps && size > 20) values[size / 2] = std::nan("");
        const std::vector<size_t> places = thinned(values, most);
        CAPTURE(size);
        CAPTURE(most);
        CHECK(places.size() <= std::max(most, size_t{1}));
        CHECK(std::ranges::adjacent_find(places, std::greater_equal<>()) == places.end());
        if (size == 0) continue;
        CHECK(places.front() == 0);
        CHECK(places.back() == size - 1);
        const auto less = [&](size_t a, size_t b) { return values[a] < values[b]; };
        const auto larger = [](double a, double b) { return !(a >= b); };
        if (!gaps)
          CHECK(values[*std::ranges::max_element(places, less)] ==
                *std::ranges::max_element(values, larger));
        if (gaps && size > 20)
          CHECK(std::ranges::any_of(places, [&](size_t one) { return std::isnan(values[one]); }));
      }
}

TEST_CASE("ui: epochs are fractions by the steps in them") {
  Records records;
  std::string text = "[";
  for (int step = 1; step <= 25; ++step)
    text += (step > 1 ? "," : "") + std::string("{\"x\":1,\"epoch_num\":") +
            std::to_string((step - 1) / 10 + 1) + ",\"global_step\":" + std::to_string(step) + "}";
  CHECK(records.add(text) == text.size());
  REQUIRE(records.size() == 25);
  CHECK(records.epoch(4) == doctest::Approx(0.5));
  CHECK(records.epoch(9) == 1);
  CHECK(records.epoch(14) == doctest::Approx(1.5));
  CHECK(records.epoch(19) == 2);
  CHECK(records.epoch(24) == doctest::Approx(2.5));  // as long as the epoch before
}

TEST_CASE("ui: base64") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}
