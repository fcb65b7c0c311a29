// difference_test.cpp: what two manifests say differently.
#include "manifest/difference.hpp"

#include "support.hpp"
#include "world.hpp"

using namespace broch::manifest;
using support::minimal;

namespace {

// "/seed: 1 | 2", one for each difference.
std::vector<std::string> between(const Manifest& first, const Manifest& second,
                                 bool with_defaults = false) {
  std::vector<std::string> lines;
  for (const Difference& one : differences(first, second, with_defaults)) {
    const auto shown = [](const Value* value) { return value ? to_text(*value) : "nothing"; };
    lines.push_back(one.pointer + ": " + shown(one.first) + " | " + shown(one.second));
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("difference: the innermost values, those that one side lacks, and none") {
  const Manifest first = support::load(
      minimal(R"("seed": 1, "callbacks": ["a.b", {"use": "c.d", "with": {"x": 1, "y": [1]}}])"));
  const Manifest second = support::load(
      minimal(R"("seed": 1.0, "callbacks": ["a.b", {"use": "c.d", "with": {"x": 2, "z": {}}}],
                 "max_epoch": 99999, "runtime": {"threads": 2})"));
  CHECK(between(first, first).empty());
  CHECK(between(first, second) ==
        Lines{"/callbacks/1/with/x: 1 | 2", "/callbacks/1/with/y: [1] | nothing",
              "/callbacks/1/with/z: nothing | {}", "/runtime/threads: null | 2"});
}

TEST_CASE("difference: entries of lists are compared by place") {
  CHECK(between(support::load(minimal(R"("x-a": [1, 2])")),
                support::load(minimal(R"("x-a": [1, 3, 4])"))) ==
        Lines{"/x-a/1: 2 | 3", "/x-a/2: nothing | 4"});
  CHECK(between(support::load(minimal(R"("x-a": [1])")),
                support::load(minimal(R"("x-a": {"0": 1})"))) == Lines{"/x-a: [1] | {\"0\":1}"});
}

TEST_CASE("difference: what only the names of the files make differ counts when asked for") {
  const Manifest first = load_source(support::source(minimal(), "one.json"));
  const Manifest second = load_source(support::source(minimal(), "two.json"));
  CHECK(between(first, second).empty());
  const Lines all = between(first, second, true);
  REQUIRE(all.size() == 2);
  CHECK(all[0] == "/name: \"one\" | \"two\"");
}

TEST_CASE("difference: a variable and its value are the same") {
  const support::World world;
  CHECK(between(world.load(minimal(R"("vars": {"n": 4}, "seed": "${vars.n}")")),
                world.load(minimal(R"("seed": 4)")))
            .empty());
}
