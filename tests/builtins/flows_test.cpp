// flows_test.cpp: pipelines of dataflows, compared with a slow, plain model of them.
#include <cmath>
#include <random>
#include <set>

#include "flow_models.hpp"
#include "with_flows.hpp"

using namespace broch::test;

namespace {

constexpr size_t kRounds = 3;
constexpr size_t kLimit = 17;  // of the points of a round that are read

std::string walk(const Project& project, const std::string& flow, size_t limit = kLimit,
                 const std::string& cursor = "") {
  return R"(data={"use": "feed", "with": {"infinite": false, "dataflow": )" +
         around("test.walk", flow,
                ", " + project.trace_option() + R"(, "rounds": )" + std::to_string(kRounds) +
                    R"(, "limit": )" + std::to_string(limit) + R"(, "cursor": ")" + cursor + "\"") +
         "}}";
}

// What test.walk writes of a flow: "ROUND VALUES KEY CURSOR" for each point.
Lines walked(Project& project, const std::string& flow, size_t limit = kLimit,
             const std::string& cursor = "") {
  CHECK(project.train({kWithFlows, "dataflow=null", walk(project, flow, limit, cursor)}) ==
        Exit::ok);
  CHECK(project.failure == "");
  return project.trace("point ");
}

// "ROUND VALUES", the values as whole numbers.
std::string whole(const std::string& line) {
  std::istringstream words(line);
  std::string round, values, text;
  words >> round >> values;
  text = round + " ";
  std::istringstream list(values);
  for (std::string value; std::getline(list, value, ',');)
    text += std::to_string(int64_t(std::floor(std::stod(value)))) + ",";
  return text;
}

Lines expected(const Flow& flow) {
  Lines lines;
  for (size_t round = 0; round < kRounds; ++round) {
    flow.open();
    Numbers point;
    for (size_t i = 0; i < kLimit && flow.next(point); ++i) {
      lines.push_back(std::to_string(round) + " ");
      for (const int64_t value : point) lines.back() += std::to_string(value) + ",";
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("flows: size, order, every index and every resume are those of the model") {
  Project project;
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937 random(seed);
    const bool indexed = random() % 3 > 0;
    Flow flow = numbers(1 + random() % 12, indexed, random() % 4 > 0);
    for (size_t i = 0, n = 1 + random() % 4; i < n; ++i) flow = wrapped(flow, random);
    CAPTURE(seed);
    CAPTURE(flow.entry);
    Lines found;
    for (const std::string& line : walked(project, flow.entry)) {
      found.push_back(whole(line));
      CHECK_FALSE(line.ends_with(' '));  // it has a cursor
    }
    CHECK(found == expected(flow));
    CHECK(project.trace("size ") ==
          Lines{flow.size ? std::to_string(*flow.size) : std::string("unknown")});
  }
}

namespace {

std::string source(uint64_t size, const std::string& more = "") {
  return R"({"use": "test.numbers", "with": {"size": )" + std::to_string(size) + more + "}}";
}
const std::string kStream = R"(, "indexed": false)";

std::string mapped(const std::string& flow, const std::string& transforms,
                   const std::string& more = "") {
  return around("map", flow, ", \"transforms\": [" + transforms + "]" + more);
}

// Of lines "ROUND VALUES KEY CURSOR" all but the cursor.
Lines without_cursors(Lines lines) {
  for (std::string& line : lines) line.resize(line.rfind(' '));
  return lines;
}

// Of lines "ROUND VALUES KEY CURSOR" the whole numbers of one round.
Lines whole_of_round(const Lines& lines, const std::string& round) {
  Lines found;
  for (const std::string& line : lines)
    if (line.starts_with(round + " ")) found.push_back(whole(line).substr(round.size() + 1));
  return found;
}

// What a dataflow says on failing.
std::string failure_of(const std::string& flow) {
  Project project;
  CHECK(project.train({kWithFlows, "dataflow=null", walk(project, flow)}) != Exit::ok);
  return project.failure;
}

}  // namespace

TEST_CASE("map: the same points, keys and random numbers with any number of threads") {
  Project project;
  for (const char* transforms : {R"("test.noise")", R"("test.noise", "test.copies")"})
    for (const std::string& more : {std::string(), kStream, kStream + R"(, "keys": true)",
                                    std::string(R"(, "known_size": false)")}) {
      CAPTURE(transforms);
      CAPTURE(more);
      const auto points = [&](int threads) {
        const std::string flow = mapped(source(12, more + R"(, "delay": 300)"), transforms,
                                        R"(, "threads": )" + std::to_string(threads));
        return without_cursors(walked(project, around("batch", flow, R"(, "batch_size": 2)")));
      };
      const Lines expected = points(0);
      CHECK(expected.size() >= 15);
      for (const int threads : {1, 2, 8}) CHECK(points(threads) == expected);
    }
}

TEST_CASE("map: other random numbers in each round, also of a stream with the same keys") {
  Project project;
  for (const std::string& more :
       {std::string(), kStream, kStream + R"(, "keys": true)", kStream + R"(, "cursors": false)"}) {
    CAPTURE(more);
    std::set<std::string> values;
    for (const std::string& line : walked(project, mapped(source(5, more), R"("test.noise")")))
      values.insert(line.substr(2, line.find(' ', 2) - 2));
    CHECK(values.size() == 15);
  }
}

TEST_CASE("map: skips what is damaged; read by index, the next point takes its place") {
  Project project;
  const std::string skip = R"(, "on_error": "skip")";
  const std::string bad = R"(, "bad": [0, 3, 4])";
  const Lines replaced{"1,", "1,", "5,", "5,", "5,", "5,", "6,"};
  const std::string picky = R"("test.picky", "test.noise")";
  CHECK(whole_of_round(walked(project, mapped(source(7, bad), picky, skip)), "1") == replaced);
  CHECK(project.logged("skipped the point at index 3 of round 0"));
  CHECK(project.logged("number 3 is damaged"));
  CHECK(project.logged("skipped the point at index 2 of round 1"));
  CHECK(project.logged("the value 2 is damaged"));
  CHECK(whole_of_round(walked(project, mapped(source(7, bad), picky, skip + R"(, "threads": 3)")),
                       "1") == replaced);
  CHECK(
      whole_of_round(walked(project, mapped(source(8, R"(, "bad": [7])"), "", skip)), "0").back() ==
      "0,");
  for (const char* threads : {"0", "2"})
    CHECK(whole_of_round(walked(project, mapped(source(7, kStream), picky,
                                                skip + R"(, "threads": )" + std::string(threads))),
                         "2") == Lines{"0,", "1,", "3,", "4,", "5,", "6,"});

  CHECK(failure_of(mapped(source(7, bad), "", skip + R"(, "max_errors": 2)"))
            .find("than max_errors, which is 2") != std::string::npos);
  CHECK(failure_of(mapped(source(2, R"(, "bad": [0, 1])"), "", skip)).find("is damaged") !=
        std::string::npos);
  CHECK(failure_of(mapped(source(7, bad), "")).find("number 0 is damaged") != std::string::npos);
  CHECK(failure_of(mapped(source(7, kStream + R"(, "bad": [3])"), "", skip))
            .find("number 3 is damaged") != std::string::npos);
  CHECK(failure_of(mapped(around("shard", source(7), R"(, "rank": 0, "world": 2)"), "", skip))
            .find("put 'shard' around 'map'") != std::string::npos);
}

TEST_CASE("map: in a batch, what is skipped has no shape, and another shape is no damage") {
  Project project;
  const std::string skip = R"(, "on_error": "skip")", two = R"(, "batch_size": 2)";
  const std::string picked = mapped(source(7), R"("test.picky")", skip);
  CHECK(whole_of_round(walked(project, around("batch", picked, two)), "1") ==
        Lines{"0,1,", "3,3,", "4,5,"});
  const std::string uneven = R"({"use": "list", "with": {"points": [[[1]], [[2, 3]], [[4]]]}})";
  CHECK(failure_of(around("batch", mapped(uneven, "", skip), two)).find("row 1 of a batch") !=
        std::string::npos);
}

TEST_CASE("shuffle, repeat: refuse what is endless and read by index") {
  const std::string endless = around("repeat", source(3));
  CHECK(failure_of(around("shuffle", endless)).find("put 'repeat' around") != std::string::npos);
  CHECK(failure_of(around("repeat", endless)).find("remove 'repeat'") != std::string::npos);
  CHECK(failure_of(around("repeat", source(0))).find("yielded nothing") != std::string::npos);
}

TEST_CASE("shuffle, repeat, concat and others: refuse a dataflow with fewer points than it says") {
  const auto nine = [](const std::string& more) {
    return around("take", source(3, R"(, "known_size": false)" + more), R"(, "points": 9)");
  };
  const auto mixed = [](const std::string& flow) {
    return R"({"use": "mix", "with": {"dataflows": [)" + source(2) + ", " + flow + "]}}";
  };
  const std::string less = nine("");
  for (const std::string& flow :
       {around("shuffle", less), around("repeat", less),
        around("shard", less, R"(, "rank": 0, "world": 2)"),
        around("shard", less, R"(, "rank": 1, "world": 2)"),
        around("fixed-size", less, R"(, "points": 20)"),
        around("split", less, R"(, "parts": 2, "part": 1, "shuffle": false)"),
        around("weighted-sample", less, R"(, "seed": 1, "weights": [1, 1, 1, 1, 1, 1, 1, 1, 1])"),
        R"({"use": "concat", "with": {"dataflows": [)" + less + ", " + source(2) + "]}}",
        mixed(less), mixed(nine(kStream))}) {
    CAPTURE(flow);
    CHECK(failure_of(flow).find("expected 9 points") != std::string::npos);
  }
  Project project;
  CHECK(whole_of_round(walked(project, less), "1") == Lines{"0,", "1,", "2,"});
}

TEST_CASE("shuffle: a cursor from a smaller buffer ends the round of a child without cursors") {
  Project project;
  const std::string child = source(5, kStream + R"(, "cursors": false)");
  const Lines found = walked(project, around("shuffle", child, R"(, "seed": 5)"), kLimit, "0:1:0:");
  CHECK(whole_of_round(found, "0") == Lines{});
  for (const char* round : {"1", "2"}) {
    Lines points = whole_of_round(found, round);
    std::ranges::sort(points);
    CHECK(points == Lines{"0,", "1,", "2,", "3,", "4,"});
  }
}

TEST_CASE("shard: a run of 4 ranks continues with 2 and then with 3") {
  Project project;
  for (const std::string& flow :
       {around("shuffle", source(50), R"(, "seed": 5)"),
        around("shuffle", source(50, R"(, "known_size": true)"), R"(, "seed": 5)"),
        around("repeat", source(25), R"(, "times": 2)"), source(50, R"(, "known_size": false)")}) {
    CAPTURE(flow);
    const Lines order = whole_of_round(walked(project, flow, 60), "0");
    REQUIRE(order.size() == 50);
    Lines taken;
    std::string cursor;
    for (const auto& [world, steps] :
         std::vector<std::pair<size_t, size_t>>{{4, 5}, {2, 6}, {3, 99}}) {
      std::vector<Lines> parts;
      std::set<std::string> cursors;
      for (size_t rank = 0; rank < world; ++rank) {
        const std::string part = around(
            "shard", flow,
            R"(, "rank": )" + std::to_string(rank) + R"(, "world": )" + std::to_string(world));
        const Lines all = walked(project, part, kLimit, cursor);
        Lines values = whole_of_round(all, "0");
        values.resize(std::min(values.size(), steps));
        const std::string& last = all[values.size() - 1];
        cursors.insert(last.substr(last.rfind(' ') + 1));
        parts.push_back(values);
      }
      REQUIRE(cursors.size() == 1);
      cursor = *cursors.begin();
      for (size_t step = 0; step < parts[0].size(); ++step)
        for (const Lines& part : parts) taken.push_back(part.at(step));
    }
    CHECK(taken == order);  // 20, 12 and 18 points
  }
}

TEST_CASE("batch: continues where another batch size has stopped, and after other ranks") {
  Project project;
  const std::string one = around("shard", source(9), R"(, "rank": 0, "world": 1)");
  CHECK(whole_of_round(walked(project, around("batch", one, R"(, "batch_size": 2)"), kLimit, "0:3"),
                       "0") == Lines{"3,4,", "5,6,", "7,8,"});
  // 2 ranks with batches of 2 have taken 4 points; now there are 4.
  const std::string part = around("shard", source(20), R"(, "rank": 3, "world": 4)");
  CHECK(whole_of_round(
            walked(project, around("batch", part, R"(, "batch_size": 2)"), kLimit, "0:4"), "0") ==
        Lines{"7,11,", "15,19,"});
}

TEST_CASE("shard: what is left over at the end of a stream is in no point, of no shape") {
  Project project;
  const std::string part = R"(, "rank": 0, "world": 2)";
  CHECK(whole_of_round(walked(project, around("shard", source(5, kStream), part)), "1") ==
        Lines{"0,", "2,"});
  const std::string uneven = around("shard", rows("[[1], [2], [3], [4], [5, 6]]"), part);
  CHECK(whole_of_round(
            walked(project, around("batch", uneven, R"(, "batch_size": 3, "remainder": true)")),
            "1") == Lines{"1,3,"});
}

TEST_CASE("shuffle: a child without cursors may yield other points again, so there is none") {
  const std::string child = source(5, kStream + R"(, "cursors": false)");
  for (const char* buffer : {"2", "null"}) {
    Project read, trained;
    const std::string flow =
        around("shuffle", child, R"(, "seed": 5, "buffer": )" + std::string(buffer));
    const Lines found = walked(read, flow);
    CHECK(found.size() == 15);
    for (const std::string& line : found) CHECK(line.ends_with(' '));
    const std::string batches = around("batch", flow, R"(, "batch_size": 1)");
    CHECK(means(trained, "data=" + around("feed", batches), 2, 1, false, "", {kWithFlows}).size() ==
          2);
    CHECK(trained.logged("gives no cursors"));
  }
}

namespace {

std::string threads_of(int n) { return R"(, "threads": )" + std::to_string(n); }
std::string in_batches(const std::string& flow, int n) {
  return around("batch", flow, R"(, "batch_size": )" + std::to_string(n));
}

}  // namespace

TEST_CASE("queue: the same points and the same resume with any number of threads") {
  const std::string slow = R"(, "delay": 500)";
  const std::string flow = in_batches(
      mapped(around("shuffle", source(11, slow), R"(, "seed": 3)"), R"("test.noise")"), 2);
  for (const std::string& data :
       {flow, around("repeat", flow), around("take", flow, R"(, "points": 3)")}) {
    CAPTURE(data);
    const auto with = [&](int threads, int capacity, const std::string& more = "") {
      return "data=" +
             around("queue", data,
                    R"(, "capacity": )" + std::to_string(capacity) + threads_of(threads) + more);
    };
    Project plain;
    const Lines expected = means(plain, with(1, 50), 13, 1, false, "", {kWithFlows});
    CHECK(expected.size() == 13);
    for (const int threads : {2, 8})
      for (const int capacity : {1, 3, 50}) {
        CAPTURE(threads);
        CAPTURE(capacity);
        Project project;
        const std::string saver = R"(, "model-saver")";
        CHECK(means(project, with(threads, capacity), 6, 1, false, saver, {kWithFlows}) ==
              Lines(expected.begin(), expected.begin() + 6));
        const Lines rest = means(project, with(threads, capacity), 6, 2, true, saver, {kWithFlows});
        CHECK(Lines(rest.begin(), rest.begin() + 6) ==
              Lines(expected.begin() + 6, expected.begin() + 12));
      }
  }
}

TEST_CASE("queue: with threads, ends and failures keep their place") {
  const auto queue = [](const std::string& flow, const std::string& more) {
    return "data=" + around("queue", in_batches(flow, 1), threads_of(8) + more);
  };
  for (const bool known : {true, false}) {
    const std::string more = R"(, "delay": 300, "known_size": )" + text_of(known);
    Project project;
    CHECK(means(project, queue(source(5, more), R"(, "infinite": false)"), 9, 1, false, "",
                {kWithFlows}) == Lines{"0", "1", "2", "3", "4"});
    CHECK(means(project, queue(source(3, more), ""), 8, 1, false, "", {kWithFlows}) ==
          Lines{"0", "1", "2", "0", "1", "2", "0", "1"});
    CHECK(train(project, {kWithFlows, queue(source(0, more), "")}) == Exit::data);
    CHECK(project.failure.find("no data points") != std::string::npos);
    const std::string fetch = recorder("{" + project.trace_option() + R"(, "fetch": ["mean"]})");
    CHECK(train(project, {kWithFlows, queue(source(9, more + R"(, "bad": [4])"), ""),
                          "callbacks=[" + fetch + "]", "steps_per_epoch=9"}) == Exit::data);
    CHECK(project.trace("mean ") == Lines{"0", "1", "2", "3"});
    CHECK(project.failure.find("number 4 is damaged") != std::string::npos);
  }
}

TEST_CASE("queue, map: no point behind the end of a round, with any number of threads") {
  // A mix takes a dataflow of unknown size for endless, so that there are points behind its end.
  const std::string slow = R"(, "delay": 1000)";
  const std::string mix =
      R"({"use": "mix", "with": {"seed": 3, "weights": [1, 1], "dataflows": [)" +
      source(3, R"(, "known_size": false)" + slow) + ", " + source(50, slow) + "]}}";
  Project project;
  const auto taken = [&](int threads) {
    return means(project, "data=" + around("queue", in_batches(mix, 1), threads_of(threads)), 40, 1,
                 false, "", {kWithFlows});
  };
  CHECK(taken(8) == taken(1));
  const auto points = [&](int threads) {
    const std::string flow = mapped(mix, R"("test.noise")", threads_of(threads));
    return without_cursors(walked(project, in_batches(flow, 1)));
  };
  CHECK(points(8) == points(0));
}

TEST_CASE("queue, map, shard: a failure behind the end of a round is none of the round") {
  const std::string flow = source(5, R"(, "known_size": false, "bad": [6, 7, 8, 1003, 1007])");
  Project project;
  const std::string queue = "data=" + around("queue", in_batches(flow, 1), threads_of(8));
  CHECK(means(project, queue, 11, 1, false, "", {kWithFlows}) ==
        Lines{"0", "1", "2", "3", "4", "0", "1", "2", "3", "4", "0"});
  const Lines walked_by_map = walked(project, mapped(flow, "", threads_of(8)));
  CHECK(whole_of_round(walked_by_map, "1") == Lines{"0,", "1,", "2,", "3,", "4,"});
  // It asks for the point 1000 ahead, and then for the last of 4.
  const std::string part = around("shard", flow, R"(, "rank": 2, "world": 4)");
  CHECK(whole_of_round(walked(project, part), "1") == Lines{"2,"});
}

TEST_CASE("queue, map: threads that wait for ever do not hold up the end") {
  for (const std::string& flow :
       {in_batches(source(9, R"(, "wait_at": 2)"), 1),
        in_batches(mapped(source(9, R"(, "wait_at": 2)"), R"("test.noise")", threads_of(3)), 1),
        in_batches(mapped(source(9, kStream + R"(, "wait_at": 2)"), "", threads_of(3)), 1)}) {
    CAPTURE(flow);
    Project project;
    const std::string threads = flow.find("map") == std::string::npos ? threads_of(4) : "";
    CHECK(means(project, "data=" + around("queue", flow, threads), 2, 1, false, "", {kWithFlows})
              .size() == 2);
    CHECK(!project.logged("did not return from stop within"));
  }
}

TEST_CASE("queue: a dataflow that drops all points of an endless one does not hold up the end") {
  const std::string endless = around("repeat", rows("[[1, 2]]"));
  const std::string long_ones =
      R"({"use": "concat", "with": {"dataflows": [)" + rows("[[7]]") + ", " + endless + "]}}";
  const std::string short_ones =
      around("bucket-by-length", long_ones,
             R"(, "boundaries": [1], "batch_sizes": [1], "drop_longer": true)");
  const std::string flow = mapped(short_ones, R"({"use": "reshape", "with": {"shape": [-1]}})");
  Project project;
  CHECK(means(project, "data=" + around("queue", flow), 1, 1, false, "", {kWithFlows}) ==
        Lines{"7"});
  CHECK(!project.logged("did not return from stop within"));
}

TEST_CASE("queue: a stream cannot be read by several threads") {
  Project project;
  CHECK(train(project, {kWithFlows, "data=" + around("queue", in_batches(source(4, kStream), 1),
                                                     threads_of(2))}) != Exit::ok);
  CHECK(project.failure.find("is a stream, which only 1 thread can read") != std::string::npos);
  CHECK(project.failure.find("map") != std::string::npos);
}
