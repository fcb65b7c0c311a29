// rank_cursors_test.cpp: when ranks exchange their cursors, and what is saved.
#include "train/rank_cursors.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "rig.hpp"

using namespace broch;
using plan::Cursors;

namespace {

// Two ranks, of which the other one tells what this one does, or a text whose last byte is higher.
class Line final : public dist::Group {
 public:
  Line() { ranks_.world = 2; }
  const dist::Ranks& ranks() const override { return ranks_; }
  std::string engine() const override { return "a line"; }
  void broadcast(std::span<std::byte>, uint32_t, int) override {}
  void all_gather(std::span<const std::byte> mine, std::span<const std::span<std::byte>> all,
                  int) override {
    ++messages;
    for (const auto& place : all) std::ranges::copy(mine, place.begin());
    const size_t last = 7 + size_t(mine[0]);  // a size of 8 bytes comes first
    if (differs) all[1][last] = std::byte(int(all[1][last]) + 1);
  }
  void send(std::span<const std::byte>, uint32_t, dist::Limit) override {}
  void receive(std::span<std::byte>, uint32_t, dist::Limit) override {}
  void barrier() override {}
  std::unique_ptr<dist::Group> first(uint32_t, uint32_t) override { return nullptr; }
  void interrupt(const base::Error&) override {}

  bool differs = false;
  int messages = 0;

 private:
  dist::Ranks ranks_;
};

struct Flow : test::Component {
  bool indexed = true;
  broch_dataflow table{};
  const void* interface(const char* id) override {
    const bool plays = std::strcmp(id, BROCH_ROLE_DATAFLOW) == 0 ||
                       (indexed && std::strcmp(id, BROCH_ROLE_INDEXED) == 0);
    return plays ? &table : nullptr;
  }
};

// An input source that reads one dataflow.
struct World {
  explicit World(bool indexed, std::vector<Cursors> saved = {},
                 std::optional<int64_t> size = 1000) {
    flow.indexed = indexed;
    rig.input.size = size;
    abi::Instance& child = rig.make(flow, "flow", "dataflow");
    abi::InstanceSpec spec;
    spec.name = "source";
    spec.component_id = "test.source";
    spec.role = "input_source";
    spec.vtable = &test::kVtable;
    test::being_created = &rig.input;
    std::vector<abi::Instance::Child> children(1);
    children[0].instance = &child;
    source = std::make_unique<abi::Instance>(rig.context, spec, std::move(children));
    input.emplace(*source, interrupt);
    input->setup({});
    input->start(saved.empty() ? Cursors{} : saved.front());
    cursors.emplace(*input, line, interrupt, std::move(saved));
  }
  void take() {
    runtime::Point point;
    REQUIRE(input->next(0, point) == BROCH_OK);
    input->consumed(0, point);
  }
  void step() {
    take();
    cursors->after_step();
  }
  void evaluate_alone() {
    cursors->begin_alone();
    take();
    cursors->end_alone();
  }

  test::Rig rig;
  plan::Interrupt interrupt;
  Flow flow;
  Line line;
  std::unique_ptr<abi::Instance> source;
  std::optional<plan::Input> input;
  std::optional<train::RankCursors> cursors;
};

using All = std::vector<Cursors>;

}  // namespace

TEST_CASE("rank cursors: of a stream they are exchanged after each step") {
  World world(false);
  world.step();
  CHECK(world.cursors->all() == All{{"1"}});
  CHECK(world.cursors->all_resume_exactly());
  world.line.differs = true;
  world.step();
  CHECK(world.cursors->all() == All{{"2"}, {"3"}});
}

TEST_CASE("rank cursors: of an indexed dataflow they are only compared") {
  World world(true);
  world.step();
  world.line.messages = 0;
  for (int i = 0; i < 5; ++i) world.step();
  CHECK(world.line.messages == 0);
  CHECK(world.cursors->all() == All{{"6"}});
  world.line.differs = true;
  world.cursors->after_epoch();
  CHECK(world.line.messages == 1);
  CHECK(world.cursors->all() == All{{"6"}, {"7"}});
  world.step();  // from now on they are exchanged
  CHECK(world.cursors->all() == All{{"7"}, {"8"}});
}

TEST_CASE("rank cursors: of an indexed dataflow without a size they are exchanged, too") {
  World world(true, {}, std::nullopt);
  world.step();
  world.line.differs = true;
  world.step();
  CHECK(world.cursors->all() == All{{"2"}, {"3"}});
}

TEST_CASE("rank cursors: before the first step they are those of the run that is resumed") {
  World world(false, All{{"5"}, {"8"}});
  CHECK(world.cursors->all() == All{{"5"}, {"8"}});
  CHECK(World(true).cursors->all() == All{{}});
}

TEST_CASE("rank cursors: the newest one is the last, also if a later tower has taken none") {
  World world(false);
  world.input->announce_towers(2);
  world.step();
  CHECK(world.cursors->all() == All{{"1"}});
  world.line.differs = true;
  world.step();
  CHECK(world.cursors->all() == All{{"2"}, {"3"}});
}

TEST_CASE("rank cursors: a point that is taken after the step is reported") {
  World world(false);
  world.step();
  const test::LogCapture log;
  world.take();
  CHECK(world.cursors->all() == All{{"1"}});
  CHECK(log.has("not with the same bits"));
}

TEST_CASE("rank cursors: points that this rank takes alone are not those of the others") {
  World world(true);
  for (int i = 0; i < 2; ++i) world.step();
  world.evaluate_alone();
  const test::LogCapture log;
  CHECK(world.cursors->all() == All{{"3"}, {"2"}});
  CHECK(world.interrupt.rank_flags() == plan::kDataDiffer);
  world.interrupt.agree(world.interrupt.rank_flags());  // in the next step
  world.line.differs = true;
  world.step();
  CHECK(world.cursors->all() == All{{"4"}, {"5"}});
  world.evaluate_alone();
  world.evaluate_alone();
  CHECK(world.cursors->all() == All{{"6"}, {"5"}});
  CHECK(!log.has("not with the same bits"));
  world.take();  // so may the others have done
  world.evaluate_alone();
  world.cursors->all();
  CHECK(log.has("not with the same bits"));
}
