// variables_test.cpp: who may make which variable, what layout does, hyper-parameters.
#include <doctest/doctest.h>

#include <cmath>

#include "world.hpp"

using namespace broch;
using namespace broch::test;

namespace {

broch_variable_spec scalar(broch_dtype dtype = BROCH_FLOAT32, double value = 0) {
  broch_variable_spec spec{};
  spec.struct_size = sizeof spec;
  spec.dtype = dtype;
  spec.initializer = BROCH_INIT_CONSTANT;
  spec.a = value;
  return spec;
}

}  // namespace

TEST_CASE("variables: the store refuses what cannot be a variable, with the reason") {
  World world;
  runtime::VariableStore& store = world.variables;
  const auto make = [&](const std::string& name, const broch_variable_spec& spec) {
    return error_of([&] { store.create(name, spec, {}, "callback 'ema'"); });
  };
  CHECK(make("scope/W", scalar()).empty());
  CHECK(has(make("scope/W", scalar()),
            "1: variable 'scope/W': made by callback 'ema', but callback 'ema' has made it "
            "already, expected a name that is free"));
  CHECK(
      has(make("tower1/W", scalar()), "\"tower\" in part 'tower1' (asked for by callback 'ema')"));
  CHECK(has(make("conv/a/conv", scalar()), "'conv' twice in the path"));
  CHECK(has(make("b/b", scalar()),
            "hint: the variable itself is called 'b': rename the layer or scope 'b', for example "
            "'b_1'"));
  CHECK(has(make("conv/conv/W", scalar()), "hint: rename the layer or scope 'conv'"));
  CHECK(has(make("a//b", scalar()), "an empty part"));
  CHECK(has(make("a b", scalar()), "a character that names do not have"));
  auto spec = scalar(99);
  CHECK(has(make("x", spec), "variable 'x': dtype code 99, expected one of value.h"));
  spec = scalar(BROCH_INT64);
  spec.flags = BROCH_VARIABLE_TRAINABLE;
  CHECK(
      has(make("x", spec), "a trainable variable of dtype int64, expected a floating-point dtype"));
  spec = scalar();
  spec.initializer = 77;
  CHECK(has(make("x", spec), "initializer 77"));
  spec.initializer = BROCH_INIT_VALUES;
  CHECK(has(make("x", spec), "initializer VALUES without values"));
  const int64_t unknown[1] = {-1};
  spec = scalar();
  spec.rank = 1;
  spec.shape = unknown;
  CHECK(has(make("x", spec), "shape (-1,), expected dimensions that are known"));
  spec.rank = 9;
  CHECK(has(make("x", spec), "9 dimensions, expected at most 8"));
  store.seal();
  CHECK(has(make("late", scalar()),
            "made by callback 'ema' after set-up, expected all variables to exist"));
  CHECK(has(error_of([&] { store.at("scope/V"); }),
            "variable 'scope/V': no such variable, expected one of the 1 there are, did you mean "
            "'scope/W'?\n  hint: `broch plan` lists them"));
  CHECK(has(error_of([&] { store.at("W"); }), "the 1 there are, such as 'scope/W'"));
  CHECK(has(error_of([&] { store.at("unlike/anything"); }), "the 1 there are\n"));
}

TEST_CASE("variables: lay_out moves values once and only alike ones") {
  World world;
  runtime::VariableStore& store = world.variables;
  auto& a = store.create("a", scalar(BROCH_FLOAT32, 2), {}, "test");
  auto& b = store.create("b", scalar(BROCH_FLOAT32, 3), {}, "test");
  auto& c = store.create("c", scalar(BROCH_FLOAT64, 3), {}, "test");
  CHECK(has(error_of([&] {
              store.lay_out({&a, &c});
            }),
            "variable 'c': float64 on cpu:0, expected float32 on cpu:0 like 'a'"));
  const auto list = store.lay_out({&a, &b});
  CHECK(world.value("a") == 2);
  CHECK(world.value("b") == 3);
  CHECK(world.backend->info(list.buffer).shape.dims[0] == 32);  // two times 64 bytes
  CHECK(has(error_of([&] { store.lay_out({&b}); }), "variable 'b': laid out twice"));
  store.seal();
  CHECK(has(error_of([&] { store.lay_out({&c}); }), "laid out after set-up"));
}

TEST_CASE("hyper: numbers are set and read by name, whole ones stay whole") {
  World world;
  runtime::HyperParams& hypers = world.hypers;
  hypers.declare("learning_rate", 0.3, "trainer");
  hypers.declare("learning_rate", 0.7, "other");
  CHECK(hypers.get("learning_rate") == 0.3);
  hypers.set("learning_rate", 0.1);
  CHECK(hypers.get("learning_rate") == 0.1);
  CHECK(world.value("learning_rate") == 0.1);
  world.variables.create("count", scalar(BROCH_INT64, 4), {}, "test");
  CHECK(hypers.get("count") == 4);
  hypers.set("count", 5);
  CHECK(world.value("count") == 5);
  CHECK(has(error_of([&] { hypers.set("count", 0.5); }),
            "hyper-parameter 'count': 0.5, expected a whole number, since its dtype is int64"));
  CHECK(has(error_of([&] { hypers.set("count", 1e19); }), "since its dtype is int64"));
  world.variables.create("byte", scalar(BROCH_UINT8, 4), {}, "test");
  hypers.set("byte", 255);
  for (const double value : {256.0, -1.0})
    CHECK(has(error_of([&] { hypers.set("byte", value); }),
              "expected a number from 0 to 255, since its dtype is uint8"));
  CHECK(world.value("byte") == 255);
  CHECK(has(error_of([&] { hypers.declare("pace", std::nan(""), "test"); }),
            "hyper-parameter 'pace': nan, expected a number"));
  CHECK_FALSE(hypers.has("pace"));
  CHECK(has(error_of([&] { hypers.set("learning_rate", std::nan("")); }),
            "hyper-parameter 'learning_rate': nan, expected a number"));
  CHECK(hypers.get("learning_rate") == 0.1);
  CHECK(has(error_of([&] { hypers.get("learning_rat"); }),
            "hyper-parameter 'learning_rat': no such hyper-parameter or variable, expected a "
            "hyper-parameter (learning_rate) or the full name of a variable of one element, did "
            "you mean 'learning_rate'?"));
  const int64_t three[1] = {3};
  auto spec = scalar();
  spec.rank = 1;
  spec.shape = three;
  world.variables.create("w", spec, {}, "test");
  CHECK(has(error_of([&] { hypers.get("w"); }), "a variable of shape (3,), expected one element"));
  world.backend->assign(world.variables.at("learning_rate").value,
                        filled(*world.backend, {}, 9, BROCH_FLOAT64));
  CHECK(hypers.get("learning_rate") == 0.1);
  hypers.refresh();
  CHECK(hypers.get("learning_rate") == 9);
  world.variables.seal();
  CHECK(has(error_of([&] { hypers.declare("late", 1, "callback 'x'"); }),
            "made by callback 'x' after set-up"));
}

TEST_CASE("variables: the extension creates, finds, lists, reads and assigns outside towers") {
  World world;
  Probe& p = world.probe;
  world.main([&] {
    broch_variable a = 0, found = 0;
    auto spec = scalar(BROCH_FLOAT32, 2);
    spec.flags = BROCH_VARIABLE_MODEL;
    CHECK(p.variables->create(p.host, "slot/a", &spec, &a) == BROCH_OK);
    CHECK(p.variables->create(p.host, "slot/a", &spec, &a) < 0);
    CHECK(p.variables->find(p.host, "slot/a", &found) == BROCH_OK);
    CHECK(found == a);
    CHECK(p.variables->find(p.host, "slot/b", &found) == BROCH_E_NOT_FOUND);
    broch_variable list[4];
    uint32_t count = 0;
    CHECK(p.variables->list(p.host, 0, BROCH_VARIABLE_MODEL, list, 4, &count) == BROCH_OK);
    CHECK(count == 1);
    CHECK(p.variables->list(p.host, 0, BROCH_VARIABLE_TRAINABLE, nullptr, 0, &count) == BROCH_OK);
    CHECK(count == 0);
    broch_variable_info info{};
    info.struct_size = sizeof info;
    CHECK(p.variables->info(p.host, a, &info) == BROCH_OK);
    CHECK(std::string(info.name) == "slot/a");
    float three = 3;
    broch_dl_tensor data{&three,  {BROCH_DL_CPU, 0}, 0, runtime::to_dl(BROCH_FLOAT32),
                         nullptr, nullptr,           0};
    CHECK(p.variables->assign(p.host, a, &data) == BROCH_OK);
    broch_tensor value = 0;
    CHECK(p.variables->value(p.host, a, &value) == BROCH_OK);
    CHECK(p.item(value) == 3);
    int64_t one[1] = {1};
    data.ndim = 1;
    data.shape = one;
    CHECK(p.variables->assign(p.host, a, &data) == BROCH_E_INVALID_ARGUMENT);
    CHECK(has(p.error(), "variable 'slot/a': float32 (1,), expected float32 ()"));
    world.towers.in_run = true;
    data.ndim = 0;
    CHECK(p.variables->assign(p.host, a, &data) == BROCH_E_FAILED_PRECONDITION);
    CHECK(has(p.error(), "variable 'slot/a': assigned inside a hooked run"));
    CHECK(p.hyper->set(p.host, "nothing", 1) == BROCH_E_NOT_FOUND);
    CHECK(p.hyper->set(p.host, "slot/a", 8) == BROCH_OK);
    double number = 0;
    CHECK(p.hyper->get(p.host, "slot/a", &number) == BROCH_OK);
    CHECK(number == 8);
    return BROCH_OK;
  });
}
