// tower_test.cpp: what a tower function may do, in which tower, and what comes of it.
#include <doctest/doctest.h>

#include "world.hpp"

using namespace broch;
using namespace broch::test;
using tower::RunInputs;
using tower::TowerResult;

namespace {

constexpr const char* kAdd =
    "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor";
constexpr const char* kDraw =
    "aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor";

broch_status simple(Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
  const broch_tensor w = p.get(tower, "w", BROCH_VARIABLE_TRAINABLE, {}, 0.5);
  *cost = p.publish(tower, "cost", p.call(kRelu, {w}));
  return BROCH_OK;
}

}  // namespace

TEST_CASE("tower: define fixes variables, names and cost, and a run gives their values") {
  World world;
  world.inputs = {input("image", {-1, 8}, {"B", ""})};
  const auto tower = world.defined(simple);
  CHECK(tower->registration().variables == std::vector<std::string>{"w"});
  CHECK(tower->registration().published == std::vector<std::string>{"cost float32 ()"});
  CHECK(tower->registration().has_cost);
  CHECK(tower->published_names() == std::vector<std::string>{"image", "cost"});
  CHECK(tower->index_of("cost") == 1);
  REQUIRE(tower->trainables().size() == 1);
  CHECK(tower->trainables()[0]->name == "w");

  RunInputs inputs;
  inputs.inputs = {filled(*world.backend, {4, 8}, 2)};
  const TowerResult result = tower->run(inputs, true);
  CHECK(world.backend->item(result.cost) == 0.5);
  CHECK(world.backend->item(result.published.at("cost")) == 0.5);
  CHECK(result.published[0].impl() == inputs.inputs[0].impl());
  REQUIRE(result.leaves.size() == 1);
  CHECK(world.backend->info(result.leaves[0].second).requires_grad);
  CHECK(tower->run(inputs, false).leaves.empty());
}

TEST_CASE("tower: define is called with zeros in which named dimensions agree") {
  World world;
  world.inputs = {input("image", {-1, 8, -1}, {"B", "", ""}),
                  input("label", {-1}, {"B"}, BROCH_INT64)};
  std::vector<std::string> shapes;
  const auto body = [&](Probe& p, broch_tower tower, const broch_tensor* in, broch_tensor* cost) {
    for (int i = 0; i < 2; ++i) {
      broch_tensor_info info{};
      info.struct_size = sizeof info;
      p.need(p.tensor->info(p.host, in[i], &info));
      shapes.push_back(std::to_string(info.shape[0]) + " of dtype " + std::to_string(info.dtype));
    }
    return simple(p, tower, in, cost);
  };
  const auto tower = world.defined(body);
  CHECK(shapes == std::vector<std::string>{"2 of dtype 1", "2 of dtype 8"});
  RunInputs inputs;
  inputs.inputs = {filled(*world.backend, {5, 8, 3}, 1)};
  tower->run(inputs, true);
  CHECK(shapes[3] == "5 of dtype 8");
}

TEST_CASE("tower: define leaves variables as they are") {
  World world;
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor* in, broch_tensor* cost) {
    p.get(tower, "count", 0, {}, 5);
    p.need(p.tower->update(p.host, tower, p.find("count"), p.constant(tower, 6), BROCH_UPDATE_OPS));
    return simple(p, tower, in, cost);
  };
  const auto tower = world.defined(body);
  CHECK(world.value("count") == 5);
  const TowerResult result = tower->run({}, true);
  CHECK(world.value("count") == 5);
  tower::commit(world.variables, result.updates);
  CHECK(world.value("count") == 6);
}

TEST_CASE("tower: variables are created by the owner once and found by the others") {
  World world;
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    p.need(p.variables->scope_push(p.host, tower, "conv"));
    *cost = p.get(tower, "W");
    p.need(p.variables->scope_pop(p.host, tower));
    p.get(tower, "bn/gamma");
    return BROCH_OK;
  };
  const auto owner = world.defined(body);
  const auto other = world.defined(body, second_training());
  const auto predictor = world.defined(body, prediction());
  CHECK(world.variables.names() == std::vector<std::string>{"conv/W", "bn/gamma"});
  CHECK(other->registration().difference(owner->registration()).empty());
  CHECK(predictor->trainables().empty());
  world.variables.seal();
  CHECK(world.backend->item(owner->run({}, true).cost) == 0);
}

TEST_CASE("tower: a name asked for twice, or new under reuse, is an error naming it") {
  World world;
  const auto twice = error_of([&] {
    world.defined([](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor*) {
      p.get(tower, "w");
      p.get(tower, "w");
      return BROCH_OK;
    });
  });
  CHECK(has(twice,
            "1: model 'net' (test.model) failed in tower: variable 'w' in tower of model 'net'"));
  CHECK(has(twice, "asked for twice, expected once in a tower call"));
  CHECK(has(twice, "hint: keep the handle"));

  World fresh;
  const auto unknown = error_of([&] { fresh.defined(simple, prediction()); });
  CHECK(has(
      unknown,
      "variable 'w': asked for by tower 'tower-pred-0' of model 'net' (test.model) under reuse"));
  CHECK(has(unknown, "expected a variable that exists"));
  CHECK(has(unknown, "hint: a tower function asks for the same variables"));
}

TEST_CASE("tower: a tower under reuse may make LOCAL variables that are not trained") {
  World world;
  world.defined(
      [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor*) {
        p.get(tower, "scratch", BROCH_VARIABLE_LOCAL);
        return BROCH_OK;
      },
      prediction());
  CHECK(world.variables.find("scratch"));
}

TEST_CASE("tower: another shape under reuse is an error with both shapes") {
  World world;
  world.defined(simple);
  const auto text = error_of([&] {
    world.defined(
        [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor*) {
          p.get(tower, "w", BROCH_VARIABLE_TRAINABLE, {3});
          return BROCH_OK;
        },
        prediction());
  });
  CHECK(has(text, "as float32 (3,), expected float32 () as made by model 'net' (test.model)"));
}

TEST_CASE("tower: a call that registers something else is an error naming the difference") {
  World world;
  bool extra = false;
  const char* name = "loss";
  const auto body = [&](Probe& p, broch_tower tower, const broch_tensor* in, broch_tensor* cost) {
    p.publish(tower, name, p.constant(tower, 1));
    if (extra) p.publish(tower, "loss2", p.constant(tower, 1));
    return simple(p, tower, in, cost);
  };
  const auto tower = world.defined(body);
  tower->run({}, true);
  extra = true;
  auto text = error_of([&] { tower->run({}, true); });
  CHECK(has(text,
            "1: tower of model 'net' (test.model): published 'loss2' that was not there when the "
            "graph was defined"));
  CHECK(has(text, "expected the same registrations in every call"));
  CHECK(has(text, "hint: a tower function is a description"));
  extra = false;
  tower->run({}, true);  // an error leaves nothing behind
  name = "lost";
  text = error_of([&] { tower->run({}, true); });
  CHECK(has(text, "published 'lost' that was not there"));
}

TEST_CASE("tower: what is missing or of another type in a later call is named") {
  World world;
  int mode = 0;
  const auto body = [&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor w = p.get(tower, "w", BROCH_VARIABLE_TRAINABLE, {3});
    if (mode != 1) p.publish(tower, "a", mode == 2 ? w : p.constant(tower, 1));
    if (mode == 3) p.get(tower, "new");
    if (mode != 4) *cost = p.constant(tower, 1);
    if (mode == 5) p.publish(tower, "c", w);
    p.publish(tower, "b", w);
    if (mode != 5) p.publish(tower, "c", w);
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  const auto run = [&](int next) {
    mode = next;
    return error_of([&] { tower->run({}, true); });
  };
  CHECK(run(0).empty());
  CHECK(has(run(1), "did not have published 'a' that was there when the graph was defined"));
  CHECK(has(run(2), "published 'a float32 (3,)' where it was 'a float32 ()' when"));
  CHECK(
      has(run(3),
          "variable 'new' in tower of model 'net' (test.model): asked for, but it was not there"));
  CHECK(has(
      run(4),
      "cost of tower of model 'net' (test.model): none, expected a 0-dim floating-point tensor"));
  CHECK(has(run(5), "published 'c' where 'b' came when the graph was defined"));
}

TEST_CASE(
    "tower: handles taken before an update keep the old value, reads after it see the new one") {
  World world;
  double before = 0, after = 0, again = 0;
  const auto body = [&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor old = p.get(tower, "state", 0, {}, 1);
    p.need(p.tower->update(p.host, tower, p.find("state"), p.constant(tower, 2), "cost"));
    broch_tensor now = 0;
    p.need(p.variables->read(p.host, tower, p.find("state"), &now));
    before = p.item(old);
    after = p.item(now);
    again = p.item(old);
    *cost = p.publish(tower, "cost", now);
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  const TowerResult result = tower->run({}, true);
  CHECK(before == 1);
  CHECK(after == 2);
  CHECK(again == 1);
  REQUIRE(result.updates.size() == 1);
  CHECK(result.updates[0].anchor == "cost");
  CHECK_FALSE(result.updates[0].anchor_is_collection);
  CHECK(tower->registration().updates == std::vector<std::string>{"state @ cost"});
}

TEST_CASE("tower: updates that swap two variables are committed together") {
  World world;
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor a = p.get(tower, "a", 0, {}, 1);
    const broch_tensor b = p.get(tower, "b", 0, {}, 2);
    p.need(p.tower->update(p.host, tower, p.find("a"), b, BROCH_UPDATE_OPS));
    p.need(p.tower->update(p.host, tower, p.find("b"), a, BROCH_UPDATE_OPS));
    *cost = p.constant(tower, 0);
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  tower::commit(world.variables, tower->run({}, true).updates);
  CHECK(world.value("a") == 2);
  CHECK(world.value("b") == 1);
}

TEST_CASE("tower: an update needs the variable's type and an anchor that exists") {
  World world;
  const auto with = [&](const char* anchor, bool wrong_shape) {
    World fresh;
    return error_of([&] {
      fresh.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
        const broch_tensor w = p.get(tower, "w", 0, {3});
        *cost = p.constant(tower, 0);
        p.need(p.tower->update(p.host, tower, p.find("w"), wrong_shape ? *cost : w, anchor));
        p.publish(tower, "accuracy", *cost);
        return BROCH_OK;
      });
    });
  };
  CHECK(with("accuracy", false).empty());
  CHECK(with(BROCH_UPDATE_OPS, false).empty());
  const auto anchor = with("accurate", false);
  CHECK(has(anchor,
            "1: update of variable 'w' in tower of model 'net' (test.model): anchor 'accurate'"));
  CHECK(has(anchor,
            "expected a name that this tower publishes, UPDATE_OPS, or a collection it adds to, "
            "did you mean 'accuracy'?"));
  CHECK(has(anchor, "hint: publish the name"));
  const auto shape = with("accuracy", true);
  CHECK(has(shape,
            "update of variable 'w' in tower of model 'net' (test.model): float32 (), expected "
            "float32 (3,)"));
  CHECK(has(shape, "hint: convert or reshape the value"));
}

TEST_CASE(
    "tower: main keeps everything, other training towers lose summaries, prediction its updates "
    "too") {
  World world;
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor w = p.get(tower, "w", 0);
    for (const char* anchor : {BROCH_UPDATE_OPS, BROCH_SUMMARIES, "mine", "cost"})
      p.need(p.tower->update(p.host, tower, p.find("w"), w, anchor));
    for (const char* list : {BROCH_UPDATE_OPS, BROCH_SUMMARIES, BROCH_MOVING_SUMMARY_OPS, "mine"})
      p.need(p.tower->collection_add(p.host, tower, list, w));
    uint32_t count = 0;
    broch_tensor first = 0;
    p.need(p.tower->collection_get(p.host, tower, BROCH_SUMMARIES, &first, 1, &count));
    CHECK(count == 1);  // also where the list is dropped in the end
    p.need(p.summary->add(p.host, tower, "w", w, BROCH_SHOW_SCALAR));
    p.need(p.summary->moving(p.host, tower, "w", w, 0.95));
    *cost = p.publish(tower, "cost", w);
    return BROCH_OK;
  };
  const auto main = world.defined(body);
  const auto second = world.defined(body, second_training());
  const auto predict = world.defined(body, prediction());
  const auto facts = [](const TowerResult& result) {
    return std::vector<size_t>{result.updates.size(), result.collections.size(),
                               result.summaries.size(), result.moving.size()};
  };
  CHECK(facts(main->run({}, true)) == std::vector<size_t>{4, 4, 1, 1});
  CHECK(facts(second->run({}, true)) == std::vector<size_t>{3, 2, 0, 0});
  CHECK(facts(predict->run({}, false)) == std::vector<size_t>{2, 1, 0, 0});
  CHECK(main->run({}, true).updates[2].anchor_is_collection);
}

TEST_CASE("tower: a moving summary is a scalar, and once a name") {
  World world;
  std::string shape_error, twice;
  world.defined([&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    const broch_tensor w = p.get(tower, "w", 0, {3});
    *cost = p.constant(tower, 0);
    CHECK(p.summary->moving(p.host, tower, "w", w, 0.95) == BROCH_E_INVALID_ARGUMENT);
    shape_error = p.error();
    CHECK(p.summary->moving(p.host, tower, "m", *cost, 0.95) == BROCH_OK);
    CHECK(p.summary->moving(p.host, tower, "m", *cost, 0.95) == BROCH_E_ALREADY_EXISTS);
    CHECK(p.summary->moving(p.host, tower, "n", *cost, 1.0) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.summary->moving_in(p.host, tower, "m", *cost, 0.95, "MINE") == BROCH_E_ALREADY_EXISTS);
    CHECK(p.summary->moving_in(p.host, tower, "n", *cost, 0.95, "") == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.summary->moving_in(p.host, tower, "n", *cost, 0.95, nullptr) ==
          BROCH_E_INVALID_ARGUMENT);
    CHECK(p.summary->moving_in(p.host, tower, "n", *cost, 0.95, "MINE") == BROCH_OK);
    CHECK(p.summary->add(p.host, tower, "w", w, BROCH_SHOW_SCALAR) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.summary->add(p.host, tower, "w", w, BROCH_SHOW_IMAGE) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.summary->add(p.host, tower, "w", w, 0) == BROCH_E_INVALID_ARGUMENT);
    for (const char* name : {"", "gr\xfcn", "a\nb"}) {
      CHECK(p.summary->moving(p.host, tower, name, *cost, 0.95) == BROCH_E_INVALID_ARGUMENT);
      CHECK(p.summary->add(p.host, tower, name, w, BROCH_SHOW_RMS) == BROCH_E_INVALID_ARGUMENT);
    }
    CHECK(p.summary->add(p.host, tower, "w", w, BROCH_SHOW_HISTOGRAM) == BROCH_OK);
    CHECK(p.summary->add(p.host, tower, "w", w, BROCH_SHOW_RMS) == BROCH_E_ALREADY_EXISTS);
    return BROCH_OK;
  });
  CHECK(has(shape_error,
            "moving summary 'w' in tower of model 'net' (test.model): shape (3,), expected a 0-dim "
            "tensor"));
}

TEST_CASE("tower: what a value was computed from is known by published name") {
  World world;
  world.inputs = {input("x", {2}), input("y", {2})};
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor* in, broch_tensor* cost) {
    const broch_tensor h = p.publish(tower, "h", p.call(kRelu, {in[0]}));
    p.publish(tower, "side", p.call(kAdd, {h, in[1]}));
    const broch_tensor s = p.get(tower, "s", 0, {2});
    p.need(p.tower->update(p.host, tower, p.find("s"), h, "h"));
    broch_tensor read = 0;
    p.need(p.variables->read(p.host, tower, p.find("s"), &read));
    p.publish(tower, "state", read);
    p.publish(tower, "alone", s);
    *cost = p.publish(tower, "cost", p.constant(tower, 1));
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  const TowerResult result = tower->run({}, true);
  CHECK(result.depends("h", "x"));
  CHECK_FALSE(result.depends("h", "y"));
  CHECK(result.depends("side", "h"));
  CHECK(result.depends("side", "y"));
  CHECK(result.depends("state", "h"));
  CHECK_FALSE(result.depends("alone", "h"));
  CHECK(result.depends("", "cost"));
  CHECK_FALSE(result.depends("", "h"));
  CHECK(result.depends("h", "h"));
  CHECK_FALSE(result.depends("h", "unknown"));
  CHECK(tower->depends("side", "h"));
}

TEST_CASE("tower: names beyond the 63rd count as ancestors of each other, never as none") {
  World world;
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    broch_tensor last = p.constant(tower, 1);
    for (int i = 0; i < 70; ++i)
      last = p.publish(tower, std::string("n").append(std::to_string(i)).c_str(), last);
    *cost = last;
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  const TowerResult result = tower->run({}, true);
  CHECK(result.depends("", "n69"));
  CHECK(result.depends("n69", "n65"));
  CHECK(result.depends("n65", "n10"));
  CHECK_FALSE(result.depends("n10", "n65"));
  CHECK(result.depends("n65", "n69"));  // wrong, on the safe side
}

TEST_CASE("tower: feeding a published name substitutes there and cuts what came before") {
  World world;
  world.inputs = {input("x", {-1})};
  const auto body = [](Probe& p, broch_tower tower, const broch_tensor* in, broch_tensor* cost) {
    const broch_tensor h = p.publish(tower, "h", p.call(kRelu, {in[0]}));
    p.publish(tower, "out", p.call(kRelu, {h}));
    *cost = p.constant(tower, 1);
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  RunInputs inputs;
  inputs.inputs = {filled(*world.backend, {4}, 1)};
  inputs.feeds["h"] = filled(*world.backend, {7}, 9);
  const TowerResult result = tower->run(inputs, true);
  CHECK(world.backend->item(result.published.at("h")) == 9);
  CHECK(world.backend->item(result.published.at("out")) == 9);
  CHECK_FALSE(result.depends("out", "x"));
  CHECK(result.depends("out", "h"));

  RunInputs by_name;
  by_name.feeds["x"] = filled(*world.backend, {3}, 5);
  CHECK(world.backend->item(tower->run(by_name, true).published.at("out")) == 5);
}

TEST_CASE("tower: a feed of an unknown name or another type is an error with the names there are") {
  World world;
  world.inputs = {input("x", {-1})};
  const auto tower = world.defined(simple);
  RunInputs unknown;
  unknown.feeds["cots"] = filled(*world.backend, {}, 1);
  const auto text = error_of([&] { tower->run(unknown, true); });
  CHECK(has(text,
            "feed of 'cots': no such name in tower of model 'net' (test.model), expected an input "
            "or a published name (x, cost), did you mean 'cost'?"));
  RunInputs type;
  type.feeds["cost"] = filled(*world.backend, {}, 1, BROCH_INT64);
  CHECK(has(
      error_of([&] { tower->run(type, true); }),
      "feed of 'cost' in tower of model 'net' (test.model): int64 (), expected float32 of rank 0"));
  RunInputs rank;
  rank.feeds["x"] = filled(*world.backend, {}, 1);
  CHECK(has(error_of([&] { tower->run(rank, true); }),
            "feed of input 'x': float32 (), expected float32 (?,)"));
  World other;
  other.inputs = {input("x", {-1, 4})};
  const auto wide = other.defined(simple);
  RunInputs size;
  size.feeds["x"] = filled(*other.backend, {2, 5}, 1);
  CHECK(has(error_of([&] { wide->run(size, true); }),
            "feed of input 'x': float32 (2, 5), expected float32 (?, 4)"));
}

TEST_CASE("tower: draws depend on seed, tower, site and counter, on nothing else") {
  World world;
  bool more = false;
  std::vector<double> draws;
  const auto body = [&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    if (more) p.call("aten::rand(int[] size, Generator? generator=None) -> Tensor", {});
    draws.clear();
    draws.push_back(p.item(p.call(kDraw, {*cost})));
    draws.push_back(p.item(p.call(kDraw, {*cost})));
    p.need(p.variables->scope_push(p.host, tower, "drop"));
    draws.push_back(p.item(p.call(kDraw, {*cost})));
    return BROCH_OK;
  };
  const auto tower = world.defined(body);
  const auto run = [&](tower::Tower& which, uint64_t counter) {
    RunInputs inputs;
    inputs.hooked_run = counter;
    which.run(inputs, true);
    return draws;
  };
  const auto first = run(*tower, 1);
  CHECK(first[0] != first[1]);
  CHECK(first[0] != first[2]);
  CHECK(run(*tower, 2)[0] != first[0]);
  CHECK(run(*tower, 1) == first);
  more = true;  // another operator's draws move nothing
  CHECK(run(*tower, 1) == first);
  const auto other = world.defined(body, second_training());
  CHECK(run(*other, 1)[0] != first[0]);
  world.towers.rank = 1;
  const auto rank = world.defined(body);
  CHECK(run(*rank, 1)[0] != first[0]);
}

TEST_CASE("tower: names that nobody could ask for, twice or malformed, are errors") {
  World world;
  world.defined([](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    broch_tensor out = 0;
    CHECK(p.tower->publish(p.host, tower, "a", *cost, &out) == BROCH_OK);
    CHECK(p.tower->publish(p.host, tower, "a", *cost, &out) == BROCH_E_ALREADY_EXISTS);
    CHECK(p.tower->publish(p.host, tower, "", *cost, &out) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.tower->publish(p.host, tower, "1:a", *cost, &out) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.tower->publish(p.host, tower, nullptr, *cost, &out) == BROCH_E_INVALID_ARGUMENT);
    CHECK(p.variables->scope_pop(p.host, tower) == BROCH_E_FAILED_PRECONDITION);
    CHECK(p.variables->scope_push(p.host, tower, "") == BROCH_E_INVALID_ARGUMENT);
    broch_variable_spec spec{};
    spec.struct_size = sizeof spec;
    spec.dtype = BROCH_FLOAT32;
    spec.initializer = BROCH_INIT_CONSTANT;
    broch_variable variable = 0;
    for (const char* name : {"tower0/w", "a/b/a", "/a", "a/", "a//b", "a b", "a:b", ""}) {
      CHECK(p.variables->get(p.host, tower, name, &spec, &variable, &out) < 0);
    }
    return BROCH_OK;
  });
  CHECK(world.variables.all().empty());
}

TEST_CASE("tower: hyper-parameters and counters reach it as 0-dim tensors") {
  World world;
  world.defined([](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    p.need(p.hyper->declare(p.host, "keep", 0.3));
    const auto check = [&](const char* name, double value, broch_dtype dtype) {
      broch_tensor tensor = 0;
      p.need(p.hyper->tensor(p.host, tower, name, &tensor));
      broch_tensor_info info{};
      info.struct_size = sizeof info;
      p.need(p.tensor->info(p.host, tensor, &info));
      CHECK(info.rank == 0);
      CHECK(info.dtype == dtype);
      CHECK(p.item(tensor) == value);
    };
    check("keep", 0.3, BROCH_FLOAT64);
    check("global_step", 41, BROCH_INT64);
    check("epoch_num", 3, BROCH_INT64);
    broch_tensor tensor = 0;
    CHECK(p.hyper->tensor(p.host, tower, "keap", &tensor) == BROCH_E_NOT_FOUND);
    CHECK(has(p.error(),
              "hyper-parameter 'keap' in tower of model 'net' (test.model): no such "
              "hyper-parameter, expected global_step, epoch_num, keep, did you mean 'keep'?"));
    return BROCH_OK;
  });
}

TEST_CASE("tower: all_reduce sums or takes the mean, and refuses the other reductions") {
  World world;
  world.defined([](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.constant(tower, 1);
    broch_tensor reduced = 0;
    for (const int32_t mode : {BROCH_REDUCE_SUM, BROCH_REDUCE_MEAN})
      CHECK(p.tower->all_reduce(p.host, tower, *cost, mode, &reduced) == BROCH_OK);
    for (const int32_t mode : {BROCH_REDUCE_MIN, BROCH_REDUCE_MAX}) {
      CHECK(p.tower->all_reduce(p.host, tower, *cost, mode, &reduced) == BROCH_E_INVALID_ARGUMENT);
      CHECK(has(p.error(), "expected BROCH_REDUCE_SUM or BROCH_REDUCE_MEAN"));
    }
    return BROCH_OK;
  });
}

TEST_CASE("tower: its facts are those of its place") {
  World world;
  std::string seen;
  const auto body = [&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    broch_tower_info info{};
    info.struct_size = sizeof info;
    p.need(p.tower->info(p.host, tower, &info));
    seen = std::string(info.name) + " " + std::to_string(info.index) + "/" +
           std::to_string(info.total) + (info.is_training ? " training" : "") +
           (info.is_main ? " main" : "") + (info.has_own_variables ? " own" : "");
    *cost = p.constant(tower, 1);
    return BROCH_OK;
  };
  world.defined(body);
  CHECK(seen == " 0/1 training main own");
  world.defined(body, second_training());
  CHECK(seen == "tower1 1/2 training");
  world.defined(body, prediction());
  CHECK(seen == "tower-pred-0 0/1");
}

TEST_CASE("tower: a cost must be a floating-point number, and need not be in prediction") {
  World world;
  const auto vector = [](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
    *cost = p.get(tower, "w", 0, {3});
    return BROCH_OK;
  };
  CHECK(has(error_of([&] { world.defined(vector); }),
            "cost of tower of model 'net' (test.model): float32 (3,), expected a 0-dim"));
  const auto none = [](Probe&, broch_tower, const broch_tensor*, broch_tensor*) {
    return BROCH_OK;
  };
  CHECK(error_of([&] { world.defined(none, prediction()); }).empty());
  const auto garbage = [](Probe&, broch_tower, const broch_tensor*, broch_tensor* cost) {
    *cost = 12345;
    return BROCH_OK;
  };
  CHECK(has(error_of([&] { world.defined(garbage); }), "tower function, cost"));
}

TEST_CASE("tower: towers do not nest") {
  World world;
  const auto inner = world.defined(simple);
  std::string text;
  world.defined(
      [&](Probe& p, broch_tower tower, const broch_tensor*, broch_tensor* cost) {
        text = error_of([&] { inner->run({}, false); });
        *cost = p.constant(tower, 1);
        return BROCH_OK;
      },
      second_training());
  CHECK(has(text,
            "tower of model 'net' (test.model): called inside tower 'tower1' of model 'net' "
            "(test.model), expected towers that do not nest"));
}
