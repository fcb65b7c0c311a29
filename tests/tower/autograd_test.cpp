// autograd_test.cpp: gradients inside towers, functions of a plugin's own, operations over
// variables.
#include <doctest/doctest.h>

#include "replay/operation.hpp"
#include "world.hpp"

using namespace broch;
using namespace broch::test;

namespace {

struct Doubler {
  Probe* probe = nullptr;
  int forward = 0, backward = 0, freed = 0;
  broch_tensor outer = 0;  // a handle of the tower call around it
  std::string error;
};

broch_status forward(void* user, broch_saved saved, const broch_tensor* inputs, uint32_t n,
                     broch_tensor* outputs) {
  auto& doubler = *static_cast<Doubler*>(user);
  Probe& p = *doubler.probe;
  ++doubler.forward;
  CHECK(n == 1);
  CHECK(p.autograd->save(p.host, saved, inputs, 1) == BROCH_OK);
  CHECK(p.autograd->save(p.host, saved, inputs, 1) == BROCH_E_FAILED_PRECONDITION);
  broch_tensor out = 0;
  CHECK(p.autograd->saved(p.host, saved, 0, &out) == BROCH_E_OUT_OF_RANGE);
  if (doubler.outer) {
    double value = 0;
    CHECK(p.tensor->item(p.host, doubler.outer, &value) == BROCH_E_INVALID_ARGUMENT);
  }
  outputs[0] = inputs[0];
  return BROCH_OK;
}

broch_status backward(void* user, broch_saved saved, const broch_tensor* grads,
                      broch_tensor* grad_inputs, uint32_t n) {
  auto& doubler = *static_cast<Doubler*>(user);
  Probe& p = *doubler.probe;
  ++doubler.backward;
  CHECK(n == 1);
  broch_tensor out = 0;
  CHECK(p.autograd->saved(p.host, saved, 0, &out) == BROCH_OK);
  CHECK(p.item(out) == 4);
  CHECK(p.autograd->saved(p.host, saved, 1, &out) == BROCH_E_OUT_OF_RANGE);
  CHECK(p.autograd->save(p.host, saved, grads, 1) == BROCH_E_FAILED_PRECONDITION);
  grad_inputs[0] = grads[0];
  return BROCH_OK;
}

void free_user(void* user) { ++static_cast<Doubler*>(user)->freed; }

const broch_custom_function kDouble{
    sizeof(broch_custom_function), 1, "double", forward, backward, free_user};

}  // namespace

TEST_CASE("autograd: a custom function runs forward in a call of its own and frees its user once") {
  World world;
  Doubler doubler;
  doubler.probe = &world.probe;
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor x = p.constant(tower, 4);
    doubler.outer = x;
    broch_tensor out = 0;
    p.need(p.autograd->apply(p.host, &kDouble, &doubler, &x, 1, &out));
    CHECK(p.item(out) == 4);
    *cost = p.publish(tower, "cost", out);
    return BROCH_OK;
  });
  CHECK(doubler.forward == 1);
  CHECK(doubler.freed == 1);
}

TEST_CASE("autograd: an exception of free_user is logged, not the end of the process") {
  World world;
  Doubler doubler;
  doubler.probe = &world.probe;
  broch_custom_function function = kDouble;
  function.free_user = [](void* user) {
    free_user(user);
    throw 1;
  };
  broch_tensor out = 0;
  CHECK(world.probe.autograd->apply(world.probe.host, &function, &doubler, nullptr, 0, &out) < 0);
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor x = p.constant(tower, 4);
    p.need(p.autograd->apply(p.host, &function, &doubler, &x, 1, &out));
    *cost = p.publish(tower, "cost", out);
    return BROCH_OK;
  });
  CHECK(doubler.freed == 2);
}

TEST_CASE("autograd: user is freed when apply is refused") {
  World world;
  Doubler doubler;
  doubler.probe = &world.probe;
  broch_tensor out = 0;
  CHECK(world.probe.autograd->apply(world.probe.host, &kDouble, &doubler, nullptr, 0, &out) < 0);
  CHECK(doubler.freed == 1);
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    std::vector<broch_tensor> many(17, *cost);
    CHECK(p.autograd->apply(p.host, &kDouble, &doubler, many.data(), 17, &out) ==
          BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "broch.autograd/1 apply of double: 17 inputs, expected 1 to 16"));
    return BROCH_OK;
  });
  CHECK(doubler.freed == 2);
}

TEST_CASE("autograd: gradients are asked for inside towers, of numbers unless weighted") {
  World world;
  world.main([&] {
    broch_tensor out = 0;
    CHECK(world.probe.autograd->grad(world.probe.host, &out, 1, &out, 1, nullptr, 0, &out) ==
          BROCH_E_FAILED_PRECONDITION);
    return BROCH_OK;
  });
  const auto tower = world.defined([](Probe& p, broch_tower tower, const broch_tensor*,
                                      broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    const broch_tensor w = p.get(tower, "w", BROCH_VARIABLE_TRAINABLE, {3}, 2);
    broch_tensor grad = 0;
    CHECK(p.autograd->grad(p.host, &w, 1, &w, 1, nullptr, 0, &grad) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "broch.autograd/1 grad, output 0: shape (3,), expected one element"));
    CHECK(p.autograd->grad(p.host, &w, 1, &w, 1, &w, 0, &grad) == BROCH_OK);
    broch_tensor_info info{};
    info.struct_size = sizeof info;
    p.need(p.tensor->info(p.host, grad, &info));
    CHECK(info.element_count == 3);
    return BROCH_OK;
  });
  CHECK(tower->run({}, false).leaves.size() == 1);  // it differentiates itself, whatever is fetched
}

TEST_CASE("autograd: no_grad is closed by its pop, or by the end of the call") {
  World world;
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor w = p.get(tower, "w");
    const auto requires_grad = [&] {
      broch_tensor_info info{};
      info.struct_size = sizeof info;
      p.need(p.tensor->info(p.host, p.call("aten::relu(Tensor self) -> Tensor", {w}), &info));
      return info.requires_grad == 1;
    };
    CHECK(requires_grad());
    p.need(p.autograd->no_grad_push(p.host));
    CHECK_FALSE(requires_grad());
    p.need(p.autograd->no_grad_pop(p.host));
    CHECK(requires_grad());
    CHECK(p.autograd->no_grad_pop(p.host) == BROCH_E_FAILED_PRECONDITION);
    p.need(p.autograd->no_grad_push(p.host));
    *cost = w;
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  tower->run({}, true);
}

TEST_CASE("autograd: a tracked tensor records gradients where there were none") {
  World world;
  world.inputs = {input("x", {3}), input("label", {3}, {}, BROCH_INT64)};
  const auto body = [](Probe& p, broch_tower, const broch_tensor* inputs, broch_tensor*) {
    const auto requires_grad = [&](broch_tensor tensor) {
      broch_tensor_info info{};
      info.struct_size = sizeof info;
      p.need(p.tensor->info(p.host, tensor, &info));
      return info.requires_grad == 1;
    };
    const auto relu = [&](broch_tensor tensor) {
      return p.call("aten::relu(Tensor self) -> Tensor", {tensor});
    };
    broch_tensor tracked = 0;
    CHECK(p.autograd->track(p.host, inputs[1], &tracked) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "broch.autograd/1 track: int64 (3,), expected a floating-point"));
    p.need(p.autograd->no_grad_push(p.host));
    p.need(p.autograd->track(p.host, inputs[0], &tracked));
    CHECK(requires_grad(tracked));
    CHECK_FALSE(requires_grad(relu(tracked)));
    p.need(p.autograd->no_grad_pop(p.host));
    CHECK(requires_grad(relu(tracked)));
    CHECK_FALSE(requires_grad(relu(inputs[0])));
    broch_tensor again = 0, grad = 0;
    p.need(p.autograd->track(p.host, relu(tracked), &again));
    CHECK(again != tracked);
    CHECK(requires_grad(again));
    p.need(p.autograd->grad(p.host, &again, 1, &again, 1, &again, 0, &grad));
    CHECK_FALSE(requires_grad(grad));
    return BROCH_OK;
  };
  const auto tower = world.defined(body, prediction());
  tower->run({}, false);
  broch_tensor out = 0;
  CHECK(world.probe.autograd->track(world.probe.host, 0, &out) == BROCH_E_FAILED_PRECONDITION);
}

TEST_CASE("graph: an operation commits its updates together, and not inside a run") {
  World world;
  world.defined([](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.get(tower, "online", BROCH_VARIABLE_TRAINABLE, {}, 5);
    p.get(tower, "target", 0, {}, 1);
    return BROCH_OK;
  });
  const auto copy = [](void* user, broch_tower scope) -> broch_status {
    Probe& p = *static_cast<Probe*>(user);
    broch_tensor value = 0;
    p.need(p.variables->read(p.host, scope, p.find("online"), &value));
    return p.tower->update(p.host, scope, p.find("target"), value, "any text");
  };
  broch_operation op = 0;
  const auto define = [&] {
    world.main([&] {
      return world.probe.graph->define(world.probe.host, "copy", copy, &world.probe, &op);
    });
  };
  define();
  world.variables.seal();
  CHECK(world.value("target") == 1);
  world.main([&] { return world.probe.graph->run(world.probe.host, op); });
  CHECK(world.value("target") == 5);
  CHECK(replay::operation_runner(*world.instance, op).tower().registration().updates ==
        std::vector<std::string>{"target @ any text"});
  world.towers.in_run = true;
  const auto text =
      error_of([&] { world.main([&] { return world.probe.graph->run(world.probe.host, op); }); });
  CHECK(has(text,
            "operation 'copy' of model 'net' (test.model): run inside a hooked run, expected a "
            "call between runs"));
  const auto garbage = error_of(
      [&] { world.main([&] { return world.probe.graph->run(world.probe.host, op + 1); }); });
  CHECK(has(garbage, "expected a handle that broch.operation/1 define answered to this instance"));
  CHECK(has(error_of(define), "made after set-up, expected a call in setup_graph"));
}
