// split_test.cpp: parts of a dataflow: which points are in them, and what is refused.
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "dataflows/combinators/dealing.hpp"
#include "dataflows/combinators/index_set.hpp"
#include "examine.hpp"

using namespace broch::test;

namespace {

// The points are the numbers from 0.
std::string split_of(int points, const std::string& options) {
  return around("split", numbers(points, 0, R"(, "same": true)"), options);
}
std::vector<Lines> split_rounds(const std::string& split) {
  return rounds_of(split, R"("by_index": true, "rounds": 2, "most": 1000)");
}
std::vector<int> part_of(int points, const std::string& options) {
  return numbers_in(split_rounds(split_of(points, options))[0]);
}
std::string parts(const std::string& parts, size_t part, const std::string& more = "") {
  return "\"parts\": " + parts + ", \"part\": " + std::to_string(part) + more;
}
std::vector<int> from_to(int first, int last) {
  std::vector<int> list(size_t(last - first + 1));
  std::iota(list.begin(), list.end(), first);
  return list;
}

// 40 points with the number 5, 20 with 6, and 10 with 7.
std::string three_classes() {
  std::string list;
  for (const auto& [number, times] : {std::pair{5, "40"}, {6, "20"}, {7, "10"}})
    list += (list.empty() ? "" : ", ") +
            around("repeat-point", numbers(1, number), "\"times\": " + std::string(times));
  return use("concat", "\"dataflows\": [" + list + "]");
}
std::map<int, int> counts_in(const std::vector<int>& list) {
  std::map<int, int> counts;
  for (const int number : list) ++counts[number];
  return counts;
}

}  // namespace

TEST_CASE("split: each point is in one part, in its order, and in the same part in each round") {
  const std::vector<std::pair<std::string, std::vector<double>>> given = {
      {"[0.8, 0.2]", {0.8, 0.2}},
      {"[0.7, 0.2, 0.1]", {0.7, 0.2, 0.1}},
      {"[0.333333, 0.333333, 0.333334]", {1.0 / 3, 1.0 / 3, 1.0 / 3}},
      {"4", {0.25, 0.25, 0.25, 0.25}}};
  for (const auto& [text, shares] : given)
    for (const int points : {7, 65, 200}) {
      CAPTURE(text);
      CAPTURE(points);
      std::vector<int> all;
      for (size_t part = 0; part < shares.size(); ++part) {
        const std::vector<Lines> rounds = split_rounds(split_of(points, parts(text, part)));
        const std::vector<int> list = numbers_in(rounds[0]);
        CHECK(rounds[1] == rounds[0]);
        CHECK(std::ranges::is_sorted(list));
        CHECK(std::abs(double(list.size()) - shares[part] * points) < 1);
        all.insert(all.end(), list.begin(), list.end());
      }
      std::ranges::sort(all);
      CHECK(all == from_to(0, points - 1));
    }
}

TEST_CASE("split: a seed stands for the same points for ever") {
  CHECK(part_of(10, parts("[0.7, 0.3]", 1)) == std::vector<int>{0, 5, 7});
  CHECK(part_of(10, parts("[0.7, 0.3]", 1, R"(, "seed": 1)")) == std::vector<int>{5, 6, 7});
  CHECK(part_of(100, parts("[0.9, 0.1]", 1)) ==
        std::vector<int>{0, 4, 23, 28, 37, 50, 73, 74, 87, 97});
}

TEST_CASE("split: numbers of points, all but one part, and parts in order") {
  const std::string in_order = R"(, "shuffle": false)", others = R"(, "keep": false)";
  CHECK(part_of(10, parts("[2, 3]", 1, in_order)) == from_to(2, 4));
  CHECK(part_of(10, parts("[2]", 0, in_order + others)) == from_to(2, 9));
  CHECK(part_of(10, parts("3", 1, in_order)) == from_to(3, 6));
  CHECK(part_of(10, parts("[7, 3]", 0)) == part_of(10, parts("[0.7, 0.3]", 0)));
  CHECK(part_of(10, parts("[0.7, 0.3]", 1, others)) == part_of(10, parts("[0.7, 0.3]", 0)));
}

TEST_CASE("split: continues at every cursor, and each round is that of the dataflow") {
  const std::string part = around("split", numbers(9), parts("[0.6, 0.4]", 0));
  const std::vector<Lines> rounds = rounds_of(part);
  REQUIRE(rounds[0].size() == 5);
  std::vector<int> next = numbers_in(rounds[0]);
  for (int& number : next) number = (number + 1) % 9;
  CHECK(numbers_in(rounds[1]) == next);
  const std::vector<Lines> batches = rounds_of(
      around("padded-batch", around("shuffle", part, R"("seed": 2)"), R"("batch_size": 2)"));
  CHECK(batches[2].size() == 2);
}

TEST_CASE("split: with by, each part has its share of each class") {
  const auto classes_in = [](const std::string& options) {
    const std::string split = around("split", three_classes(), options + R"(, "by": 0)");
    return counts_in(numbers_in(split_rounds(split)[0]));
  };
  const std::map<int, int> fifth = {{5, 8}, {6, 4}, {7, 2}};
  CHECK(classes_in(parts("[0.8, 0.2]", 0)) == std::map<int, int>{{5, 32}, {6, 16}, {7, 8}});
  CHECK(classes_in(parts("[0.8, 0.2]", 1)) == fifth);
  CHECK(classes_in(parts("[14, 28]", 0)) == fifth);
  for (size_t part = 0; part < 5; ++part) CHECK(classes_in(parts("5", part)) == fifth);

  // The points of a class, and classes of one point, are chosen at random.
  const std::string by = R"(, "by": 0, "seed": )";
  const auto tenth = [&](const std::string& seed) {
    return part_of(60, parts("[0.9, 0.1]", 1, by + seed));
  };
  CHECK(tenth("1").size() == 6);
  CHECK(tenth("1") != tenth("2"));
}

TEST_CASE("split: labels of another dataflow choose the same points") {
  const std::string labels = numbers(30, 3, R"(, "stream": true, "same": true)");
  const std::string flow = numbers(30, 3, R"(, "same": true)");
  const std::string options = parts("3", 1, R"(, "by": 0)");
  CHECK(split_rounds(around("split", flow, options + ", \"labels\": " + labels)) ==
        split_rounds(around("split", flow, options)));
}

TEST_CASE("split: refuses parts that cannot be, at the place of the option") {
  const auto refused = [](const std::string& options, const std::string& option,
                          const std::string& words) {
    const std::string failure = failure_of(split_of(3, options));
    INFO(failure);
    CHECK(has(failure, option));
    CHECK(has(failure, words));
  };
  refused(parts("[0.8, 0.1]", 0), "/parts: dataflow '",
          "found numbers whose sum is 0.9, expected shares whose sum is 1");
  refused(parts("[1, 0]", 0), "/parts/1: ", "above 0");
  refused(parts("1", 0), "/parts: ", "at least 2");
  refused(parts("[3, 1]", 0), "/parts: dataflow '",
          "found 4 points in all parts, expected at most 3");
  refused(parts("[0.8, 0.2]", 2), "/part: dataflow '", "found 2, expected at most 1");
  refused(parts("[0.9, 0.1]", 1), "/part: dataflow '",
          "found no point in part 1, expected at least one: the dataflow has 3 points");
  refused(parts("[0.9, 0.1]", 0, R"(, "keep": false)"), "/part: dataflow '",
          "found no point outside of part 0");
  refused(parts("2", 0, R"(, "by": 0, "shuffle": false)"), "/shuffle: dataflow '", "found false");
  refused(parts("2", 0, ", \"labels\": " + numbers(3)), "/labels: dataflow '",
          "expected the option by");
}

TEST_CASE("split: refuses dataflows that it cannot split, and components that are no class") {
  const auto refused = [](const std::string& flow, const std::string& words,
                          const std::string& more = "") {
    const std::string failure = failure_of(around("split", flow, parts("2", 0, more)));
    INFO(failure);
    CHECK(has(failure, words));
  };
  refused(numbers(4, 0, R"(, "stream": true)"), "found a stream");
  refused(use("repeat", "\"dataflow\": " + numbers(2)), "is endless");
  refused(around("shard", numbers(4), R"("rank": 0, "world": 2)"), "put 'shard' around 'split'");
  refused(numbers(4), "component 1: found shape [2], expected one", R"(, "by": 1)");
  refused(numbers(4), "expected component 2", R"(, "by": 2)");
  refused(use("list", R"("points": [[[1]], [[2.5]]])"),
          "/dataflow, point 1, component 0: found 2.500000, expected a whole number",
          R"(, "by": 0)");
  refused(numbers(4), "found 3 points, expected 4", R"(, "by": 0, "labels": )" + numbers(3));
}

TEST_CASE("index set: its numbers in ascending order, also behind gaps") {
  std::mt19937 random(1);
  for (const uint64_t limit : {1, 63, 64, 65, 1000}) {
    CAPTURE(limit);
    broch::dataflows::IndexSet set(limit);
    std::vector<uint64_t> expected;
    for (uint64_t number = 0; number < limit; ++number)
      if (number / 100 % 2 == 0 && random() % 3 == 0) expected.push_back(number);
    for (const uint64_t number : expected) set.insert(number);
    set.count();
    REQUIRE(set.size() == expected.size());
    for (size_t place = 0; place < expected.size(); ++place) CHECK(set[place] == expected[place]);
  }
}

TEST_CASE("dealing: all places are dealt, and any that follow each other evenly") {
  const std::vector<uint64_t> sizes = {70, 0, 20, 7, 3};
  broch::dataflows::Dealing dealing(sizes);
  std::vector<size_t> dealt(100);
  for (size_t& part : dealt) part = dealing.next();
  for (size_t part = 0; part < sizes.size(); ++part) {
    CHECK(uint64_t(std::ranges::count(dealt, part)) == sizes[part]);
    for (size_t begin = 0; begin < dealt.size(); ++begin)
      for (size_t end = begin; end <= dealt.size(); ++end) {
        const auto count =
            std::count(dealt.begin() + ptrdiff_t(begin), dealt.begin() + ptrdiff_t(end), part);
        REQUIRE(std::abs(double(count) - double((end - begin) * sizes[part]) / 100) < 2);
      }
  }
}
