// rank_gather_test.cpp: buckets of gradients, of which some go over the line before the rest is
// there.
#include "plan/rank_gather.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "base/error.hpp"
#include "dist/process_group.hpp"
#include "runtime/variables.hpp"
#include "torch/fixture.hpp"

using namespace broch;
using namespace broch::runtime;
using plan::RankGather;

namespace {

// Two ranks of which the other one has twice what this one has, as float32.
class Line final : public dist::Group {
 public:
  Line() { ranks_.world = 2; }
  const dist::Ranks& ranks() const override { return ranks_; }
  std::string engine() const override { return "a line"; }
  void broadcast(std::span<std::byte>, uint32_t, int) override {}
  void all_gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all,
                  int) override {
    if (fails) throw base::Error(base::Exit::collective, "the line is cut");
    std::copy(mine.begin(), mine.end(), all[0].begin());
    std::vector<float> numbers(mine.size() / sizeof(float));
    std::memcpy(numbers.data(), mine.data(), mine.size());
    for (float& number : numbers) number *= 2;
    std::memcpy(all[1].data(), numbers.data(), mine.size());
    ++calls;
  }
  void send(std::span<const std::byte>, uint32_t, dist::Limit) override {}
  void receive(std::span<std::byte>, uint32_t, dist::Limit) override {}
  void barrier() override {}
  std::unique_ptr<dist::Group> first(uint32_t, uint32_t) override { return nullptr; }
  void interrupt(const base::Error&) override {}

  bool fails = false;
  std::atomic<int> calls = 0;

 private:
  dist::Ranks ranks_;
};

struct World {
  // group: none: the line.
  explicit World(const std::vector<int64_t>& sizes, Device device = {},
                 dist::Group* group = nullptr)
      : device(device) {
    for (const int64_t size : sizes) {
      broch_variable_spec spec{};
      spec.struct_size = sizeof spec;
      spec.dtype = BROCH_FLOAT32;
      spec.rank = 1;
      spec.shape = &size;
      spec.flags = BROCH_VARIABLE_TRAINABLE;
      spec.initializer = BROCH_INIT_CONSTANT;
      list.push_back(&variables.create("v" + std::to_string(list.size()), spec, device, "test"));
    }
    const RankGather::Ranks ranks{group ? group : &line,
                                  [this] {
                                    auto made = std::make_unique<Line>();
                                    apart = made.get();
                                    return made;
                                  },
                                  [this] { return uint8_t(flags); }};
    gather = std::make_unique<RankGather>(backend(), ranks, list);
  }
  // Gradients of one number each.
  std::vector<Tensor> gradients(float first) const {
    std::vector<Tensor> made;
    for (const Variable* one : list)
      made.push_back(
          backend().copy(floats(std::vector<float>(size_t(one->shape.elements()), first++),
                                {one->shape.elements()}),
                         device));
    return made;
  }
  // What came out, of each list the first and the last number of each gradient.
  void check(const std::vector<Tensor>& lists, float first, size_t ranks = 2) const {
    REQUIRE(lists.size() == ranks * list.size());
    for (size_t i = 0; i < lists.size(); ++i) {
      CAPTURE(i);
      const double expected = (double(first) + double(i % list.size())) * (i < list.size() ? 1 : 2);
      const std::vector<double> found = numbers(lists[i]);
      CHECK(found.front() == expected);
      CHECK(found.back() == expected);
      CHECK(found.size() == size_t(list[i % list.size()]->shape.elements()));
    }
  }
  Device device;
  VariableStore variables{backend(), 1};
  std::vector<Variable*> list;
  Line line;
  Line* apart = nullptr;
  std::atomic<uint8_t> flags = 0;
  std::unique_ptr<RankGather> gather;
};

// The first one is full with 1 MiB, the others with 25.
const std::vector<int64_t> kSizes{10, 26 << 18, 20, 300000};

constexpr Device kGpu{BROCH_DL_CUDA, 0};

bool skips_gpu() {
  if (backend().has_device(kGpu)) return false;
  MESSAGE("skipped: " << backend().why_not(kGpu));
  return true;
}

bool soon(const std::function<bool()>& there) {
  for (int i = 0; i < 5000 && !there(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return there();
}

}  // namespace

TEST_CASE("gather: small lists are one bucket, which waits for all of it") {
  World world({3, 4});
  CHECK(world.gather->parts().empty());
  for (const uint8_t flags : {0, 1, 2, 3}) {
    world.flags = flags;
    world.gather->begin();
    world.check(world.gather->gather(world.gradients(5)), 5);
    CHECK(world.gather->rank_flags() == (flags | 2 * flags));
  }
  CHECK(world.line.calls == 4);
}

TEST_CASE("gather: what is ready goes over the line while the rest is computed, in one order") {
  World world(kSizes);
  CHECK(world.gather->parts() == std::vector<uint32_t>{2, 1, 1, 0});
  RankGather& gather = *world.gather;
  const std::vector<Tensor> gradients = world.gradients(3);
  const auto place = [&](size_t i) { backend().assign(gather.buffers()[i], gradients[i]); };
  for (int step = 0; step < 3; ++step) {
    gather.begin();
    world.apart->calls = 0;
    for (const size_t i : {1, 2}) place(i);
    gather.ready(1);
    CHECK(world.apart->calls == 0);
    place(3);
    gather.ready(0);
    CHECK(soon([&] { return world.apart->calls == 2; }));
    world.check(gather.gather(gradients), 3);
    CHECK(world.apart->calls == 3);
    CHECK(gather.rank_flags() == 0);
  }
  CHECK(world.line.calls == 0);
}

TEST_CASE("gather: nothing goes over the line before a run that gathers, and none need be told") {
  World world(kSizes);
  RankGather& gather = *world.gather;
  gather.ready(0);
  CHECK(world.apart == nullptr);
  gather.begin();
  world.check(gather.gather(world.gradients(2)), 2);
  world.apart->calls = 0;
  gather.ready(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(world.apart->calls == 0);
  gather.begin();
  world.flags = 2;
  world.check(gather.gather(world.gradients(7)), 7);
  CHECK(gather.rank_flags() == (2 | 2 * 2));
}

TEST_CASE("gather: a line that is cut ends the call that waits for it") {
  World world(kSizes);
  world.gather->begin();
  world.apart->fails = true;
  world.gather->ready(0);
  CHECK_THROWS_WITH_AS(world.gather->gather(world.gradients(1)), "the line is cut", base::Error);
}

TEST_CASE("gather: what is on a GPU goes by way of the host where the line does not reach it") {
  if (skips_gpu()) return;
  World world({3, 4}, kGpu);
  world.gather->begin();
  const std::vector<Tensor>& lists = world.gather->gather(world.gradients(5));
  world.check(lists, 5);
  CHECK(backend().info(lists[0]).device == kGpu);
}

TEST_CASE("gather: over NCCL, from GPU to GPU") {
  if (skips_gpu()) return;
  dist::Ranks alone;
  alone.address = "127.0.0.1";
  const auto meeting = dist::join(alone, std::chrono::seconds(20), "nccl");
  CHECK(meeting->everyone().reaches(0));
  World world({3, 4}, kGpu, &meeting->everyone());
  for (const float first : {5.0F, 50.0F}) {
    world.gather->begin();
    world.check(world.gather->gather(world.gradients(first)), first, 1);
  }
  meeting->leave();
}
