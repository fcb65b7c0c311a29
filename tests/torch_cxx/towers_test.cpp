// towers_test.cpp: what towers on at::Tensor compute, eagerly and recorded.
#include <doctest/doctest.h>

#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;

namespace {

Json manifest(const std::string& model, const Json& points, const Json& names) {
  const Json last{{"use", "model-saver"}, {"when", {{"every_k_epochs", 6}}}};
  const Json probe{{"use", "conformance.probe"}, {"with", {{"names", names}}}};
  return {{"broch", 1},
          {"seed", 5},
          {"plugins", {TORCH_CXX_MODELS, MODELS, PROBE}},
          {"model", {{"use", model}}},
          {"optimizer", {{"use", "momentum"}, {"with", {{"learning_rate", 0.02}}}}},
          {"dataflow", {{"use", "fake"}, {"with", {{"size", 23}, {"components", points}}}}},
          {"callbacks", Json::array({last, probe})},
          {"monitors", {"json-writer"}},
          {"max_epoch", 6}};
}

Json network(const std::string& model) {
  return manifest(model,
                  {{{"shape", {16, 64}}, {"low", -1}, {"name", "x"}},
                   {{"shape", {16}}, {"dtype", "int64"}, {"high", 10}, {"name", "label"}}},
                  {"logits", "cost"});
}

Json hard_case(const std::string& name) {
  return manifest("torch-cxx." + name,
                  Json::array({{{"shape", {5, 4}}, {"low", -1}, {"name", "x"}}}), {"y", "cost"});
}

}  // namespace

TEST_CASE("torch-cxx: a network on tensors has the bits of the same one on handles, recorded too") {
  check_modes(network("torch-cxx.mlp"), replays());
  Json tensors = network("torch-cxx.mlp");
  tensors["runtime"]["level"] = "bitwise";
  check_equal(outcomes(network("recorded.mlp"), {"eager"}).at("eager"),
              outcomes(tensors, {"recorded"}).at("recorded"));
}

TEST_CASE("torch-cxx: at level fast the passes find what they find in a tower on handles") {
  Json tensors = network("torch-cxx.mlp"), handles = network("recorded.mlp");
  tensors["runtime"]["level"] = handles["runtime"]["level"] = "fast";
  check_equal(outcomes(handles, {"recorded"}).at("recorded"),
              outcomes(tensors, {"recorded"}).at("recorded"));
}

TEST_CASE("torch-cxx: draws are those of site and run, replayed or not") {
  check_modes(hard_case("draws"), replays());
  Json other = hard_case("draws");
  other["seed"] = 6;
  CHECK(outcomes(other, {"auto"}).at("auto").saved !=
        outcomes(hard_case("draws"), {"auto"}).at("auto").saved);
}

TEST_CASE("torch-cxx: an operator of the plugin's own may touch memory and is replayed") {
  check_modes(hard_case("own-operator"), replays());
}

TEST_CASE("torch-cxx: memory that is touched between operators is found by comparison") {
  check_modes(hard_case("reads-memory"), eager("computes something else than the eager step"));
  check_modes(hard_case("writes-memory"), eager("computes something else than the eager step"));
}

TEST_CASE("torch-cxx: what no program can repeat stays eager and says why") {
  check_modes(hard_case("reads-item"), eager("aten::_local_scalar_dense"));
  check_modes(hard_case("foreign"), eager("no input, variable, hyper-parameter or recorded value"));
  check_modes(hard_case("own-generator"), eager("draws from a generator of its own"));
}

TEST_CASE(
    "torch-cxx: parameters of a plugin's own, which nobody trains, are told with their shapes") {
  const auto log_of = [](const std::string& name) {
    return outcomes(hard_case(name), {"eager"}).at("eager").talk;
  };
  const std::string told = "the cost depends on 2 parameters of a plugin's own, of shape ";
  const std::string log = log_of("own-parameters");
  const size_t first = log.find(told);
  REQUIRE(first != log.npos);
  CHECK(log.substr(first + told.size(), 8).find("[4]") != log.npos);
  CHECK(log.substr(first + told.size(), 8).find("[1]") != log.npos);
  CHECK(log.find(told, first + 1) == log.npos);
  CHECK(log_of("foreign").find("of a plugin's own") == std::string::npos);
}

TEST_CASE("torch-cxx: writes to what the host gave end the run in every mode") {
  check_modes(hard_case("writes-variable"), error("a write to variable 'W'"));
  check_modes(hard_case("writes-input"), error("a write to input 'x'"));
}

TEST_CASE("torch-cxx: what LibTorch throws is an error with its words") {
  check_modes(hard_case("fails"), error("The size of tensor a (4) must match"));
}
