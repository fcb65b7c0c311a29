// kinds_test.cpp: every kind of layer, loss and metric can be written in a manifest.
#include <doctest/doctest.h>

#include <cstdio>
#include <set>

#include "cli_harness/cli_harness.hpp"

using namespace broch;
using cli_harness::Json;

namespace {

// What a command prints.
std::string said_by(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += char(c);
  CHECK(pclose(pipe) == 0);
  return text;
}

// The words under a key among the branches of a choice.
std::set<std::string> constants(const Json& branches, const std::string& key) {
  std::set<std::string> words;
  for (const Json& branch : branches)
    if (branch.contains("properties"))
      words.insert(branch["properties"][key]["const"].get<std::string>());
  return words;
}
void collect(const Json& value, const std::string& key, std::set<std::string>& words) {
  if (value.is_object() && value.contains(key) && value[key].is_string())
    words.insert(value[key].get<std::string>());
  for (const Json& inner : value)
    if (inner.is_structured()) collect(inner, key, words);
}

// A layer of each kind, and each result as a part of the cost.
Json layers() {
  return Json::parse(R"([
    {"layer": "scale", "name": "image", "input": "pixels", "factor": 0.00390625, "offset": -0.5},
    {"layer": "conv2d", "channels": 8, "kernel": [3, 1], "stride": [1, 1], "padding": [1, 0],
     "activation": "leaky_relu"},
    {"layer": "batch_norm", "virtual_batch": 2, "use_scale": false},
    {"layer": "batch_renorm", "activation": "mish"},
    {"layer": "group_norm", "groups": 4},
    {"layer": "instance_norm"},
    {"layer": "prelu", "by_channel": true},
    {"layer": "maxout", "units": 2},
    {"layer": "activation", "function": "gelu"},
    {"layer": "dropout", "rate": 0.1},
    {"layer": "residual", "layers": [{"layer": "conv2d", "channels": 6, "groups": 2}],
     "shortcut": [{"layer": "conv2d", "channels": 6, "kernel": 1}]},
    {"layer": "parallel", "branches": [
      [{"layer": "max_pool2d", "kernel": 3, "stride": 1, "padding": 1}],
      [{"layer": "avg_pool2d", "kernel": [3, 3], "stride": 1, "padding": 1}], []], "join": "mean"},
    {"layer": "repeat", "times": 2, "layers": [{"layer": "conv2d", "channels": 4}]},
    {"layer": "skip", "layers": [{"layer": "max_pool2d"},
                                 {"layer": "conv2d_transpose", "channels": 3}]},
    {"layer": "concat", "with": ["image"], "name": "joined"},
    {"layer": "pixel_shuffle", "name": "larger", "input": "repeat_1"},
    {"layer": "global_avg_pool", "name": "a"},
    {"layer": "upsample_nearest", "input": "image"},
    {"layer": "upsample_bilinear", "factor": [1, 2]},
    {"layer": "fixed_unpool", "matrix": [1, 2, 3, 4]},
    {"layer": "adaptive_avg_pool2d", "size": [2, 1], "name": "small"},
    {"layer": "global_max_pool", "input": "joined"},
    {"layer": "fully_connected", "units": 6, "weight": {"init": "normal", "scale": 0.1}},
    {"layer": "normalize", "name": "unit"},
    {"layer": "reshape", "input": "joined", "shape": [2, 5, 8, 8], "name": "volume"},
    {"layer": "conv3d", "channels": 2, "kernel": [1, 3, 3]},
    {"layer": "max_pool3d", "kernel": [1, 2, 2]},
    {"layer": "avg_pool3d", "kernel": 2},
    {"layer": "flatten", "name": "flat"},
    {"layer": "embedding", "rows": 5, "width": 8, "input": "words"},
    {"layer": "position_embedding", "rows": 6, "name": "words_at"},
    {"layer": "multi_head_attention", "heads": 4, "kv_heads": 2, "rotary": {}, "causal": true,
     "use_bias": false},
    {"layer": "transformer_block", "heads": 2, "hidden": 8, "rms": true, "gated": true,
     "activation": "silu", "memory": "words_at", "name": "block"},
    {"layer": "layer_norm"},
    {"layer": "rms_norm"},
    {"layer": "linear", "units": 5},
    {"layer": "softmax", "name": "weights"},
    {"layer": "rnn", "units": 5, "input": "block"},
    {"layer": "gru", "units": 5, "stacked": 2, "dropout": 0.1},
    {"layer": "multiply", "with": ["weights"]},
    {"layer": "add", "with": ["weights"], "activation": "tanh"},
    {"layer": "permute", "dims": [0, 2, 1]},
    {"layer": "conv1d", "channels": 4, "stride": 2},
    {"layer": "max_pool1d"},
    {"layer": "avg_pool1d", "kernel": 1, "name": "line"},
    {"layer": "lstm", "units": 6, "last": true, "bidirectional": true, "input": "block",
     "name": "state"},
    {"layer": "mean", "dims": [1], "input": "words_at", "name": "middle"},
    {"layer": "select", "index": 0, "input": "words_at", "name": "first"},
    {"layer": "flatten", "input": "larger", "name": "large"},
    {"layer": "flatten", "input": "small", "name": "little"},
    {"layer": "flatten", "input": "line", "name": "short"},
    {"layer": "concat", "input": "a", "with": ["unit", "flat", "state", "middle", "first", "large",
     "little", "short"]},
    {"layer": "linear", "units": 3},
    {"layer": "log_softmax", "name": "logs"}
  ])");
}

Json manifest() {
  const Json inputs = Json::parse(R"([
    {"name": "pixels", "shape": [-1, 3, 8, 8]},
    {"name": "words", "dtype": "int64", "shape": [-1, 4]},
    {"name": "label", "dtype": "int64", "shape": [-1]}
  ])");
  const Json components = Json::parse(R"([
    {"shape": [4, 3, 8, 8], "high": 256, "name": "pixels"},
    {"shape": [4, 4], "dtype": "int64", "high": 5, "name": "words"},
    {"shape": [4], "dtype": "int64", "high": 3, "name": "label"}
  ])");
  return {
      {"broch", 1},
      {"model",
       {{"use", "sequential"},
        {"with", {{"inputs", inputs}, {"layers", layers()}, {"loss", "nll"}}}}},
      {"dataflow", {{"use", "fake"}, {"with", {{"size", 3}, {"components", components}}}}},
      {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.01}}}}},
      {"callbacks", {{{"use", "model-saver"}, {"when", {{"before_train", true}}}}, "model-saver"}},
      {"max_epoch", 1}};
}

}  // namespace

TEST_CASE("sequential: recurrent layers have weights that only matrices can have") {
  const cli_harness::Folder folder;
  Json run = manifest();
  Json& with = run["model"]["with"];
  with["layers"] = Json::parse(R"([
    {"layer": "embedding", "rows": 5, "width": 4, "input": "words"},
    {"layer": "gru", "units": 3, "weight": {"init": "he_normal"}},
    {"layer": "lstm", "units": 3, "last": true, "weight": {"init": "orthogonal"}, "name": "lstm"},
    {"layer": "log_softmax"}
  ])");
  const cli_harness::Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const cli_harness::Values values = training.checkpoint(0);
  CHECK(values.at("lstm/b_ih") == std::vector<double>(12));
  const std::vector<double>& w = values.at("lstm/W_hh");  // (12, 3), with columns of length 1
  double square = 0;
  for (size_t row = 0; row < 12; ++row) square += w[3 * row] * w[3 * row];
  CHECK(square == doctest::Approx(1));
}

TEST_CASE("sequential: a dilated convolution without padding keeps the size of images") {
  const cli_harness::Folder folder;
  Json run = manifest();
  Json& list = run["model"]["with"]["layers"];
  list = Json::parse(R"([
    {"layer": "scale", "factor": 0.00390625},
    {"layer": "residual", "layers": [{"layer": "conv2d", "channels": 3, "dilation": [2, 3]}]},
    {"layer": "global_avg_pool"},
    {"layer": "log_softmax"}
  ])");
  const cli_harness::Training usual(folder, "usual", run);
  list[1]["layers"][0]["padding"] = Json::array({2, 3});
  const cli_harness::Training given(folder, "given", run);
  REQUIRE_MESSAGE(usual.run() == 0, usual.talk());
  REQUIRE_MESSAGE(given.run() == 0, given.talk());
  const std::string weight = "residual_1/conv2d_1/W";
  CHECK(usual.checkpoint(3).at(weight) == given.checkpoint(3).at(weight));
  CHECK(usual.checkpoint(3).at(weight) != usual.checkpoint(0).at(weight));
}

TEST_CASE("sequential: synchronized batch norm of a single number keeps its statistics finite") {
  const cli_harness::Folder folder;
  Json run = manifest();
  Json& model = run["model"]["with"];
  model["inputs"] =
      Json::parse(R"([{"name": "x", "shape": [-1, 2]}, {"name": "y", "shape": [-1, 2]}])");
  model["layers"] = Json::parse(R"([{"layer": "batch_norm", "sync": true, "name": "norm"}])");
  model["loss"] = "mse";
  run["dataflow"]["with"]["components"] = Json::parse(R"([{"shape": [1, 2]}, {"shape": [1, 2]}])");
  const cli_harness::Training training(folder, "run", run);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const cli_harness::Values values = training.checkpoint(3);
  for (const double variance : values.at("norm/variance/EMA"))
    CHECK(variance == doctest::Approx(0.729));  // 0.9 to the power of 3
}

TEST_CASE("sequential: a network of all kinds of layers trains, eagerly and recorded alike") {
  const Json schema = Json::parse(said_by(PROGRAM " plugin inspect sequential --json"));
  const Json& options = schema["components"][0]["options"]["properties"];
  std::set<std::string> used;
  collect(layers(), "layer", used);
  CHECK(used == constants(options["layers"]["definitions"]["layer"]["oneOf"], "layer"));

  const cli_harness::Folder folder;
  Json eager = manifest();
  eager["runtime"] = {{"execution", "eager"}};
  const cli_harness::Training one(folder, "one", eager), other(folder, "other", manifest());
  REQUIRE_MESSAGE(one.run() == 0, one.talk());
  REQUIRE_MESSAGE(other.run() == 0, other.talk());
  const cli_harness::Values before = one.checkpoint(0), after = one.checkpoint(3),
                            recorded = other.checkpoint(3);
  for (const auto& [name, values] : after) {
    CAPTURE(name);
    for (size_t i = 0; i < values.size(); ++i)
      CHECK(values[i] == doctest::Approx(recorded.at(name)[i]).epsilon(1e-4));
    // Each variable is used: its gradient is not zero. (A bias before a normalization has none.)
    const bool is_trained = name.ends_with("/W") || name.ends_with("/gamma") ||
                            name.ends_with("/alpha") || name.ends_with("/W_ih");
    if (is_trained) CHECK(values != before.at(name));
  }
}
