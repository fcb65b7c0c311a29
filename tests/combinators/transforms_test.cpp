// transforms_test.cpp: the transforms of components, applied by the dataflow map.
#include "examine.hpp"

using namespace broch::test;

namespace {

// The point of the number 5 and the list [5, 5.25], after these transforms.
std::string made(const std::string& transforms, bool named = false) {
  const std::vector<Lines> rounds =
      rounds_of(mapped(numbers(1, 5, named ? R"(, "named": true)" : ""), transforms));
  REQUIRE(rounds.size() == 3);
  REQUIRE(rounds[0].size() == 1);
  return rounds[0][0];
}
std::string refused(const std::string& transforms) {
  return failure_of(mapped(numbers(1, 5), transforms));
}

}  // namespace

TEST_CASE("transform select and rename") {
  CHECK(made(use("select", R"("components": [1])")) == "float32[2] 5 5.25;");
  CHECK(made(use("select", R"("components": [{"component": "list", "as": "x"}, "number"])"),
             true) == "x=float32[2] 5 5.25;number=int64[] 5;");
  CHECK(made(use("rename", R"("names": ["a", "b"])")) == "a=int64[] 5;b=float32[2] 5 5.25;");
  CHECK(has(refused(use("rename", R"("names": ["a"])")), "found 1 names, expected 2"));
}

TEST_CASE("transform cast: rounds, limits, scales") {
  CHECK(made(use("cast", R"("dtype": "float64")")) == "float64[] 5;float64[2] 5 5.25;");
  CHECK(made(use("cast", R"("dtype": "uint8", "components": [1], "scale": 10, "offset": 1)")) ==
        "int64[] 5;uint8[2] 51 54;");  // 53.5 is rounded to even
  CHECK(made(use("cast", R"("dtype": "uint8", "scale": -1)")) == "uint8[] 0;uint8[2] 0 0;");
  CHECK(made(use("cast", R"("dtype": "uint8", "scale": 1000)")) == "uint8[] 255;uint8[2] 255 255;");
  CHECK(made(use("cast", R"("dtype": "bool")")) == "bool[] 1;bool[2] 1 1;");
  CHECK(made(use("cast", R"("dtype": "int64", "scale": 1e30)"))
            .starts_with("int64[] 9.2233720368547758e+18;"));
}

TEST_CASE("transform reshape and transpose") {
  CHECK(made(use("reshape", R"("components": [1], "shape": [2, -1])")) ==
        "int64[] 5;float32[2,1] 5 5.25;");
  CHECK(has(refused(use("reshape", R"("shape": [3], "components": [1])")),
            "component 1: found float32[2], expected as many elements as in [3]"));
  CHECK(has(refused(use("reshape", R"("shape": [-1, -1])")), "at most one -1"));
  const std::string pad = use("pad", R"("components": [1], "before": [1], "after": [3])") + ", " +
                          use("reshape", R"("components": [1], "shape": [1, 2, 3])");
  CHECK(made(pad) == "int64[] 5;float32[1,2,3] 0 5 5.25 0 0 0;");
  CHECK(made(pad + ", " + use("transpose", R"("components": [1], "order": [2, 0, 1])")) ==
        "int64[] 5;float32[3,1,2] 0 0 5 0 5.25 0;");
  CHECK(has(refused(use("transpose", R"("components": [1], "order": [1, 0])")),
            "expected 2 dimensions as in order"));
  CHECK(has(refused(use("transpose", R"("order": [0, 0])")), "each of the numbers 0 to 1 once"));
}

TEST_CASE("transform one-hot, label-smoothing, constant") {
  CHECK(made(use("one-hot", R"("components": [0], "classes": 6)") + ", " +
             use("select", R"("components": [0])")) == "float32[6] 0 0 0 0 0 1;");
  CHECK(has(refused(use("one-hot", R"("components": [0], "classes": 5)")),
            "component 0: found 5, expected a class from 0 to 4"));
  CHECK(has(refused(use("one-hot", R"("components": [1], "classes": 6)")), "found 5.25"));
  CHECK(made(use("select", R"("components": [0])") + ", " +
             use("cast", R"("dtype": "int32", "scale": 0)") + ", " +
             use("one-hot", R"("classes": 2)") + ", " +
             use("label-smoothing", R"("amount": 0.5)")) == "float32[2] 0.75 0.25;");
  CHECK(has(refused(use("label-smoothing", "")), "use one-hot before"));
  CHECK(made(use("constant", R"("value": 2, "shape": [2], "dtype": "int32", "name": "c")"), true) ==
        "number=int64[] 5;list=float32[2] 5 5.25;c=int32[2] 2 2;");
}

TEST_CASE("transform normalize: one pair of numbers, or one for each channel") {
  CHECK(made(use("normalize", R"("mean": [1], "std": [2])")) == "float32[] 2;float32[2] 2 2.125;");
  CHECK(made(use("normalize", R"("components": [1], "mean": [1, 5], "std": [2, 0.25])")) ==
        "int64[] 5;float32[2] 2 1;");
  const std::string channels_first = use("reshape", R"("components": [1], "shape": [2, 1, 1])");
  CHECK(made(channels_first + ", " +
             use("normalize",
                 R"("components": [1], "mean": [1, 5], "std": [2, 0.25], "dimension": 0)")) ==
        "int64[] 5;float32[2,1,1] 2 1;");
  CHECK(has(refused(use("normalize", R"("components": [1], "mean": [1, 2, 3], "std": [1, 1, 1])")),
            "expected 3 channels in dimension -1"));
  CHECK(has(refused(use("normalize", R"("mean": [1, 2], "std": [1])")),
            "found 1 numbers, expected 2 as in mean"));
}

TEST_CASE("transform stack: along a new dimension, in place of the first") {
  const std::string twice = use("select", R"("components": [1, 0, 1])") + ", ";
  CHECK(made(twice + use("stack", R"("components": [0, 2])")) ==
        "float32[2,2] 5 5.25 5 5.25;int64[] 5;");
  CHECK(made(twice + use("stack", R"("components": [0, 2], "dimension": -1)")) ==
        "float32[2,2] 5 5 5.25 5.25;int64[] 5;");
  CHECK(has(refused(use("stack", "")), "expected int64[], as the first component"));
}

TEST_CASE("transform filter: by value or size, keeps or drops") {
  const auto left = [](const std::string& options) {
    const std::vector<Lines> rounds =
        rounds_of(mapped(numbers(8, 0, R"(, "same": true)"), use("filter", options)));
    std::string list;
    for (const std::string& line : rounds[0]) list += line.substr(8, 1);
    return list;
  };
  CHECK(left(R"("component": 0, "in": [1, 3, 9])") == "13");
  CHECK(left(R"("component": 0, "in": [1, 3], "keep": false)") == "024567");
  CHECK(left(R"("component": 0, "minimum": 2, "maximum": 4.5)") == "234");
  CHECK(left(R"("component": 1, "dimension": 0, "minimum": 3)") == "2367");
  CHECK(has(refused(use("filter", R"("component": 0)")), "found no condition"));
  CHECK(has(refused(use("filter", R"("component": 1, "minimum": 1)")), "expected one number"));
}

TEST_CASE("transform flatten: a point for each row, with a key of its own") {
  CHECK(rounds_of(mapped(numbers(2, 0, R"(, "same": true)"),
                         use("flatten", R"("components": [1])")))[0] ==
        Lines{"int64[] 0;float32[] 0;", "int64[] 1;float32[] 1;", "int64[] 1;float32[] 1.25;"});
  CHECK(has(refused(use("flatten", "")), "component 0: found int64[], expected a first dimension"));
}

TEST_CASE("transform log-mel: options that do not fit together") {
  CHECK(has(refused(use("log-mel", R"("n_fft": 4, "window": 5)")), "expected at most 4"));
  CHECK(has(refused(use("log-mel", R"("f_min": 9000)")), "which is f_max"));
  for (const std::string log : {"natural", "log10", "none"})
    CHECK(has(refused(use("log-mel", R"("top_db": 80, "log": ")" + log + "\"")),
              "found another log than decibels"));
}
