// chain_test.cpp: chains of gradient processors, replayed: whatever processors do, the gradients
// that come out have the bits of eager calls.
#include <cmath>
#include <functional>

#include "abi/extensions.hpp"
#include "optimizer/gradient_chain.hpp"
#include "replay/extensions.hpp"
#include "runtime/extensions.hpp"
#include "torch/fixture.hpp"
#include "tower/extensions.hpp"
#include "train/components.hpp"

using namespace broch;
using namespace broch::runtime;
using namespace broch::tower;
using optimizer::GradientList;
using optimizer::GradientOperation;

namespace {

constexpr const char* kScale = "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor";
constexpr const char* kMultiply = "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor";

// One whose functions a test decides.
struct Processor final : optimizer::GradientProcessor {
  using Process = std::function<void(GradientList&)>;
  explicit Processor(Process process) : body(std::move(process)) {}
  std::string name() const override { return "tested"; }
  std::vector<Variable*> keep(std::vector<Variable*> variables) override {
    std::erase_if(variables, [&](const Variable* one) { return one->name == left_out; });
    return variables;
  }
  void process(GradientList& list) override {
    for (size_t i = 0; i < list.variables.size(); ++i) {
      if (list.variables[i]->name != left_out) continue;
      list.variables.erase(list.variables.begin() + static_cast<ptrdiff_t>(i));
      list.gradients.erase(list.gradients.begin() + static_cast<ptrdiff_t>(i));
    }
    if (body) body(list);
  }
  Process body;
  std::string left_out;
};

struct NoRole final : test::Component {
  const void* interface(const char*) override { return nullptr; }
};

// A run with variables 'w' and 'b' and 'c', which owns chains over their gradients.
struct World {
  explicit World(Execution execution, Level level = Level::bitwise) {
    towers.backend = &backend();
    towers.variables = &variables;
    towers.hypers = &hypers;
    towers.execution = execution;
    towers.level = level;
    abi::register_extensions(context);
    runtime::register_extensions(context);
    tower::register_extensions(context);
    replay::register_extensions(context);
    abi::InstanceSpec spec;
    spec.name = "owner";
    spec.component_id = "test.owner";
    spec.role = "trainer";
    spec.vtable = &test::kVtable;
    test::being_created = &component;
    owner = std::make_unique<abi::Instance>(context, spec, std::vector<abi::Instance::Child>{});
    add("w", {7, 5});
    add("b", {5});
    add("c", {2, 3, 4});
    variables.seal();
  }
  void add(const char* name, std::vector<int64_t> shape) {
    broch_variable_spec spec{};
    spec.struct_size = sizeof spec;
    spec.dtype = BROCH_FLOAT32;
    spec.rank = static_cast<uint32_t>(shape.size());
    spec.shape = shape.data();
    spec.flags = BROCH_VARIABLE_TRAINABLE;
    spec.initializer = BROCH_INIT_CONSTANT;
    spec.a = 1;
    list.push_back(&variables.create(name, spec, {}, "test"));
  }
  GradientOperation& chain(std::vector<Processor> processors) {
    optimizer::GradientProcessors all;
    for (Processor& one : processors) all.push_back(std::make_unique<Processor>(std::move(one)));
    return *chains.emplace_back(
        optimizer::make_gradient_chain(towers, *owner, "main/process", std::move(all), list));
  }
  std::unique_ptr<GradientOperation> built_in(const std::vector<std::string>& entries) {
    optimizer::GradientProcessors all;
    for (const std::string& entry : entries)
      all.push_back(optimizer::make_processor({backend()}, optimizer::parse_entry(entry, "test")));
    return optimizer::make_gradient_chain(towers, *owner, "main/process", std::move(all), list);
  }

  VariableStore variables{backend(), 7};
  HyperParams hypers{variables, {}};
  RunContext towers;
  abi::Context context;
  NoRole component;
  std::unique_ptr<abi::Instance> owner;
  std::vector<Variable*> list;
  std::vector<std::unique_ptr<GradientOperation>> chains;
};

Tensor waves(const Variable& of, double phase) {
  std::vector<float> values;
  for (int64_t i = 0; i < of.shape.elements(); ++i)
    values.push_back(static_cast<float>(std::sin(phase + 1.7 * static_cast<double>(i))));
  return floats(values, {of.shape.span().begin(), of.shape.span().end()});
}

std::vector<Tensor> gradients_of(const World& world, int run) {
  std::vector<Tensor> gradients;
  for (const Variable* variable : world.list)
    gradients.push_back(waves(*variable, 0.3 * run + double(gradients.size())));
  return gradients;
}

// What comes out of the number-th run, copied.
std::vector<Tensor> processed(GradientOperation& chain, const std::vector<Tensor>& gradients,
                              int run) {
  std::vector<Tensor> out, copies;
  chain.run(gradients, static_cast<uint64_t>(run), {backend()}, out);
  for (const Tensor& gradient : out) copies.push_back(backend().copy(gradient, {}));
  chain.release();
  return copies;
}

// As a tower's program leaves them: in the memory that the chain gave for them.
std::vector<Tensor> in_place(GradientOperation& chain, const std::vector<Tensor>& gradients) {
  for (size_t i = 0; i < gradients.size(); ++i)
    backend().assign(chain.input_buffers()[i], gradients[i]);
  return chain.input_buffers();
}

void check_same(const std::vector<Tensor>& expected, const std::vector<Tensor>& found,
                double tolerance = 0) {
  REQUIRE(expected.size() == found.size());
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(backend().difference(expected[i], found[i], tolerance) == "");
}

// Runs of both on equal gradients, which now and then stand elsewhere.
void check_runs(World& world, GradientOperation& eager, GradientOperation& recorded,
                double tolerance = 0) {
  for (int run = 0; run < 300; ++run) {
    CAPTURE(run);
    const std::vector<Tensor> gradients = gradients_of(world, run);
    const std::vector<Tensor> expected = processed(eager, gradients, run);
    const bool moved = run % 7 == 3;
    check_same(expected,
               processed(recorded, moved ? gradients : in_place(recorded, gradients), run),
               tolerance);
    check_same(gradients_of(world, run), gradients);
  }
}

// Recorded, the chain gives what it gives eagerly and is replayed in the end.
void check_replays(const std::vector<Processor>& processors) {
  World plain(Execution::eager), world(Execution::recorded);
  GradientOperation &eager = plain.chain(processors), &recorded = world.chain(processors);
  check_runs(world, eager, recorded);
  CHECK(eager.runner().state() == "eager: runtime.execution");
  CHECK(recorded.runner().state() == "recorded");
  CHECK(recorded.runner().decided());
}

Processor scaling(double factor) {
  return Processor([factor](GradientList& list) {
    for (Tensor& gradient : list.gradients) gradient = call1(kScale, {of(gradient), of(factor)});
  });
}

Processor nothing() {
  return Processor([](GradientList&) {});
}

Processor leaving_out(const char* name) {
  Processor processor = nothing();
  processor.left_out = name;
  return processor;
}

// Its operators depend on a value.
Processor reading() {
  return Processor([](GradientList& list) {
    const Tensor sum = call1("aten::sum(Tensor self) -> Tensor", {of(list.gradients[0])});
    if (backend().item(sum) > 0)
      list.gradients[0] = call1(kScale, {of(list.gradients[0]), of(0.5)});
  });
}

}  // namespace

TEST_CASE("chain: built-in processors, alone and in a row, are replayed with the eager bits") {
  const std::string small = R"({"use": "global-norm-clip", "with": {"global_norm": 0.5}})",
                    large = R"({"use": "global-norm-clip", "with": {"global_norm": 500}})";
  for (const auto& entries :
       {std::vector<std::string>{small}, {large}, {large, small}, {small, small, large}}) {
    World plain(Execution::eager), world(Execution::recorded);
    const auto eager = plain.built_in(entries), recorded = world.built_in(entries);
    check_runs(world, *eager, *recorded);
    CHECK(recorded->runner().decided());
    CHECK(recorded->runner().executable() != nullptr);
  }
}

TEST_CASE("chain: level fast clips by the length of all gradients within rounding") {
  World plain(Execution::eager), world(Execution::recorded, Level::fast);
  const std::vector<std::string> entries{
      R"({"use": "global-norm-clip", "with": {"global_norm": 0.5}})"};
  const auto eager = plain.built_in(entries), recorded = world.built_in(entries);
  check_runs(world, *eager, *recorded, 1e-6);
  CHECK(recorded->runner().executable()->info().calls == 5);  // norm, three numbers, scale
}

TEST_CASE("chain: gradients that are passed on, left out or changed come out as from eager calls") {
  check_replays({nothing()});
  check_replays({scaling(0.5)});
  check_replays({leaving_out("b")});
  check_replays({nothing(), scaling(3), leaving_out("w"), scaling(0.1)});
}

TEST_CASE("chain: one tensor for two variables is computed once and comes out twice") {
  check_replays({leaving_out("w"), leaving_out("c"), scaling(2)});
  check_replays({Processor([](GradientList& list) {
    const Tensor bias = call1(kScale, {of(list.gradients[1]), of(2.0)});
    list.gradients[0] = call1(kMultiply, {of(list.gradients[0]), of(bias)});
    list.gradients[1] = bias;
  })});
}

TEST_CASE("chain: a processor that draws gives the draws of the run, recorded or not") {
  check_replays({Processor([](GradientList& list) {
    for (Tensor& gradient : list.gradients) {
      const Tensor kept =
          call1("aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
                {of(gradient), of(0.5), none()});
      gradient = call1(kMultiply, {of(gradient), of(kept)});
    }
  })});
}

TEST_CASE("chain: a variable that a processor reads is read anew") {
  World world(Execution::recorded);
  Variable& scale = *world.list[1];  // 'b', five ones
  GradientOperation& chain = world.chain({Processor([&scale](GradientList& list) {
    list.gradients[0] = call1(kMultiply, {of(list.gradients[0]), of(scale.value)});
  })});
  for (int run = 0; run < 5; ++run) {
    const std::vector<Tensor> gradients = gradients_of(world, run);
    const double factor = run + 1;
    backend().assign(scale.value, floats(std::vector<float>(5, float(factor)), {5}));
    const std::vector<double> found = numbers(processed(chain, gradients, run)[0]);
    const std::vector<double> given = numbers(gradients[0]);
    for (size_t i = 0; i < given.size(); ++i)
      CHECK(found[i] == doctest::Approx(given[i] * factor).epsilon(1e-6));
  }
  CHECK(chain.runner().decided());
}

TEST_CASE("chain: what goes on is computed where it is wanted") {
  World world(Execution::recorded);
  GradientOperation& chain = world.chain({scaling(0.5), leaving_out("b")});
  std::vector<Tensor> places;
  for (const Variable* variable : chain.kept())
    places.push_back(backend().zeros(variable->dtype, variable->shape, {}));
  chain.set_output_buffers(places);
  for (int run = 0; run < 4; ++run)
    processed(chain, in_place(chain, gradients_of(world, run)), run);
  std::vector<Tensor> out;
  chain.run(in_place(chain, gradients_of(world, 9)), 9, {backend()}, out);
  REQUIRE(out.size() == 2);
  for (size_t i = 0; i < out.size(); ++i)
    CHECK(backend().first_byte(out[i]) == backend().first_byte(places[i]));
  CHECK(numbers(out[1])[3] == doctest::Approx(0.5 * std::sin(2.7 + 2 + 1.7 * 3)));
}

TEST_CASE(
    "chain: gradients in their memory are not copied, others are, and neither is written to") {
  World world(Execution::recorded);
  GradientOperation& chain = world.chain({scaling(0.5)});
  for (int run = 0; run < 4; ++run) processed(chain, gradients_of(world, run), run);
  const std::vector<Tensor> given = in_place(chain, gradients_of(world, 5));
  const auto before = numbers(given[2]);
  processed(chain, given, 5);
  CHECK(numbers(given[2]) == before);
  const std::vector<Tensor> elsewhere = gradients_of(world, 6);
  processed(chain, elsewhere, 6);
  CHECK(numbers(chain.input_buffers()[2]) == numbers(elsewhere[2]));
}

TEST_CASE("chain: a processor that reads a value stays eager, and recorded makes that an error") {
  World plain(Execution::eager), world(Execution::automatic), strict(Execution::recorded);
  GradientOperation &eager = plain.chain({scaling(2), reading()}),
                    &chain = world.chain({scaling(2), reading()}),
                    &refused = strict.chain({scaling(2), reading()});
  check_runs(world, eager, chain);
  CHECK(has(chain.runner().state(), "eager: tested: operator aten::_local_scalar_dense"));
  const std::string error = error_of([&] { processed(refused, gradients_of(strict, 0), 0); });
  CHECK(has(error, "operation 'main/process (tested, tested)'"));
  CHECK(has(error, "tested: operator aten::_local_scalar_dense reads a value on the host"));
}

TEST_CASE("chain: a processor that writes to a gradient is refused by name") {
  World world(Execution::automatic);
  const std::string error = error_of([&] {
    world.chain({Processor([](GradientList& list) {
      call1("aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
            {of(list.gradients[1]), of(1.0)});
    })});
  });
  CHECK(has(error, "gradient processor tested of node 'main/process'"));
  CHECK(has(error, "wrote to the gradient of variable 'b'"));
}

TEST_CASE("chain: gradients of another shape, or of variables that were left out, are refused") {
  World world(Execution::automatic);
  CHECK(has(error_of([&] {
              world.chain({Processor([](GradientList& list) {
                list.gradients[1] =
                    call1("aten::sum(Tensor self) -> Tensor", {of(list.gradients[1])});
              })});
            }),
            "the gradient of variable 'b' became float32 ()"));
  CHECK(has(error_of([&] {
              world.chain({Processor([](GradientList& list) {
                list.gradients.pop_back();
                list.variables.pop_back();
              })});
            }),
            "2 gradients came out"));
}

TEST_CASE("chain: audit ends a run in which a processor has become another") {
  World world(Execution::audit);
  double factor = 0.5;
  GradientOperation& chain = world.chain({Processor([&factor](GradientList& list) {
    for (Tensor& gradient : list.gradients) gradient = call1(kScale, {of(gradient), of(factor)});
  })});
  const auto train = [&] {
    for (int run = 0; run < 40; ++run) {
      if (run == 10) factor = 0.25;
      processed(chain, gradients_of(world, run), run);
    }
  };
  const std::string error = error_of(train);
  CHECK(has(error, "audit of operation 'main/process (tested)'"));
  CHECK(has(error, "at its run 16"));
  CHECK(has(error, "'processed w'"));
}
