// handles_test.cpp: which tensor may be used where, and what the refusal says.
#include <doctest/doctest.h>

#include <thread>

#include "world.hpp"

using namespace broch;
using namespace broch::test;

namespace {

constexpr const char* kReluInPlace = "aten::relu_(Tensor(a!) self) -> Tensor(a!)";

broch_dl_tensor number(float& value) {
  return {&value, {BROCH_DL_CPU, 0}, 0, runtime::to_dl(BROCH_FLOAT32), nullptr, nullptr, 0};
}

}  // namespace

TEST_CASE("handles: a tensor of an earlier call or of the instance is no part of a tower") {
  World world;
  float one = 1;
  broch_tensor kept = 0, owned = 0;
  const auto body = [&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    broch_op relu = 0;
    p.need(p.ops->resolve(p.host, kRelu, &relu));
    broch_value arg{BROCH_TAG_TENSOR, 0, {}}, ret{};
    for (const broch_tensor foreign : {kept, owned}) {
      if (!foreign) continue;
      arg.u.tensor = foreign;
      CHECK(p.ops->call(p.host, relu, &arg, 1, &ret, 1) == BROCH_E_INVALID_ARGUMENT);
      CHECK(has(p.error(), "aten::relu, argument 0: tensor handle 0x"));
      CHECK(has(p.error(),
                "expected an input, a variable, a hyper-parameter or a value computed from these "
                "in this call"));
      CHECK(has(p.error(), "hint: make it a variable, or a constant(t)"));
      broch_tensor out = 0;
      CHECK(p.tower->publish(p.host, tower, "x", foreign, &out) == BROCH_E_INVALID_ARGUMENT);
      CHECK(has(p.error(), "broch.tower/1 publish, x: tensor handle"));
    }
    kept = *cost;
    broch_tensor out = 0;
    const broch_dl_tensor data = number(one);
    CHECK(p.tensor->from_data(p.host, &data, &out) == BROCH_E_FAILED_PRECONDITION);
    CHECK(has(p.error(), "broch.tensor/1 from_data: called inside a tower function"));
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  world.main([&] {
    const broch_dl_tensor data = number(one);
    broch_tensor made = 0;
    world.probe.need(world.probe.tensor->from_data(world.probe.host, &data, &made));
    return world.probe.tensor->retain(world.probe.host, made, &owned);
  });
  tower->run({}, true);
  CHECK(world.instance->handles().live() == 1);
  world.main([&] {
    CHECK(world.probe.item(world.probe.call(kRelu, {owned})) == 1);  // outside it may compute
    CHECK(world.probe.tensor->release(world.probe.host, owned) == BROCH_OK);
    CHECK(world.probe.tensor->release(world.probe.host, owned) == BROCH_E_INVALID_ARGUMENT);
    CHECK(world.probe.tensor->release(world.probe.host, 0) == BROCH_OK);
    return BROCH_OK;
  });
  CHECK(world.instance->handles().live() == 0);
}

TEST_CASE("handles: from_dlpack calls the deleter wherever it is refused") {
  World world;
  static int deleted = 0;
  deleted = 0;
  float one = 1;
  broch_dl_managed managed{};
  managed.version = {1, 0};
  managed.deleter = [](broch_dl_managed*) { ++deleted; };
  managed.dl_tensor = number(one);
  broch_tensor out = 0;
  world.main([&] {
    CHECK(world.probe.tensor->from_dlpack(world.probe.host, &managed, &out) == BROCH_OK);
    return BROCH_OK;
  });
  CHECK(deleted == 1);
  CHECK(world.probe.tensor->from_dlpack(world.probe.host, &managed, &out) < 0);  // in no call
  CHECK(deleted == 2);
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    CHECK(p.tensor->from_dlpack(p.host, &managed, &out) == BROCH_E_FAILED_PRECONDITION);
    *cost = p.constant(tower, 1);
    return BROCH_OK;
  });
  CHECK(deleted == 3);
}

TEST_CASE("handles: an operator must not write to a variable or an input") {
  World world;
  world.inputs = {input("x", {2})};
  world.defined([](Probe& p, broch_tower tower, const broch_tensor* in, broch_tensor* cost) {
    const broch_tensor w = p.get(tower, "w");
    broch_op relu = 0;
    p.need(p.ops->resolve(p.host, kReluInPlace, &relu));
    broch_value arg{BROCH_TAG_TENSOR, 0, {}}, ret{};
    arg.u.tensor = w;
    CHECK(p.ops->call(p.host, relu, &arg, 1, &ret, 1) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(),
              "operator aten::relu_: a write to variable 'w', expected variables that are written "
              "by broch.tower/1 update alone"));
    arg.u.tensor = in[0];
    CHECK(p.ops->call(p.host, relu, &arg, 1, &ret, 1) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(),
              "operator aten::relu_ in tower of model 'net' (test.model): a write to input 'x'"));
    arg.u.tensor = p.call(kRelu, {w});
    CHECK(p.ops->call(p.host, relu, &arg, 1, &ret, 1) == BROCH_OK);  // an activation may change
    *cost = ret.u.tensor;
    return BROCH_OK;
  });
}

TEST_CASE("handles: numbers that are none of ours are refused, not followed") {
  World world;
  broch_op relu = 0;
  world.main([&] {
    Probe& p = world.probe;
    p.need(p.ops->resolve(p.host, kRelu, &relu));
    broch_op again = 0;
    p.need(p.ops->resolve(p.host, kRelu, &again));
    CHECK(again == relu);
    broch_value ret{};
    for (const uint64_t garbage : {uint64_t{0}, uint64_t{1}, uint64_t{relu + 1}, ~uint64_t{0},
                                   uint64_t{relu ^ (1ull << 30)}})
      CHECK(p.ops->call(p.host, garbage, nullptr, 0, &ret, 1) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "hint: resolve the operator in create or setup_graph"));
    broch_value bad{99, 0, {}};
    CHECK(p.ops->call(p.host, relu, &bad, 1, &ret, 1) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "aten::relu, argument 0: tag 99, expected one of BROCH_TAG_"));
    CHECK(p.ops->resolve(p.host, "nonsense", &relu) == BROCH_E_NOT_FOUND);
    broch_variable_info info{};
    info.struct_size = sizeof info;
    for (const uint64_t garbage : {uint64_t{0}, uint64_t{5}, ~uint64_t{0}})
      CHECK(p.variables->info(p.host, garbage, &info) == BROCH_E_INVALID_ARGUMENT);
    broch_tensor_info size{};
    size.struct_size = 4;
    CHECK(p.tensor->info(p.host, p.call("aten::empty(int[] size) -> Tensor", {}), &size) ==
          BROCH_E_INVALID_ARGUMENT);
    return BROCH_OK;
  });
  broch_tower last = 0;
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    broch_tensor out = 0;
    if (last) CHECK(p.variables->read(p.host, last, 1, &out) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.variables->scope_push(p.host, 77, "a") == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "expected the handle that the running tower function was called with"));
    last = tower;
    *cost = p.constant(tower, 1);
    return BROCH_OK;
  });
}

TEST_CASE("handles: a borrowed tensor is refused on another thread") {
  World world;
  broch_status status = BROCH_OK;
  std::string text;
  world.main([&] {
    Probe& p = world.probe;
    const broch_tensor here = p.call("aten::empty(int[] size) -> Tensor", {});
    std::thread([&] {
      abi::invoke(*world.instance, "next", abi::Role::data, abi::kOnlyOk, [&] {
        double value = 0;
        status = p.tensor->item(p.host, here, &value);
        text = p.error();
        return BROCH_OK;
      });
    }).join();
    return BROCH_OK;
  });
  CHECK(status == BROCH_E_INVALID_ARGUMENT);
  CHECK(has(text, "broch.tensor/1 item, tensor: tensor handle 0x"));
  CHECK(has(text, "thread"));
}

TEST_CASE("handles: more than sixteen arguments and lists work like few") {
  World world;
  world.defined([](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.constant(tower, 3);
    std::vector<broch_tensor> many(40, *cost);
    CHECK(p.item(p.call("test::many(Tensor a) -> Tensor", many)) == 3);
    broch_op cat = 0;
    p.need(p.ops->resolve(p.host, "aten::cat(Tensor[] tensors, int dim=0) -> Tensor", &cat));
    std::vector<broch_tensor> list(100, *cost);
    broch_value arg{BROCH_TAG_TENSORS, 100, {}}, ret[2]{};
    arg.u.tensors = list.data();
    p.need(p.ops->call(p.host, cat, &arg, 1, ret, 2));
    CHECK(p.item(ret[0].u.tensor) == 3);
    list[99] = 4;
    CHECK(p.ops->call(p.host, cat, &arg, 1, ret, 1) == BROCH_E_INVALID_ARGUMENT);
    return BROCH_OK;
  });
}

TEST_CASE("handles: values are read exactly, and only of the size they have") {
  World world;
  const runtime::Tensor owned = filled(*world.backend, {2, 3}, 0.25);
  world.inputs = {input("x", {2, 3})};
  world.defined([](Probe& p, broch_tower tower, const broch_tensor* in, broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    double value = 0;
    CHECK(p.tensor->item(p.host, in[0], &value) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "broch.tensor/1 item: a tensor of shape (2, 3), expected one element"));
    double six[6] = {1, 1, 1, 1, 1, 1};
    CHECK(p.tensor->copy_out(p.host, in[0], BROCH_FLOAT64, six, sizeof six) == BROCH_OK);
    CHECK(six[5] == 0);
    CHECK(p.tensor->copy_out(p.host, in[0], 0, six, sizeof six) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "48 bytes, expected 24 for (2, 3) as float32"));
    CHECK(p.tensor->copy_out(p.host, in[0], 77, six, 1) == BROCH_E_INVALID_ARGUMENT);
    broch_dl_managed* exported = nullptr;
    CHECK(p.tensor->to_dlpack(p.host, p.get(tower, "w"), &exported) == BROCH_E_FAILED_PRECONDITION);
    CHECK(p.tensor->to_dlpack(p.host, in[0], &exported) == BROCH_OK);
    CHECK(exported->dl_tensor.shape[1] == 3);
    exported->deleter(exported);
    return BROCH_OK;
  });
}
