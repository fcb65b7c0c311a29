// sequential_test.cpp: models in a manifest train as those in C++ do, resume, and say what is
// wrong.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>

#include "cli_harness/cli_harness.hpp"

using namespace broch;
using cli_harness::Json;

namespace {

Json saver() {
  return {{"use", "model-saver"}, {"when", {{"before_train", true}, {"every_k_epochs", 1}}}};
}

// Number x0, x1 or x2 of a row.
double cell(int row, int column) {
  return column == 0 ? row % 5 : column == 1 ? 0.25 * (row % 7) : -0.5 * (row % 3);
}

// 24 rows x0, x1, x2, y in a file of the folder, in batches of 8.
Json table(const cli_harness::Folder& folder) {
  const std::string path = folder / "table.csv";
  std::ofstream file(path);
  file << "a,b,c,y\n";
  for (int i = 0; i < 24; ++i)
    file << cell(i, 0) << ',' << cell(i, 1) << ',' << cell(i, 2) << ',' << 0.1 * i << '\n';
  const Json x{{"columns", {"a", "b", "c"}}, {"name", "x"}};
  const Json y{{"columns", {"y"}}, {"scalar", true}, {"name", "y"}};
  const Json csv{{"use", "csv"}, {"with", {{"file", path}, {"components", {x, y}}}}};
  return {{"use", "batch"}, {"with", {{"batch_size", 8}, {"dataflow", csv}}}};
}

Json digits() {
  const Json image{{"file", DIGITS},
                   {"columns", {0, 64}},
                   {"shape", {1, 8, 8}},
                   {"scale", 0.0625},
                   {"name", "image"}};
  const Json label{{"file", DIGITS},
                   {"columns", {64, 1}},
                   {"shape", Json::array()},
                   {"dtype", "int64"},
                   {"name", "label"}};
  const Json every{{"every", 5}, {"offset", 4}};
  const Json arrays{{"use", "arrays"},
                    {"with", {{"components", {image, label}}, {"select", {every}}}}};
  const Json shuffle{{"use", "shuffle"}, {"with", {{"dataflow", arrays}}}};
  return {{"use", "batch"}, {"with", {{"batch_size", 32}, {"dataflow", shuffle}}}};
}

Json manifest(const Json& model, const Json& dataflow) {
  return {{"broch", 1},
          {"seed", 3},
          {"plugins", {BY_HAND}},
          {"model", model},
          {"dataflow", dataflow},
          {"optimizer", {{"use", "adam"}, {"with", {{"learning_rate", 0.01}}}}},
          {"callbacks", {saver()}},
          {"max_epoch", 2}};
}

Json mlp() {
  return Json::parse(R"({"use": "sequential", "with": {
    "inputs": [{"name": "x", "shape": [-1, 3]}, {"name": "y", "shape": [-1]}],
    "layers": [{"layer": "fully_connected", "units": 5, "activation": "tanh"},
               {"layer": "fully_connected", "units": 1, "name": "out"}],
    "loss": "mse", "metrics": ["mean_absolute_error"]
  }})");
}

Json cnn() {
  return Json::parse(R"({"use": "sequential", "with": {
    "inputs": [{"name": "image", "shape": [-1, 1, 8, 8]},
               {"name": "label", "dtype": "int64", "shape": [-1]}],
    "layers": [
      {"layer": "conv2d", "channels": 6, "use_bias": false},
      {"layer": "batch_norm", "activation": "relu"},
      {"layer": "repeat", "name": "blocks", "times": 2, "layers": [
        {"layer": "residual", "activation": "relu", "layers": [
          {"layer": "conv2d", "channels": 6, "use_bias": false},
          {"layer": "batch_norm", "activation": "relu"}
        ]}
      ]},
      {"layer": "max_pool2d", "name": "pool"},
      {"layer": "dropout", "rate": 0.25},
      {"layer": "fully_connected", "units": 10, "name": "out", "weight": {"init": "glorot_uniform"}}
    ],
    "loss": {"loss": "cross_entropy", "label_smoothing": 0.1},
    "metrics": ["accuracy", {"metric": "top_k", "k": 3}],
    "regularizers": [{"regularizer": "l2", "scale": 1e-3}],
    "summaries": [{"tensor": "image", "show": "image"}, {"tensor": "blocks"}]
  }})");
}

// Every variable of b's checkpoint after so many steps. a may have more: averages of metrics.
void check_equal(const cli_harness::Training& a, const cli_harness::Training& b, int64_t step) {
  const cli_harness::Values ours = a.checkpoint(step), theirs = b.checkpoint(step);
  for (const auto& [name, values] : theirs) {
    CAPTURE(name);
    REQUIRE(ours.contains(name));
    CHECK(ours.at(name) == values);
  }
}

// What `broch train` says of the model with this change.
std::string refused(const std::string& override_text) {
  const cli_harness::Folder folder;
  const cli_harness::Training training(folder, "run", manifest(cnn(), digits()));
  CHECK(training.run({override_text}) == 3);
  return training.talk();
}

}  // namespace

TEST_CASE("sequential: a perceptron on a table has the bits of the same model in C++") {
  const cli_harness::Folder folder;
  const cli_harness::Training ours(folder, "ours", manifest(mlp(), table(folder)));
  const cli_harness::Training theirs(folder, "theirs", manifest("by_hand.mlp", table(folder)));
  REQUIRE_MESSAGE(ours.run() == 0, ours.talk());
  REQUIRE_MESSAGE(theirs.run() == 0, theirs.talk());
  check_equal(ours, theirs, 6);
  CHECK(ours.checkpoint(0).at("out/W") != ours.checkpoint(6).at("out/W"));
}

TEST_CASE("sequential: a network on digits has the bits of the same model in C++, and resumes") {
  const cli_harness::Folder folder;
  const Json model = cnn();
  Json evaluated = manifest(model, digits());
  evaluated["callbacks"].push_back(
      {{"use", "inference-runner"},
       {"with",
        {{"dataflow", digits()},
         {"inferencers",
          {"classification-error",
           {{"use", "scalar-stats"},
            {"with", {{"names", {"cost", "loss", "accuracy", "top_3_accuracy"}}}}}}}}}});
  const cli_harness::Training ours(folder, "ours", evaluated);
  const cli_harness::Training theirs(folder, "theirs", manifest("by_hand.cnn", digits()));
  const cli_harness::Training parts(folder, "parts", manifest(model, digits()));
  REQUIRE_MESSAGE(ours.run() == 0, ours.talk());
  REQUIRE_MESSAGE(theirs.run() == 0, theirs.talk());
  const int64_t step = 2 * (1797 / 5 / 32);
  check_equal(ours, theirs, step);

  REQUIRE(parts.run({"max_epoch=1"}) == 0);
  REQUIRE(parts.run({"--resume"}) == 0);
  check_equal(parts, ours, step);

  // What inferencers and monitors got.
  const Json last = ours.stats().back();
  const double error = last.at("validation_error");
  CHECK(error > 0);
  CHECK(last.at("validation_accuracy").get<double>() == doctest::Approx(1 - error).epsilon(1e-5));
  CHECK(last.at("validation_top_3_accuracy").get<double>() >= 1 - error);
  CHECK(last.at("validation_cost") == last.at("validation_loss"));  // no penalty in inference
  for (const std::string name : {"cost", "accuracy", "top_3_accuracy"}) {
    CAPTURE(name);
    CHECK(last.contains(name));
  }
}

TEST_CASE("sequential: torch names are those of a state_dict") {
  const cli_harness::Folder folder;
  Json model = cnn();
  model["with"]["names"] = "torch";
  const cli_harness::Training training(folder, "run", manifest(model, digits()));
  REQUIRE_MESSAGE(training.run({"max_epoch=1"}) == 0, training.talk());
  const cli_harness::Values values = training.checkpoint(1797 / 5 / 32);
  for (const std::string name : {"conv2d_1.weight", "batch_norm_1.running_var", "out.bias",
                                 "blocks.1.residual_1.batch_norm_1.num_batches_tracked"}) {
    CAPTURE(name);
    CHECK(values.contains(name));
  }
  CHECK(values.at("blocks.0.residual_1.batch_norm_1.num_batches_tracked") ==
        std::vector<double>{1797 / 5 / 32});
}

TEST_CASE("sequential: layers inside layers of their kind have names that differ from theirs") {
  const cli_harness::Folder folder;
  Json model = mlp();
  model["with"]["layers"] = Json::parse(R"([
    {"layer": "repeat", "times": 2, "name": "outer", "layers": [
      {"layer": "residual", "layers": [
        {"layer": "residual", "layers": [{"layer": "linear", "units": 3}]}
      ]},
      {"layer": "repeat", "times": 2, "layers": [{"layer": "linear", "units": 3}]}
    ]},
    {"layer": "fully_connected", "units": 1, "name": "out"}])");
  const cli_harness::Training usual(folder, "usual", manifest(model, table(folder)));
  model["with"]["names"] = "torch";
  const cli_harness::Training torch(folder, "torch", manifest(model, table(folder)));
  REQUIRE_MESSAGE(usual.run({"max_epoch=1"}) == 0, usual.talk());
  REQUIRE_MESSAGE(torch.run({"max_epoch=1"}) == 0, torch.talk());
  const cli_harness::Values ours = usual.checkpoint(3), theirs = torch.checkpoint(3);
  for (const std::string name : {"outer/0/residual_1/residual_2/linear_1/W",
                                 "outer/1/repeat_1_0/linear_1/W", "outer/1/repeat_1_1/linear_1/b"})
    CHECK_MESSAGE(ours.contains(name), name);
  for (const std::string name :
       {"outer.0.residual_1.residual_1.linear_1.weight", "outer.1.repeat_1.0.linear_1.weight"})
    CHECK_MESSAGE(theirs.contains(name), name);
}

TEST_CASE("sequential: regularizers count all matrices, and no scales of norms") {
  const cli_harness::Folder folder;
  Json model = mlp();
  model["with"]["names"] = "torch";
  model["with"]["layers"] = Json::parse(R"([{"layer": "reshape", "shape": [3, 1]},
    {"layer": "rnn", "units": 2, "last": true, "name": "rnn"},
    {"layer": "layer_norm", "name": "norm"},
    {"layer": "fully_connected", "units": 1, "name": "out"}])");
  model["with"]["regularizers"] = Json::parse(R"([{"regularizer": "l1", "scale": 0.1}])");
  const cli_harness::Training usual(folder, "usual", manifest(model, table(folder)));
  model["with"]["regularizers"][0]["variables"] = "^(rnn|out)[.]weight";
  const cli_harness::Training named(folder, "named", manifest(model, table(folder)));
  REQUIRE_MESSAGE(usual.run() == 0, usual.talk());
  REQUIRE_MESSAGE(named.run() == 0, named.talk());
  check_equal(usual, named, 6);
  CHECK(usual.checkpoint(6).contains("rnn.weight_hh_l0"));
  CHECK(usual.checkpoint(6).contains("norm.weight"));
}

TEST_CASE("sequential: a regularizer whose expression no name contains is refused") {
  const cli_harness::Folder folder;
  Json model = mlp();
  model["with"]["regularizers"] =
      Json::parse(R"([{"regularizer": "l2", "scale": 0.1, "variables": "out/w"}])");
  const cli_harness::Training wrong(folder, "wrong", manifest(model, table(folder)));
  CHECK(wrong.run() != 0);
  for (const char* part : {"/model/with/regularizers/0/variables: ", "'out/w' is found in no name"})
    CHECK_MESSAGE(wrong.talk().find(part) != std::string::npos, wrong.talk());
}

TEST_CASE("sequential: virtual batches of more samples than a set-up has, and a smaller batch") {
  const cli_harness::Folder folder;
  const Json model = Json::parse(R"({"use": "sequential", "with": {
    "inputs": [{"name": "x", "shape": [-1, 3]}, {"name": "y", "shape": [-1]}],
    "layers": [{"layer": "batch_norm", "virtual_batch": 4, "name": "four"},
               {"layer": "batch_norm", "virtual_batch": 100, "input": "x", "name": "hundred"},
               {"layer": "add", "with": ["four"]},
               {"layer": "fully_connected", "units": 1}],
    "loss": "mse"
  }})");
  const cli_harness::Training training(folder, "run", manifest(model, table(folder)));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const cli_harness::Values values = training.checkpoint(3);
  for (const auto& [name, size] : {std::pair("four", 4), std::pair("hundred", 8)}) {
    for (int column = 0; column < 3; ++column) {
      double mean = 0, variance = 1;  // momentum is 0.9
      for (int step = 0; step < 3; ++step) {
        mean *= 0.9;
        variance *= 0.9;
        for (int first = 8 * step; first < 8 * step + 8; first += size) {
          double sum = 0, squares = 0;
          for (int row = first; row < first + size; ++row) sum += cell(row, column);
          for (int row = first; row < first + size; ++row)
            squares += std::pow(cell(row, column) - sum / size, 2);
          const double share = 0.1 * size / 8;
          mean += share * sum / size;
          variance += share * squares / (size - 1);
        }
      }
      CAPTURE(name);
      CAPTURE(column);
      const std::string norm = name;
      const double running_mean = values.at(norm + "/mean/EMA")[size_t(column)];
      const double running_variance = values.at(norm + "/variance/EMA")[size_t(column)];
      CHECK(running_mean == doctest::Approx(mean).epsilon(1e-5));
      CHECK(running_variance == doctest::Approx(variance).epsilon(1e-5));
    }
  }
}

TEST_CASE("sequential: what does not fit names the line of the layer, and both shapes") {
  struct Row {
    std::string change;
    std::vector<std::string> parts;
  };
  const std::string place = "model.with.layers";
  const Row rows[] = {
      {place + R"([0]={"layer": "rnn", "units": 3})",
       {"/model/with/layers/0: ", "x is float32 (2, 1, 8, 8), expected (N, T, inputs)"}},
      {place + "[2].layers[0].layers[0].channels=4",
       {"run.json:", "/model/with/layers/2/layers/0: ", "the layers give float32 (2, 4, 8, 8)",
        "the input is float32 (2, 6, 8, 8)"}},
      {place + "[2].layers[0].layers[0].groups=4",
       {"run.json:", "/model/with/layers/2/layers/0/layers/0: ",
        "groups is 4, channels is 6 and x is float32 (2, 6, 8, 8)"}},
      {place + "[3].kernel=20",
       {"run.json:", "/model/with/layers/3: ", "given: float32 (2, 6, 8, 8)"}},  // by an operator
      {"model.with.loss=mse",
       {"/model/with/loss: ", "the output is float32 (2, 10) and the target is int64 (2,)"}},
      {R"(model.with.loss={"loss": "cross_entropy", "class_weights": [1, 2]})",
       {"/model/with/loss: ", "2 class_weights, expected 10"}},
      {R"(model.with.loss={"loss": "cross_entropy", "input": "nowhere"})",
       {"/model/with/loss: ", "no input or earlier layer is called 'nowhere'", "batch_norm_1"}},
      {"model.with.metrics[1].k=11", {"run.json:", "/model/with/metrics/1: ", "at most 10"}},
      {place + R"([3]={"layer": "concat", "with": ["blocks", "image"], "dim": 2})",
       {"/model/with/layers/3: ", "float32 (2, 6, 8, 8)", "float32 (2, 1, 8, 8)",
        "one shape except in dimension 2"}},
      {place + R"([3]={"layer": "reshape", "shape": [5, -1]})",
       {"/model/with/layers/3: ", "shape is (5, -1) and x is float32 (2, 6, 8, 8)", "384"}},
      {place + R"([3].name=image)", {"/model/with/layers/3: ", "another layer or input"}},
      {place + "[5].name=b",
       {"run.json:", "/model/with/layers/5: ", "variable 'b/b': 'b' twice in the path",
        "rename the layer or scope 'b', for example 'b_1'"}},
      {place + R"([3].input=later)", {"/model/with/layers/3: ", "'later'"}},
      // Before anything runs.
      {place + "[2].layers[0].layers[0].chanels=4",
       {"/layers/2/layers/0/layers/0/chanels: unknown key", "did you mean 'channels'?"}},
      {place + "[2].layers[0].layer=residul", {"'residul'", "did you mean 'residual'?"}},
      {place + "[3].stride=0", {"/model/with/layers/3/stride: 0", "an integer, at least 1"}},
      {place + "[5].weight.init=glorot", {"/layers/5/weight/init: 'glorot'", "glorot_uniform"}},
      {R"(model.with.loss={"label_smoothing": 0.1})", {"/model/with/loss: no key 'loss'"}},
      {R"(model.with.loss={"loss": "triplet"})", {"no key 'positive'"}},
      {R"(model.with.metrics=[{"metric": "accuracy", "name": "cost"}])",
       {"/model/with/metrics/0: ", "the name is 'cost'", "expected another name"}},
      {"model.with.inputs[1].name=cost",
       {"/model/with/inputs/1/name: ", "'cost', under which a result of the model is published"}},
      {R"(model.with.metrics=["acuracy"])", {"did you mean 'accuracy'?"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.change);
    const std::string said = refused(row.change);
    for (const std::string& part : row.parts) {
      CAPTURE(part);
      CHECK_MESSAGE(said.find(part) != std::string::npos, said);
    }
  }
}
