// cases_test.cpp: what random_test.cpp does not reach: options, sampling, names, errors.
#include <map>
#include <set>

#include "examine.hpp"

using namespace broch::test;

namespace {

std::string two(const std::string& a, const std::string& b) {
  return "\"dataflows\": [" + a + ", " + b + "]";
}

}  // namespace

TEST_CASE("zip: keeps names, and refuses different sizes if it is told to") {
  CHECK(rounds_of(
            use("zip", two(numbers(1, 4, R"(, "named": true)"),
                           around("select", numbers(1, 8, R"(, "named": true)"),
                                  R"("components": [{"component": "number", "as": "n"}])"))))[0] ==
        Lines{"number=int64[] 4;list=float32[1] 4;n=int64[] 8;"});
  const std::string equal = R"(, "equal_sizes": true)";
  CHECK(has(failure_of(use("zip", two(numbers(2), numbers(3)) + equal)),
            "found 3 points, expected 2 as in /dataflows/0"));
  // Of a dataflow of unknown size, the end is noticed.
  const std::string chosen = use("choose", "\"dataflows\": [" + numbers(2) + "]");
  CHECK(has(failure_of(use("zip", two(chosen, numbers(3)) + equal)), "ends before dataflow 1"));
  CHECK(has(failure_of(use("zip", two(chosen, numbers(3, 0, R"(, "stream": true)")) + equal)),
            "ends before dataflow 1"));
  CHECK(rounds_of(use("zip", two(chosen, numbers(2)) + equal))[0].size() == 2);
}

TEST_CASE("concat: names a dataflow without a size that others follow") {
  const std::string chosen = use("choose", "\"dataflows\": [" + numbers(2) + "]");
  CHECK(has(failure_of(use("concat", two(chosen, numbers(2)))), "since others follow it"));
  CHECK(rounds_of(use("concat", two(numbers(2), chosen)))[0].size() == 4);
}

TEST_CASE("repeat, repeat-point, concat: more points than an int64 can count are refused") {
  const std::string most = "9223372036854775807";
  for (const std::string name : {"repeat", "repeat-point"})
    CHECK(has(failure_of(around(name, numbers(2), "\"times\": " + most)),
              "expected less than 2^63 points in all"));
  const std::string rounds = around("fixed-size", numbers(2), "\"points\": " + most);
  CHECK(has(failure_of(use("concat", two(rounds, numbers(1)))), "found 2^63 points or more"));
}

TEST_CASE("choose, weighted-sample: weights whose sum is no number are refused") {
  const std::string weights = R"("weights": [1e308, 1e308])";
  CHECK(has(failure_of(use("choose", two(numbers(2), numbers(2)) + ", " + weights)),
            "divide them all"));
  CHECK(has(failure_of(around("weighted-sample", numbers(2), weights)), "divide them all"));
}

TEST_CASE(
    "class-balanced, weighted-sample: an endless dataflow is refused, and not read for ever") {
  const std::string endless = use("repeat", "\"dataflow\": " + numbers(2));
  CHECK(has(failure_of(around("class-balanced", endless, R"("component": 0)")), "is endless"));
  CHECK(has(failure_of(around("weighted-sample", endless, R"("weights": [1, 1], "points": 5)")),
            "is endless"));
}

TEST_CASE("mix: needs sizes or weights, and as many weights as dataflows") {
  const std::string chosen = use("choose", "\"dataflows\": [" + numbers(2) + "]");
  CHECK(has(failure_of(use("mix", two(chosen, numbers(2)))), "since there are no weights"));
  CHECK(has(failure_of(use("mix", two(numbers(2), numbers(2)) + R"(, "weights": [1])")),
            "found 1 weights, expected one for each of the 2 dataflows"));
  CHECK(has(failure_of(use("choose", two(numbers(2), numbers(2)) + R"(, "weights": [1, 1, 1])")),
            "found 3 weights"));
}

TEST_CASE("choose: prefers the heavier dataflow") {
  const Lines round = rounds_of(
      use("choose", two(numbers(100), numbers(100, 100)) + R"(, "weights": [9, 1], "seed": 1)"))[0];
  const std::vector<int> list = numbers_in(round);
  CHECK(std::count_if(list.begin(), list.end(), [](int n) { return n < 100; }) >
        int(list.size()) * 3 / 4);
}

TEST_CASE("fixed-size: refuses a dataflow without points") {
  for (const char* stream : {"", R"(, "stream": true)"})
    CHECK(has(failure_of(around("fixed-size", numbers(0, 0, stream), R"("points": 3)")),
              "yielded nothing in a whole round"));
  const std::string chosen = use("choose", "\"dataflows\": [" + numbers(2) + "]");
  CHECK(has(failure_of(around("fixed-size", chosen, R"("points": 3)")), "expected an endless one"));
}

TEST_CASE("weighted-sample: draws by weight, another way in each round, each draw with its key") {
  const std::string flow = around("weighted-sample", numbers(4, 0, R"(, "same": true)"),
                                  R"("weights": [0, 3, 0, 1], "points": 60, "seed": 1)");
  for (const char* way : {R"("by_index": true)", ""}) {
    const std::vector<Lines> rounds = rounds_of(flow, way);
    std::map<int, int> counts;
    for (const int number : numbers_in(rounds[0])) ++counts[number];
    CHECK(counts.size() == 2);
    CHECK(counts[1] > counts[3]);
    CHECK(counts[3] > 3);
    CHECK(rounds[0] != rounds[1]);
  }
  CHECK(rounds_of(around("weighted-sample", numbers(2), R"("weights": [0, 1], "seed": 1)"))[0]
            .size() == 2);
  const std::string weights =
      R"(, "weights_from": )" + numbers(3, 0, R"(, "stream": true, "same": true)");
  const Lines drawn =
      rounds_of(use("weighted-sample", "\"dataflow\": " + numbers(3, 0, R"(, "same": true)") +
                                           weights + R"(, "points": 50, "seed": 1)"))[0];
  const std::vector<int> list = numbers_in(drawn);
  CHECK(std::set<int>(list.begin(), list.end()) == std::set<int>{1, 2});
}

TEST_CASE("weighted-sample: refuses streams and weights that do not fit") {
  const auto failure = [](const std::string& flow, const std::string& weights) {
    return failure_of(around("weighted-sample", flow, weights));
  };
  CHECK(has(failure(numbers(2, 0, R"(, "stream": true)"), R"("weights": [1, 1])"),
            "found a stream, expected an indexed dataflow"));
  CHECK(has(failure(numbers(2), R"("weights": [1])"), "found 1 weights, expected 2"));
  CHECK(has(failure(numbers(2), R"("weights": [0, 0])"), "all weights are 0"));
  CHECK(has(failure(numbers(2), ""), "expected either weights or weights_from"));
}

TEST_CASE("class-balanced: all classes come equally often") {
  // The numbers 0 to 9; the lists have the lengths 1, 2, 3, 4, 1, …
  const std::string numbers_again = numbers(3, 0, R"(, "same": true)");
  const std::string uneven =
      use("concat", two(numbers_again, around("repeat-point", numbers(1, 7), R"("times": 27)")));
  std::map<int, int> counts;
  const std::string options = R"("component": 0, "points": 60, "seed": 3)";
  for (const Lines& round : rounds_of(around("class-balanced", uneven, options)))
    for (const int number : numbers_in(round)) ++counts[number];
  CHECK(counts.size() == 4);
  for (const auto& [number, count] : counts) CHECK((count > 25 && count < 65));
  CHECK(has(failure_of(around("class-balanced", uneven, R"("component": 1)")),
            "component 1: found shape [2], expected one number"));
  CHECK(has(
      failure_of(around("class-balanced", uneven, R"("component": 0, "labels": )" + numbers_again)),
      "found 3 weights, expected 30"));
}

TEST_CASE("select: by name and number, the same component twice, and names that are not there") {
  const std::string named = numbers(1, 5, R"(, "named": true)");
  CHECK(rounds_of(around("select", named,
                         R"("components": ["list", {"component": 0, "as": "a"}, "list"])"))[0] ==
        Lines{"list=float32[2] 5 5.25;a=int64[] 5;list=float32[2] 5 5.25;"});
  CHECK(has(failure_of(around("select", named, R"("components": ["x"])")),
            "found a point with the components 'number', 'list', expected a component 'x'"));
  CHECK(has(failure_of(around("select", named, R"("components": [2])")),
            "found a point of 2 components, expected component 2"));
}

TEST_CASE("print: describes as many points as it is told to") {
  Project project;
  examine(project, around("print", numbers(3, 6), R"("points": 2, "label": "six")"));
  // The examiner has two of them.
  CHECK(project.log_lines("six, round 0, index").size() == 4);
  CHECK(project.log_lines("1: float32 [3], from 6 to 6.5, mean 6.25").size() == 2);
}

TEST_CASE("padded-batch: shapes, multiples, values and lengths") {
  const auto batch = [](const std::string& options) {
    return around("padded-batch", numbers(2, 1, R"(, "named": true, "same": true)"),
                  "\"batch_size\": 2" + options);
  };
  CHECK(
      rounds_of(batch(R"(, "lengths": ["list"], "value": 9)"))[0] ==
      Lines{"number=int64[2] 1 2;list=float32[2,3] 1 1.25 9 2 2.25 2.5;list_length=int64[2] 2 3;"});
  CHECK(rounds_of(batch(R"(, "pads": [{"component": "list", "shape": [4], "value": -2}])"))[0] ==
        Lines{"number=int64[2] 1 2;list=float32[2,4] 1 1.25 -2 -2 2 2.25 2.5 -2;"});
  CHECK(rounds_of(batch(R"(, "pads": [{"component": 1, "multiple_of": [5]}])"))[0] ==
        Lines{"number=int64[2] 1 2;list=float32[2,5] 1 1.25 0 0 0 2 2.25 2.5 0 0;"});
  for (const std::string unit : {"4611686018427387904", "9223372036854775807"})
    CHECK(has(failure_of(batch(R"(, "pads": [{"component": 1, "multiple_of": [)" + unit + "]}]")),
              "more elements than memory can hold"));
  CHECK(has(failure_of(batch(R"(, "pads": [{"component": 1, "shape": [2]}])")),
            "component 1: found size 3 in dimension 0, expected at most 2"));
  CHECK(has(failure_of(batch(R"(, "pads": [{"component": 0, "shape": [2]}])")),
            "component 0: found 0 dimensions, expected 1"));
}

TEST_CASE("padded-batch, batch-by-shape: components of one batch have the same names") {
  const std::string first = numbers(1, 4, R"(, "named": true)");
  const std::string other =
      around("select", first, R"("components": [{"component": "number", "as": "n"}, "list"])");
  const std::string both = use("concat", two(first, other));
  for (const std::string name : {"padded-batch", "batch-by-shape"})
    CHECK(has(failure_of(around(name, both, R"("batch_size": 2)")),
              "component 0 of point 1 of a batch has another name"));
}

TEST_CASE("bucket-by-length: pads to boundaries, drops longer points, sizes of buckets") {
  const auto bucket = [](const std::string& options) {
    return around("bucket-by-length", numbers(4, 0, R"(, "same": true)"),
                  R"("component": 1, "boundaries": [2], )" + options);
  };
  CHECK(rounds_of(bucket(R"("batch_sizes": [2, 1], "pad_to_boundary": true)"))[0] ==
        Lines{"int64[2] 0 1;float32[2,2] 0 0 1 1.25;", "int64[1] 2;float32[1,3] 2 2.25 2.5;",
              "int64[1] 3;float32[1,4] 3 3.25 3.5 3.75;"});
  CHECK(rounds_of(bucket(R"("batch_sizes": [1], "drop_longer": true)"))[0].size() == 2);
  CHECK(has(failure_of(bucket(R"("batch_sizes": [1, 2, 3])")), "expected 1 or 2"));
  CHECK(has(failure_of(
                around("bucket-by-length", numbers(1), R"("boundaries": [2], "batch_sizes": [1])")),
            "found a scalar"));
}

TEST_CASE("bucket-by-length: a cursor has room for thousands of points that wait") {
  const auto bucket = [](const std::string& sizes) {
    return around("bucket-by-length", numbers(16000, 0, R"(, "same": true)"),
                  R"("component": 1, "boundaries": [3], "batch_sizes": )" + sizes);
  };
  const auto one_round = [](const std::string& flow) {
    return rounds_of(flow, R"("rounds": 1)")[0].size();
  };
  CHECK(one_round(bucket("[12300, 4000]")) == 1);
  CHECK(one_round(bucket("[12387, 3999]")) == 1);
  CHECK(one_round(bucket(R"([6000, 16386], "drop_longer": true)")) == 2);
  CHECK(has(failure_of(bucket("[12388, 3999]")), "more than 16384 points may wait"));
}

TEST_CASE("batch-by-shape, bucket-by-length: no batch is larger after a resume with smaller ones") {
  // 4 points of 4 lengths, in turn. Batches of 4 have yielded 0, 4, 8, 12, and 9 points wait.
  const std::string points = numbers(16, 0, R"(, "same": true)");
  const Lines cursor{"3:0:12:129:abbcbbcbb"};
  CHECK(opened_at(around("batch-by-shape", points, R"("batch_size": 4)"), cursor) ==
        Lines{"3 points"});
  CHECK(opened_at(around("batch-by-shape", points, R"("batch_size": 2)"), cursor) ==
        Lines{"6 points"});
  const std::string bucket = R"("component": 1, "boundaries": [1, 2, 3], "batch_sizes": [2])";
  CHECK(opened_at(around("bucket-by-length", points, bucket), cursor) == Lines{"6 points"});
}

TEST_CASE("pack-tokens: refuses what are no tokens") {
  CHECK(has(failure_of(around("pack-tokens", numbers(1), R"("component": 1, "length": 2)")),
            "component 1: found float32[1], expected a list of integers"));
}

TEST_CASE("cache: keeps what fits, and refuses a stream that does not fit") {
  const std::string stream = numbers(3, 0, R"(, "stream": true)");
  CHECK(has(failure_of(around("cache", stream, R"("max_bytes": 150)")),
            "point 2 does not fit into the cache"));
  const std::string little = around("cache", numbers(5), R"("max_bytes": 200)");
  for (const char* way : {R"("by_index": true)", ""}) {
    const std::vector<Lines> rounds = rounds_of(little, way);
    CHECK(rounds[0] == rounds_of(numbers(5))[0]);
    CHECK(rounds[1] == rounds[0]);
  }
}

TEST_CASE("cache: a file is used again, by its maker only, and not if it is something else") {
  Project project;
  const std::string file = project.folder() / "cache";
  for (const char* stream : {"", R"(, "stream": true)"}) {
    const auto cached = [&](int count, const std::string& name = "cache") {
      return around("cache", numbers(count, 0, stream),
                    "\"file\": \"" + (project.folder() / name) + "\"");
    };
    // One instance at a time can write the file.
    const auto run = [&](int count) {
      return examine(project, cached(count), "", cached(count, "b"));
    };
    std::filesystem::remove(file);
    std::filesystem::remove(project.folder() / "b");
    const Examined first = run(3);
    CHECK(first.failure == "");
    const auto size = std::filesystem::file_size(file);
    const Examined second = run(3);
    CHECK(second.failure == "");
    CHECK(second.rounds == first.rounds);
    CHECK(std::filesystem::file_size(file) == size);
    CHECK(has(run(4).failure, "this cache was made of another dataflow"));
  }
  std::ofstream(file) << "something that is no cache at all";
  CHECK(has(examine(project, around("cache", numbers(3), "\"file\": \"" + file + "\"")).failure,
            "this is not a cache of data points"));
}

TEST_CASE("cache: a file that lacks one of the points it has counted is refused") {
  Project project;
  const std::string file = project.folder() / "cache";
  const std::string stream = numbers(3, 0, R"(, "stream": true)");
  const auto run = [&] {
    const auto cached = [&](const std::string& name) {
      return around("cache", stream, "\"file\": \"" + (project.folder() / name) + "\"");
    };
    return examine(project, cached("cache"), "", cached("b"));
  };
  REQUIRE(run().failure == "");
  // Each record begins with its number and size, 24 bytes with the checksum; the first one is
  // behind 16 bytes. The second one gets another number.
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  uint64_t size = 0;
  const uint64_t number = 9;
  bytes.seekg(16 + 8).read(reinterpret_cast<char*>(&size), sizeof size);
  bytes.seekp(std::streamoff(16 + 24 + size));
  bytes.write(reinterpret_cast<const char*>(&number), sizeof number);
  bytes.close();
  CHECK(has(run().failure, "cache: there is no point 1, although the count"));
}

TEST_CASE("cache: a file for the part of one rank is refused, since another rank would use it") {
  Project project;
  const std::string part = around("shard", numbers(4), R"("rank": 0, "world": 2)");
  const std::string file = "\"file\": \"" + (project.folder() / "cache") + "\"";
  CHECK(has(examine(project, around("cache", part, file)).failure, "put 'shard' around 'cache'"));
  CHECK(rounds_of(around("cache", part))[0].size() == 2);
}

TEST_CASE("cache: a file for what is referred to is refused, since its options are not known") {
  Project project;
  std::string named = numbers(4, 0, R"(, "same": true)");
  named.insert(1, R"("name": "points", )");
  const auto failure = [&](const std::string& options) {
    const std::string again = R"({"x-why": "the same points", "ref": "points"})";
    return examine(project, named, "", around("cache", again, options)).failure;
  };
  CHECK(has(failure("\"file\": \"" + (project.folder() / "cache") + "\""),
            "a dataflow with a reference in it"));
  CHECK(!std::filesystem::exists(project.folder() / "cache"));
  CHECK_FALSE(has(failure(""), "reference"));
}

TEST_CASE("dataflows: a cursor that is not theirs is refused, with what a cursor looks like") {
  const std::string stream = numbers(5, 0, R"(, "stream": true)");
  const auto refused = [](const std::string& flow, const std::string& words, const Lines& cursors) {
    for (const std::string& line : opened_at(flow, cursors)) {
      INFO(line);
      CHECK(has(line, words));
      CHECK(has(line, "has the dataflow changed since the run was saved?"));
    }
  };
  const Lines garbage = {"x", "7", ":1:0", "x:1:0", "1x:1:0", "-1:1:0", "99999999999999999999:1:0"};
  refused(around("take", stream, R"("points": 3)"),
          "is not a cursor of take, expected COUNT:CURSOR", garbage);
  refused(around("repeat", stream), "is not a cursor of repeat, expected ROUND:CURSOR", garbage);
  refused(around("shuffle", stream),
          "is not a cursor of shuffle, expected ROUND:BLOCK:POSITION:CURSOR",
          {"x", "1:0:2", "x:0:0:1:0", "-1:0:0:1:0", "0:-1:0:1:0", "0:0:-2:1:0"});
  refused(mapped(stream, use("cast", R"("dtype": "int32")")),
          "is not a cursor of map, expected ROUND:MADE:CURSOR",
          {"x", "1:0", "-1:0:1:0", "0:-1:1:0"});
  refused(around("repeat-point", stream, R"("times": 2)"), "is not a cursor of repeat-point",
          {"x", "3:0:1", "1:x3:0:1", "1:23:0:1", "1:03:0:1x"});
  refused(around("fixed-size", stream, R"("points": 3)"), "is not a cursor of fixed-size",
          {"x", "1:1", "1:x3:0:1", "9:13:0:1"});
  refused(use("concat", two(stream, stream)), "is not a cursor of concat",
          {"x", "1:01:0", "1:x1:0"});
  refused(use("zip", two(stream, stream)), "is not a cursor of zip", {"x", "1:0", "9:0"});
  refused(use("choose", two(stream, stream)), "is not a cursor of choose",
          {"x", "1:01:0", "1:x1:01:0"});
  refused(around("cache", stream), "is not a cursor of cache, expected ROUND:NEXT",
          {"x", "1", "1:x"});
  refused(around("pack-tokens", stream, R"("component": 0, "length": 4)"),
          "is not a cursor of pack-tokens", {"x", "1:01:0", "1:x1:0"});
}
