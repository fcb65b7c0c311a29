// dataflow_test.cpp: batch, shuffle, split, repeat, take, fake.
#include <algorithm>
#include <set>

#include "slope.hpp"

using namespace broch::test;

namespace {

const std::string kScalars = R"(, "scalars": true)";

}  // namespace

TEST_CASE("batch: drops or keeps a last, smaller batch and refuses mixed shapes") {
  Project project;
  const std::string five = rows("[[1], [2], [3], [4], [9]]", kScalars);
  const auto finite = [](const std::string& flow) {
    return "data=" + around("feed", flow, R"(, "infinite": false)");
  };
  CHECK(means(project, finite(around("batch", five, R"(, "batch_size": 2)")), 9) ==
        Lines{"1.5", "3.5"});
  CHECK(means(project, finite(around("batch", five, R"(, "batch_size": 2, "remainder": true)")),
              9) == Lines{"1.5", "3.5", "9"});
  CHECK(train(project, {"dataflow=" + around("batch", rows("[[1], [2, 3]]"),
                                             R"(, "batch_size": 2)")}) == Exit::data);
  CHECK(project.failure.find("points of one batch must agree") != std::string::npos);
}

TEST_CASE("shuffle: a permutation, another one each round, the same for the same seed") {
  const std::string list = "[[1], [2], [3], [4], [5], [6], [7], [8]]";
  const auto order = [&](const std::string& seed) {
    Project project;
    return means(project, "dataflow=" + around("shuffle", rows(list), ", \"seed\": " + seed), 8, 2);
  };
  const Lines first = order("7");
  REQUIRE(first.size() == 16);
  Lines round1(first.begin(), first.begin() + 8), round2(first.begin() + 8, first.end());
  CHECK(round1 != round2);
  CHECK(order("7") == first);
  CHECK(order("8") != first);
  std::sort(round1.begin(), round1.end());
  std::sort(round2.begin(), round2.end());
  CHECK(round1 == Lines{"1", "2", "3", "4", "5", "6", "7", "8"});
  CHECK(round2 == round1);

  Project project;
  const std::string flow = "dataflow=" + around("shuffle", rows(list), ", \"seed\": 7");
  const std::string saver = R"(, "model-saver")";
  CHECK(means(project, flow, 5, 1, false, saver) == Lines(first.begin(), first.begin() + 5));
  CHECK(means(project, flow, 5, 3, true, saver) == Lines(first.begin() + 5, first.begin() + 15));
}

TEST_CASE("split: a run that is resumed in the middle of a round, on a part alone") {
  const std::string list = R"({"use": "list", "with": {"points": [
      [[1]], [[2]], [[3]], [[4]], [[5]], [[6]], [[7]], [[8]]]}})";
  const auto flow = [&](const std::string& part) {
    const std::string split = around("split", list, R"(, "parts": [0.75, 0.25], "part": )" + part);
    return "dataflow=" + around("shuffle", split, R"(, "seed": 7)");
  };
  const std::string saver = R"(, "model-saver")";
  Project whole, cut, other;
  const Lines all = means(whole, flow("0"), 4, 3);
  REQUIRE(all.size() == 12);
  CHECK(means(cut, flow("0"), 4, 1, false, saver) == Lines(all.begin(), all.begin() + 4));
  CHECK(means(cut, flow("0"), 4, 3, true, saver) == Lines(all.begin() + 4, all.end()));

  const Lines rest = means(other, flow("1"), 2);
  for (const auto& round :
       {Lines(all.begin(), all.begin() + 6), Lines(all.begin() + 6, all.end())}) {
    std::set<std::string> points(round.begin(), round.end());
    points.insert(rest.begin(), rest.end());
    CHECK(points.size() == 8);
  }
}

TEST_CASE("repeat: so many rounds, and the size of all of them") {
  Project project;
  const std::string twice = around("repeat", rows("[[1], [2]]"), R"(, "times": 2)");
  CHECK(means(project, "data=" + around("feed", twice, R"(, "infinite": false)"), 9) ==
        Lines{"1", "2", "1", "2"});
  CHECK(train(project, {"dataflow=" + twice, "steps_per_epoch=null"}) == Exit::ok);
  CHECK(project.logged("Epoch 1 (global_step 4) finished"));
  CHECK(train(project, {"dataflow=" + around("repeat", rows("[[1]]")), "steps_per_epoch=null"}) ==
        Exit::manifest);
}

TEST_CASE("repeat: a round after an endless one has other rounds of the dataflow in it") {
  // Points of list are read by index.
  const std::string list = R"({"use": "list", "with": {"points":
      [[[1]], [[2]], [[3]], [[4]], [[5]], [[6]], [[7]], [[8]]]}})";
  const std::string endless = around("repeat", around("shuffle", list, R"(, "seed": 7)"));
  Project project;
  const Lines found =
      means(project, "dataflow=" + around("take", endless, R"(, "points": 16)"), 16, 2);
  REQUIRE(found.size() == 32);
  CHECK(Lines(found.begin(), found.begin() + 8) == Lines{"5", "2", "8", "7", "1", "4", "6", "3"});
  std::set<Lines> orders;
  for (auto from = found.begin(); from != found.end(); from += 8) {
    Lines round(from, from + 8);
    orders.insert(round);
    std::sort(round.begin(), round.end());
    CHECK(round == Lines{"1", "2", "3", "4", "5", "6", "7", "8"});
  }
  CHECK(orders.size() == 4);
}

TEST_CASE("take: the first points each time around, their number, and its place on resume") {
  Project project;
  const std::string flow = around("take", rows("[[1], [2], [3], [4]]"), R"(, "points": 2)");
  CHECK(means(project, "dataflow=" + flow, 5) == Lines{"1", "2", "1", "2", "1"});
  CHECK(train(project, {"dataflow=" + flow, "steps_per_epoch=null"}) == Exit::ok);
  CHECK(project.logged("Epoch 1 (global_step 2) finished"));
  const std::string more = around("take", rows("[[1], [2], [3]]"), R"(, "points": 9)");
  CHECK(means(project, "data=" + around("feed", more, R"(, "infinite": false)"), 9) ==
        Lines{"1", "2", "3"});

  Project resumed;
  const std::string saver = R"(, "model-saver")";
  CHECK(means(resumed, "dataflow=" + flow, 3, 1, false, saver) == Lines{"1", "2", "1"});
  CHECK(means(resumed, "dataflow=" + flow, 3, 2, true, saver) == Lines{"2", "1", "2"});
}

namespace {

std::string fake(const std::string& component, const std::string& more) {
  return R"(dataflow={"use": "fake", "with": {"components": [{"shape": [1], )" + component + "}]" +
         more + "}}";
}

}  // namespace

TEST_CASE("fake: repeats itself, and covers the whole of a range with negative numbers") {
  const std::string flow = fake(R"("low": -2, "high": 2)", R"(, "size": 40, "seed": 3)");
  Project a, b;
  const Lines values = means(a, flow, 40);
  CHECK(means(b, flow, 40) == values);
  double low = 0, high = 0;
  for (const std::string& value : values) {
    low = std::min(low, std::stod(value));
    high = std::max(high, std::stod(value));
  }
  CHECK((-2 <= low && low < -1 && 1 < high && high < 2));
  CHECK(means(a, fake(R"("low": 3, "high": 4)", R"(, "random": false)"), 2) == Lines{"3", "3"});
}

TEST_CASE("fake: whole numbers include low and exclude high") {
  Project project;
  const Lines values =
      means(project, fake(R"("dtype": "int64", "low": -2, "high": 2)", R"(, "size": 60)"), 60, 1,
            false, "", {R"(model={"use": "test.slope", "with": {"integers": true}})"});
  CHECK(std::set<std::string>(values.begin(), values.end()) ==
        std::set<std::string>{"-2", "-1", "0", "1"});
}

TEST_CASE("fake: no number is rounded up to high") {
  Project project;
  // 1 + 2^-23, the float32 after 1: half of the draws are nearer to it than to 1.
  CHECK(means(project, fake(R"("low": 1, "high": 1.00000011920928955)", R"(, "size": 40)"), 40) ==
        Lines(40, "1"));
}

TEST_CASE("fake: more numbers than there can be are refused before they wrap around") {
  for (const char* shape : {"[4294967296, 4294967296, 4294967297]", "[2305843009213693953]"}) {
    Project project;
    CHECK(train(project, {R"(dataflow={"use": "fake", "with": {"components": [{"shape": )" +
                          std::string(shape) + R"(, "dtype": "int64"}], "size": 2}})"}) !=
          Exit::ok);
    CHECK(project.failure.find("more than 2^30 elements") != std::string::npos);
  }
}

namespace {

// Where each of three rounds started. Each was read again from there, with equal points.
Lines starts(const std::string& flow) {
  Project project;
  const std::string again = R"(, "again": )" + flow + R"(, "rounds": 3, )" + project.trace_option();
  CHECK(means(project,
              "data=" + around("feed", around("test.started-again", flow, again),
                               R"(, "infinite": false)"),
              9) == Lines{"1", "2", "3"});
  return project.trace("start ");
}

}  // namespace

TEST_CASE("dataflow: every round can be read again from its start") {
  const std::string list = rows("[[1], [2], [3], [4], [5], [6], [7], [8]]");
  const std::string shuffled = around("shuffle", list, R"(, "seed": 7)");
  const std::string some_batches = around("batch", shuffled, R"(, "batch_size": 3)");
  const Lines rounds{"0:0", "1:0", "2:0"};  // of what is read by index
  CHECK(starts(list) == Lines{"-1", "-1", "-1"});
  CHECK(starts(R"({"use": "fake", "with": {"components": [{"shape": [2]}], "size": 4}})") ==
        rounds);
  const Lines shuffles{"0:0:-1:-1", "1:0:-1:-1", "2:0:-1:-1"};
  CHECK(starts(shuffled) == shuffles);
  CHECK(starts(some_batches) == shuffles);
  CHECK(starts(around("shard", shuffled, R"(, "rank": 1, "world": 3)")) == shuffles);
  CHECK(starts(around("take", some_batches, R"(, "points": 1)")) ==
        Lines{"0:0:0:-1:-1", "0:1:0:-1:-1", "0:2:0:-1:-1"});
  CHECK(starts(around("repeat", shuffled, R"(, "times": 2)")) ==
        Lines{"0:0:0:-1:-1", "0:2:0:-1:-1", "0:4:0:-1:-1"});
  CHECK(starts(around("take", around("repeat", shuffled), R"(, "points": 11)")) ==
        Lines{"0:0:0:0:-1:-1", "0:0:2:0:-1:-1", "0:0:4:0:-1:-1"});
  const Folder folder;
  std::ofstream(folder / "rows.csv") << "1\n2\n3\n4\n5\n6\n";
  const std::string odd = R"({"use": "arrays", "with": {"components": [{"file": ")" +
                          folder / "rows.csv" + R"("}], "select": [{"every": 2, "offset": 1}]}})";
  CHECK(starts(odd) == rounds);
  CHECK(starts(around("shuffle", odd, R"(, "seed": 1)")) == rounds);
  CHECK(starts(around("shuffle", around("batch", list, R"(, "batch_size": 2)"),
                      R"(, "seed": 3)")) == shuffles);
}
