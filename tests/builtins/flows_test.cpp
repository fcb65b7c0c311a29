// flows_test.cpp: pipelines of dataflows, compared with a slow, plain model of them.
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "permutation.hpp"
#include "slope.hpp"

using namespace broch::test;

namespace {

using Numbers = std::vector<int64_t>;

// A dataflow as a manifest entry and as a model. If `read` is there, it is read by index.
struct Flow {
  std::string entry;
  std::function<bool(uint64_t round, uint64_t index, Numbers& point)> read;
  std::function<void()> open;
  std::function<bool(Numbers& point)> next;
  std::optional<uint64_t> size;
  uint64_t least = 0;  // a round has at least so many points
  bool is_endless = false;
  bool is_uneven = false;  // its points may differ in length
  bool locates = false;    // its cursors are understood by locate only
};

// Reads what is read by index, one after the other.
void add_sequence(Flow& flow) {
  struct State {
    uint64_t rounds = 0, index = 0;
  };
  const auto state = std::make_shared<State>();
  flow.open = [state] { *state = {state->rounds + 1, 0}; };
  flow.next = [state, read = flow.read](Numbers& point) {
    if (!read(state->rounds - 1, state->index, point)) return false;
    ++state->index;
    return true;
  };
}

std::string text_of(bool truth) { return truth ? "true" : "false"; }

Flow numbers(uint64_t size, bool indexed, bool known) {
  Flow flow;
  flow.entry = R"({"use": "test.numbers", "with": {"size": )" + std::to_string(size) +
               R"(, "indexed": )" + text_of(indexed) + R"(, "known_size": )" + text_of(known) +
               "}}";
  if (known) flow.size = size;
  flow.least = size;
  flow.read = [size](uint64_t, uint64_t index, Numbers& point) {
    point = {int64_t(index)};
    return index < size;
  };
  add_sequence(flow);
  if (!indexed) flow.read = nullptr;
  return flow;
}

Flow batch(const Flow& child, uint64_t n, bool remainder) {
  Flow flow = child;
  flow.entry =
      around("batch", child.entry,
             R"(, "batch_size": )" + std::to_string(n) + R"(, "remainder": )" + text_of(remainder));
  const auto rows = [n](uint64_t points) { return points / n; };
  const uint64_t more = remainder ? n - 1 : 0;
  flow.least = rows(child.least + more);
  if (child.size) flow.size = rows(*child.size + more);
  flow.is_uneven = remainder && n > 1;
  const auto fill = [n, remainder](Numbers& point,
                                   const std::function<bool(uint64_t, Numbers&)>& take) {
    point.clear();
    uint64_t count = 0;
    for (Numbers part; count < n && take(count, part); ++count)
      point.insert(point.end(), part.begin(), part.end());
    return count == n || (remainder && count > 0);
  };
  if (child.read)
    flow.read = [=](uint64_t round, uint64_t index, Numbers& point) {
      return fill(
          point, [&](uint64_t k, Numbers& part) { return child.read(round, index * n + k, part); });
    };
  flow.next = [=](Numbers& point) {
    return fill(point, [&](uint64_t, Numbers& part) { return child.next(part); });
  };
  if (flow.read) add_sequence(flow);
  return flow;
}

Flow take(const Flow& child, uint64_t points) {
  Flow flow = child;
  flow.entry = around("take", child.entry, R"(, "points": )" + std::to_string(points));
  flow.size = std::min(child.size.value_or(points), points);
  flow.least = std::min(child.least, points);
  flow.is_endless = flow.locates = false;
  flow.read = nullptr;
  if (child.read && !child.locates) {
    flow.read = [=](uint64_t round, uint64_t index, Numbers& point) {
      return index < points && child.read(round, index, point);
    };
    add_sequence(flow);
    return flow;
  }
  const auto taken = std::make_shared<uint64_t>();
  flow.open = [=] {
    child.open();
    *taken = 0;
  };
  flow.next = [=](Numbers& point) {
    if (*taken >= points || !child.next(point)) return false;
    ++*taken;
    return true;
  };
  return flow;
}

Flow repeat(const Flow& child, uint64_t times) {  // 0: endless
  Flow flow = child;
  flow.entry =
      around("repeat", child.entry, R"(, "times": )" + (times ? std::to_string(times) : "null"));
  flow.is_endless = times == 0;
  flow.least = times ? child.least * times : 1'000'000;
  flow.size.reset();
  if (times && child.size) flow.size = *child.size * times;
  flow.locates = false;
  flow.read = nullptr;
  if (child.read && !child.locates) {
    flow.read = [=](uint64_t round, uint64_t index, Numbers& point) {
      const uint64_t lap = index / *child.size;
      return (!times || lap < times) && child.read(round * times + lap, index % *child.size, point);
    };
    add_sequence(flow);
    return flow;
  }
  const auto laps = std::make_shared<uint64_t>();
  flow.open = [=] {
    child.open();
    *laps = 0;
  };
  flow.next = [=](Numbers& point) {
    while (!child.next(point)) {
      if (++*laps == times) return false;
      child.open();
    }
    return true;
  };
  return flow;
}

Flow shuffle(const Flow& child, uint64_t seed, uint64_t buffer) {  // 0: the whole round
  Flow flow = child;
  flow.entry = around("shuffle", child.entry,
                      R"(, "seed": )" + std::to_string(seed) + R"(, "buffer": )" +
                          (buffer ? std::to_string(buffer) : "null"));
  flow.locates = false;
  if (child.read) {
    flow.read = [=](uint64_t round, uint64_t index, Numbers& point) {
      if (index >= *child.size) return false;
      const dataflows::Permutation order(*child.size, broch::mixed(seed, round));
      return child.read(round, order(index), point);
    };
    add_sequence(flow);
    return flow;
  }
  struct State {
    uint64_t rounds = 0, blocks = 0;
    std::vector<Numbers> block;  // the rest of it, the next point last
    bool ended = false;
  };
  const auto state = std::make_shared<State>();
  flow.open = [=] {
    child.open();
    *state = {state->rounds + 1, 0, {}, false};
  };
  flow.next = [=](Numbers& point) {
    if (state->block.empty() && !state->ended) {
      Numbers one;
      while (!buffer || state->block.size() < buffer) {
        state->ended = !child.next(one);
        if (state->ended) break;
        state->block.push_back(one);
      }
      const uint64_t key = broch::mixed(seed, state->rounds - 1);
      broch::Draws draws(broch::mixed(key, state->blocks++));
      for (size_t i = state->block.size(); i > 1; --i)
        std::swap(state->block[i - 1], state->block[draws.below(i)]);
      std::reverse(state->block.begin(), state->block.end());
    }
    if (state->block.empty()) return false;
    point = state->block.back();
    state->block.pop_back();
    return true;
  };
  return flow;
}

// Noise changes only what is behind the decimal point. many: each point x comes x mod 3 times.
Flow map(const Flow& child, uint64_t threads, bool many) {
  Flow flow = child;
  flow.entry = around("map", child.entry,
                      std::string(R"(, "transforms": ["test.noise")") +
                          (many ? R"(, "test.copies", "test.noise")" : "") + R"(], "threads": )" +
                          std::to_string(threads));
  if (threads || many) {
    flow.read = nullptr;
    flow.locates = false;
  }
  if (!many) return flow;
  flow.size.reset();
  flow.least = 0;
  const auto copies = std::make_shared<std::vector<Numbers>>();
  flow.open = [=] {
    child.open();
    copies->clear();
  };
  flow.next = [=](Numbers& point) {
    while (copies->empty()) {
      if (!child.next(point)) return false;
      copies->assign(size_t(point[0] % 3), point);
    }
    point = copies->back();
    copies->pop_back();
    return true;
  };
  return flow;
}

Flow shard(const Flow& child, uint64_t rank, uint64_t world) {
  Flow flow = child;
  flow.entry =
      around("shard", child.entry,
             R"(, "rank": )" + std::to_string(rank) + R"(, "world": )" + std::to_string(world));
  flow.least = child.least / world;
  if (child.size) flow.size = *child.size / world;
  flow.locates = child.read && !child.locates;
  flow.next = [=](Numbers& point) {
    for (uint64_t i = 0; i < world; ++i) {
      Numbers one;
      if (!child.next(one)) return false;
      if (i == rank) point = one;
    }
    return true;
  };
  flow.read = nullptr;
  if (flow.locates) {
    flow.read = [=](uint64_t round, uint64_t index, Numbers& point) {
      Numbers last;
      return child.read(round, index * world + world - 1, last) &&
             child.read(round, index * world + rank, point);
    };
    add_sequence(flow);
  }
  return flow;
}

// One more dataflow around the given one.
Flow wrapped(const Flow& child, std::mt19937& random) {
  const auto below = [&](uint64_t n) { return random() % n; };
  const bool has_size = !child.read || (child.size && !child.is_endless);
  for (;;) switch (below(7)) {
      case 0:
        if (!child.is_uneven) return batch(child, 1 + below(4), !child.is_endless && below(2));
        break;
      case 1:
        return take(child, 1 + below(12));
      case 2:
        if (child.least > 0 && has_size && !child.is_endless) return repeat(child, below(3));
        break;
      case 3:
        if (has_size && (!child.is_endless || !child.read))
          return shuffle(child, below(100), child.is_endless ? 1 + below(5) : below(5));
        break;
      case 4:
        return map(child, below(3), false);
      case 5:  // of an endless one, all points may be dropped
        if (!child.is_endless) return map(child, below(3), true);
        break;
      default: {
        const uint64_t world = 1 + below(3);
        return shard(child, below(world), world);
      }
    }
}

const std::string kWithFlows =
    "plugins=" + kPlugins.substr(0, kPlugins.size() - 1) + ", \"" FLOWS "\"]";

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

TEST_CASE("permutation: every number once; few numbers in all orders, equally often") {
  for (uint64_t n = 1; n < 2000; n += n < 200 ? 1 : 61) {
    std::set<uint64_t> seen;
    const dataflows::Permutation order(n, n);
    for (uint64_t i = 0; i < n; ++i) seen.insert(order(i));
    CHECK(seen.size() == n);
    CHECK(*seen.rbegin() == n - 1);
  }
  // Chi-square tests, with a limit that fair orders exceed once in a million: df + 5 sqrt(2 df).
  const auto limit = [](double df) { return df + 5 * std::sqrt(2 * df); };
  std::map<std::vector<uint64_t>, int> orders;
  for (uint64_t key = 0; key < 24'000; ++key) {
    const dataflows::Permutation order(4, key);
    ++orders[{order(0), order(1), order(2), order(3)}];
  }
  double sum = 0;
  for (const auto& [order, times] : orders) sum += (times - 1000.0) * (times - 1000.0) / 1000;
  CHECK(orders.size() == 24);
  CHECK(sum < limit(23));
  // Which numbers stand at two neighboring places.
  for (const uint64_t n : {64, 65, 71, 100}) {
    CAPTURE(n);
    std::vector<int> pairs(n * n);
    const uint64_t keys = n * n * 20;
    for (uint64_t key = 0; key < keys; ++key) {
      const dataflows::Permutation order(n, key);
      const uint64_t i = key % (n - 1);
      ++pairs[order(i) * n + order(i + 1)];
    }
    const double fair = double(keys) / double(n * (n - 1));
    double chi = 0;
    for (uint64_t i = 0; i < n * n; ++i)
      if (i / n != i % n) chi += (pairs[i] - fair) * (pairs[i] - fair) / fair;
    CHECK(chi < limit(double(n * (n - 1) - 1)));
  }
}

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

TEST_CASE("shuffle, repeat: refuse what is endless and read by index") {
  const std::string endless = around("repeat", source(3));
  CHECK(failure_of(around("shuffle", endless)).find("put 'repeat' around") != std::string::npos);
  CHECK(failure_of(around("repeat", endless)).find("remove 'repeat'") != std::string::npos);
  CHECK(failure_of(around("repeat", source(0))).find("yielded nothing") != std::string::npos);
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

TEST_CASE("queue, map: threads that wait for ever do not hold up the end") {
  for (const std::string& flow :
       {in_batches(source(9, R"(, "wait_at": 2)"), 1),
        in_batches(mapped(source(9, R"(, "wait_at": 2)"), R"("test.noise")", threads_of(3)), 1),
        in_batches(mapped(source(9, kStream + R"(, "wait_at": 2)"), "", threads_of(3)), 1)}) {
    CAPTURE(flow);
    Project project;
    const auto start = std::chrono::steady_clock::now();
    const std::string threads = flow.find("map") == std::string::npos ? threads_of(4) : "";
    CHECK(means(project, "data=" + around("queue", flow, threads), 2, 1, false, "", {kWithFlows})
              .size() == 2);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(3));
  }
}

TEST_CASE("queue: a stream cannot be read by several threads") {
  Project project;
  CHECK(train(project, {kWithFlows, "data=" + around("queue", in_batches(source(4, kStream), 1),
                                                     threads_of(2))}) != Exit::ok);
  CHECK(project.failure.find("is a stream, which only 1 thread can read") != std::string::npos);
  CHECK(project.failure.find("map") != std::string::npos);
}
