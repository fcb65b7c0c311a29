// kernel_test.cpp: host code in towers: what a call is checked for, and what is kept of a step.
#include <doctest/doctest.h>

#include <cmath>

#include "kernel_watch.hpp"
#include "tower/kernel_tape.hpp"
#include "tower/shapes_only.hpp"
#include "world.hpp"

using namespace broch;
using namespace broch::test;

namespace {

broch_status pairs(void* user, const broch_kernel_type* inputs, uint32_t n,
                   broch_kernel_type* outputs, uint32_t m) {
  ++*static_cast<int*>(user);
  CHECK(n == 1);
  CHECK(inputs[0].dtype == BROCH_FLOAT32);
  CHECK(inputs[0].rank == 0);
  for (uint32_t i = 0; i < m; ++i) {
    outputs[i].dtype = BROCH_INT64;
    outputs[i].rank = 2;
    outputs[i].shape[0] = 3;
    outputs[i].shape[1] = 0;
  }
  return BROCH_OK;
}

broch_status never(void*, const broch_kernel_call*, const broch_dl_tensor*, uint32_t,
                   const broch_dl_tensor*, uint32_t) {
  FAIL("run is called");
  return BROCH_OK;
}

const broch_kernel kPairs{sizeof(broch_kernel), BROCH_KERNEL_PURE, "pairs", pairs, never, nullptr};

broch_dl_tensor described(std::vector<float>& values, int64_t& count) {
  count = static_cast<int64_t>(values.size());
  return {values.data(), {BROCH_DL_CPU, 0}, 1, {BROCH_DL_FLOAT, 32, 1}, &count, nullptr, 0};
}

// Two numbers as a kernel's output.
struct Output {
  explicit Output(std::vector<float> first) : values(std::move(first)) {}
  std::vector<float> values;
  int64_t count = 0;
  broch_dl_tensor tensor = described(values, count);
};

}  // namespace

TEST_CASE("kernel: without tensors shapes are asked for and nothing runs") {
  World world;
  int asked = 0;
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor x = p.constant(tower, 4);
    broch_tensor outputs[2] = {};
    p.need(p.kernel->call(p.host, tower, &kPairs, &asked, &x, 1, outputs, 2));
    for (const broch_tensor output : outputs) {
      broch_tensor_info info{};
      info.struct_size = sizeof info;
      p.need(p.tensor->info(p.host, output, &info));
      CHECK(info.dtype == BROCH_INT64);
      CHECK(info.rank == 2);
      CHECK(info.shape[0] == 3);
      CHECK(info.shape[1] == 0);
    }
    *cost = p.publish(tower, "cost", x);
    return BROCH_OK;
  });
  CHECK(asked == 1);
}

TEST_CASE("kernel: a call that contradicts itself is refused, saying why") {
  World world;
  int asked = 0;
  const auto call = [&](Probe& p, broch_tower tower, const broch_kernel& kernel, uint32_t n,
                        uint32_t m) {
    const std::vector<broch_tensor> inputs(n, p.constant(tower, 4));
    std::vector<broch_tensor> outputs(m);
    return p.kernel->call(p.host, tower, &kernel, &asked, inputs.data(), n, outputs.data(), m);
  };
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const auto refused = [&](const broch_kernel& kernel, uint32_t n, uint32_t m,
                             const std::string& why) {
      CHECK(call(p, tower, kernel, n, m) == BROCH_E_INVALID_ARGUMENT);
      CAPTURE(p.error());
      CHECK(has(p.error(), "broch.kernel/1 call of kernel 'pairs': " + why));
    };
    for (const uint32_t flags : {0, 3, 5, 7, 8}) {
      broch_kernel kernel = kPairs;
      kernel.flags = flags;
      refused(kernel, 1, 1, "flags " + std::to_string(flags) + ", expected PURE, STATEFUL, RANDOM");
    }
    refused(kPairs, 17, 1, "17 inputs, 1 output, expected at most 16 of each");
    broch_kernel no_shapes = kPairs;
    no_shapes.shapes = nullptr;
    refused(no_shapes, 1, 2, "2 outputs, 1 input, expected a shape function");
    no_shapes.shapes = [](void*, const broch_kernel_type*, uint32_t, broch_kernel_type*,
                          uint32_t) -> broch_status { return BROCH_E_UNIMPLEMENTED; };
    refused(no_shapes, 1, 2, "2 outputs, 1 input, expected a shape function");
    broch_kernel no_run = kPairs;
    no_run.run = nullptr;
    refused(no_run, 1, 1, "an entry that is NULL, expected name and run");
    broch_kernel no_name = kPairs;
    no_name.name = "";
    CHECK(call(p, tower, no_name, 1, 1) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "an empty name"));
    broch_kernel draws = kPairs, derived = kPairs;
    draws.flags = BROCH_KERNEL_RANDOM;
    derived.backward = &draws;
    refused(derived, 1, 1, "a derivative that is RANDOM");
    derived.backward = &derived;
    refused(derived, 1, 1, "a derivative of order 4, expected at most 3");
    *cost = p.publish(tower, "cost", p.constant(tower, 4));
    return BROCH_OK;
  });
  CHECK(asked == 0);
}

TEST_CASE("kernel: outside a tower function there is none") {
  World world;
  world.main([&] {
    CHECK(world.probe.kernel->call(world.probe.host, 12, &kPairs, nullptr, nullptr, 0, nullptr, 0) <
          0);
    return BROCH_OK;
  });
}

TEST_CASE(
    "kernel tape: a step that is computed again gets the outputs of the first time, in order") {
  tower::KernelTape tape;
  tower::KernelTape::begin_step();
  CHECK(tape.keeps());
  const Output first({1, 2}), second({3, 4});
  tape.keep("a", {&first.tensor, 1});
  tape.keep("a", {&second.tensor, 1});
  for (int again = 0; again < 2; ++again) {
    tower::KernelTape::begin_step();
    CHECK_FALSE(tape.keeps());
    const Output x({0, 0}), y({0, 0});
    tape.give("a", {&x.tensor, 1});
    CHECK(has(tape.difference(), "kernel 'a' is not called"));
    tape.give("a", {&y.tensor, 1});
    CHECK(x.values == std::vector<float>{1, 2});
    CHECK(y.values == std::vector<float>{3, 4});
    CHECK(tape.difference() == "");
  }
}

TEST_CASE("kernel tape: calls other than those of the first time are told") {
  tower::KernelTape tape;
  tower::KernelTape::begin_step();
  const Output two({1, 2}), three({1, 2, 3});
  tape.keep("a", {&two.tensor, 1});
  tower::KernelTape::begin_step();
  tape.give("b", {&two.tensor, 1});
  CHECK(has(tape.difference(), "kernel 'b' is called and not kernel 'a'"));
  tower::KernelTape::begin_step();
  tape.give("a", {&three.tensor, 1});
  CHECK(has(tape.difference(), "kernel 'a' gives other shapes"));
  tower::KernelTape::begin_step();
  tape.give("a", {&two.tensor, 1});
  tape.give("a", {&two.tensor, 1});
  CHECK(has(tape.difference(), "kernel 'a' is called once more"));
}

TEST_CASE("kernel tape: an inner step has a tape of its own, and setting up has none") {
  CHECK(tower::KernelTape::current() == nullptr);
  const tower::KernelTape outer;
  {
    const tower::KernelTape inner;
    CHECK(tower::KernelTape::current() == &inner);
  }
  CHECK(tower::KernelTape::current() == &outer);
  const tower::ShapesOnly on(true);
  const tower::ShapesOnly still(false);
  CHECK(tower::ShapesOnly::active());
}

TEST_CASE("kernel tape: a counter keeps the number that it had first") {
  tower::KernelTape tape;
  CHECK(tape.counter(1, 5) == 5);
  CHECK(tape.counter(1, 6) == 5);
  CHECK(tape.counter(2, 6) == 6);
}

TEST_CASE("kernel tape: other outputs for equal inputs are told once a kernel") {
  tower::KernelTape tape;
  CHECK(tape.agrees("a", "1 2", "3"));
  CHECK(tape.agrees("a", "1 2", "3"));
  CHECK(tape.agrees("a", "1 3", "4"));
  CHECK(tape.agrees("b", "1 2", "5"));
  CHECK_FALSE(tape.agrees("a", "1 2", "6"));
  CHECK(tape.agrees("a", "1 3", "6"));
}

TEST_CASE("kernel watch: what is written to outputs alone comes through") {
  const Output input({1, 2}), output({0, 0});
  const tower::KernelWatch watch({&input.tensor, 1}, {&output.tensor, 1});
  const broch_dl_tensor& to = watch.outputs()[0];
  CHECK(reinterpret_cast<uintptr_t>(to.data) % 64 == 0);
  static_cast<float*>(to.data)[0] = 3;
  static_cast<float*>(to.data)[1] = NAN;
  CHECK(watch.finish() == "");
  CHECK(output.values[0] == 3);
  CHECK(std::isnan(output.values[1]));
}

TEST_CASE("kernel watch: an output that is not there stays so, an empty one is complete") {
  const broch_dl_tensor none{};
  const Output empty({});
  const broch_dl_tensor outputs[] = {none, empty.tensor};
  const tower::KernelWatch watch({}, outputs);
  CHECK(watch.outputs()[0].data == nullptr);
  CHECK(watch.finish() == "");
}

TEST_CASE("kernel watch: writing elsewhere, and not writing, is seen") {
  const auto found = [](int from, int to, bool input_too) {
    const Output input({1, 2}), output({0, 0});
    const tower::KernelWatch watch({&input.tensor, 1}, {&output.tensor, 1});
    for (int i = from; i < to; ++i) static_cast<float*>(watch.outputs()[0].data)[i] = 5;
    if (input_too) static_cast<float*>(input.tensor.data)[1] = 5;
    return watch.finish();
  };
  CHECK(found(0, 2, false) == "");
  CHECK(found(0, 2, true) == "wrote to input 0");
  CHECK(found(-1, 2, false) == "wrote to memory before output 0");
  CHECK(found(0, 3, false) == "wrote to memory after output 0");
  CHECK(found(0, 1, false) == "did not write element 1 of output 0");
}
