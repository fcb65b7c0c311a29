// flow_models.hpp: slow, plain models of dataflows, each with its manifest entry.
#pragma once
#include <algorithm>
#include <broch/cpp/draws.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "permutation.hpp"
#include "slope.hpp"

namespace broch::test {

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
inline void add_sequence(Flow& flow) {
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

inline std::string text_of(bool truth) { return truth ? "true" : "false"; }

inline Flow numbers(uint64_t size, bool indexed, bool known) {
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

inline Flow batch(const Flow& child, uint64_t n, bool remainder) {
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

inline Flow take(const Flow& child, uint64_t points) {
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

inline Flow repeat(const Flow& child, uint64_t times) {  // 0: endless
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
      const uint64_t first = round * (times ? times : uint64_t{1} << 32);
      return (!times || lap < times) && child.read(first + lap, index % *child.size, point);
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

inline Flow shuffle(const Flow& child, uint64_t seed, uint64_t buffer) {  // 0: the whole round
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
inline Flow map(const Flow& child, uint64_t threads, bool many) {
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

inline Flow shard(const Flow& child, uint64_t rank, uint64_t world) {
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
inline Flow wrapped(const Flow& child, std::mt19937& random) {
  const auto below = [&](uint64_t n) { return random() % n; };
  const bool has_size = !child.read || (child.size && !child.is_endless);
  for (;;) switch (below(7)) {
      case 0:
        if (!child.is_uneven) return batch(child, 1 + below(4), !child.is_endless && below(2));
        break;
      case 1: {  // others may depend on the size that it has then
        const uint64_t most = child.read && !child.size ? std::min<uint64_t>(child.least, 12) : 12;
        if (most > 0) return take(child, 1 + below(most));
        break;
      }
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

}  // namespace broch::test
