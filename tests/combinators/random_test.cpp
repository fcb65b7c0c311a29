// random_test.cpp: random pipelines against lists: points and their order, number and size; reading
// by index and as a stream, and from every cursor.
#include "model.hpp"

using namespace broch::test;

namespace {

class Pipelines {
 public:
  explicit Pipelines(uint32_t seed) : random_(seed) {}

  // A dataflow whose points have a number and a list as their first components.
  Flow any(int depth) {
    if (depth == 0) return leaf();
    switch (below(10)) {
      case 0:
        return first_two_flow(zip_flow(several(depth)));
      case 1:
        return concat(depth);
      case 2: {
        // Without a size, a dataflow is taken for endless.
        std::vector<Flow> flows = several(depth);
        if (!all_sized(flows)) return leaf();
        std::vector<double> weights;
        for (size_t i = 0; i < flows.size(); ++i) weights.push_back(1 + below(5));
        return mix_flow(flows, below(2) ? weights : std::vector<double>(), below(1000));
      }
      case 3: {
        std::vector<Flow> flows = several(depth);
        return all_sized(flows) ? choose_flow(flows, below(1000)) : leaf();
      }
      case 4:
        return repeat_point_flow(any(depth - 1), uint64_t(1 + below(3)));
      case 5:
        return print_flow(any(depth - 1));
      case 6:
        return cache_flow(any(depth - 1));
      default:
        return leaf();
    }
  }

  Flow pipeline() {
    const Flow inner = any(below(4));
    switch (below(10)) {
      case 0:
        return padded_batch_flow(inner, uint64_t(1 + below(4)), below(2));
      case 1:
        return batch_by_shape_flow(inner, size_t(1 + below(3)), size_t(1 + below(6)), below(2));
      case 2:
        return bucket_flow(inner, size_t(1 + below(3)), below(2));
      case 3:
        return select_flow(inner);
      case 4:
        // Read by index, one of unknown size would have to be endless.
        return inner.round(0).empty() || (inner.indexed && !inner.has_size)
                   ? inner
                   : fixed_size_flow(inner, uint64_t(1 + below(12)));
      case 5:
        return repeat_point_flow(bucket_flow(inner, 2, true), 2);
      case 7:
        return zip_flow({inner, any(1)});
      case 6:
        return batch_flow(inner, uint64_t(1 + below(3)));
      default:
        return inner;
    }
  }

 private:
  int below(int n) { return int(random_() % uint32_t(n)); }
  Flow leaf() {
    return numbers_flow(uint64_t(below(8)), 10 * below(4), below(3) == 0, below(4) == 0);
  }
  std::vector<Flow> several(int depth) {
    std::vector<Flow> flows;
    for (int n = 1 + below(3); n > 0; --n) flows.push_back(any(depth - 1));
    return flows;
  }
  Flow concat(int depth) {
    std::vector<Flow> flows = several(depth);
    for (size_t i = 0; i + 1 < flows.size(); ++i)
      if (!flows[i].has_size && all_indexed(flows)) return leaf();
    return concat_flow(flows);
  }

  std::mt19937 random_;
};

void check(const Flow& flow, bool by_index) {
  constexpr size_t kMost = 60;  // points of a round; as in examiner.cpp
  Project project;
  const Examined examined = examine(project, flow.entry, by_index ? R"("by_index": true)" : "");
  INFO(flow.entry);
  REQUIRE(examined.failure == "");
  CHECK(examined.kind == (flow.indexed ? "indexed" : "stream"));
  REQUIRE(examined.rounds.size() == 3);
  for (size_t round = 0; round < 3; ++round) {
    const Samples samples = flow.round(round);
    Lines expected;
    for (const Sample& sample : samples)
      if (expected.size() < kMost) expected.push_back(text_of(sample));
    CHECK(examined.rounds[round] == expected);
    if (flow.has_size) CHECK(examined.size == std::to_string(samples.size()));
  }
}

}  // namespace

TEST_CASE("combinators: random pipelines yield the points of the lists, from every cursor") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    const Flow flow = Pipelines(seed).pipeline();
    check(flow, false);
    if (flow.indexed) check(flow, true);
  }
}

TEST_CASE("pack-tokens: random documents") {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    // One batch is one document of up to 4 tokens.
    const Flow documents =
        bucket_flow(numbers_flow(5 + random() % 20, 0, seed % 2, false), 1 + random() % 4, true);
    check(tokens_flow(documents, 1 + random() % 7, seed % 3 != 0, seed % 5 != 0), false);
  }
}
