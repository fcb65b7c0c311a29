// mutants_test.cpp: a pass that makes a mistake costs the replay, never a bit: verification finds
// it, and the tower stays eager.
#include <doctest/doctest.h>

#include <cstdlib>

#include "recorded/modes.hpp"

using namespace broch;
using namespace broch::recorded;
using cli_harness::Json;

namespace {

// The programs started meanwhile have a wrong pass; "": none, but the same passes.
class Planted {
 public:
  explicit Planted(const std::string& mutant) {
    setenv("BROCH_RUNTIME", MUTANTS, 1);
    setenv("BROCH_MUTANT", mutant.c_str(), 1);
  }
  ~Planted() {
    unsetenv("BROCH_RUNTIME");
    unsetenv("BROCH_MUTANT");
  }
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;
};

Json point(const std::string& name, const std::vector<int64_t>& shape) {
  return {{"shape", shape}, {"low", -1}, {"name", name}};
}

Json labels(int64_t count) {
  return {{"shape", {count}}, {"dtype", "int64"}, {"high", 10}, {"name", "label"}};
}

struct Model {
  Json use, components;
};

Model model(const std::string& name) {
  constexpr int64_t kBatch = 12, kSeed = 17;
  if (name == "mlp") return {{{"use", "recorded.mlp"}}, {point("x", {kBatch, 64}), labels(kBatch)}};
  if (name == "convnet")
    return {{{"use", "recorded.convnet"}}, {point("x", {kBatch, 1, 12, 12}), labels(kBatch)}};
  if (name == "gan")
    return {{{"use", "recorded.gan"}}, {point("z", {kBatch, 6}), point("x", {kBatch, 3, 8, 8})}};
  if (name == "transformer")
    return {{{"use", "recorded.transformer"}}, {point("x", {kBatch, 16, 32}), labels(kBatch)}};
  const Json with{{"seed", kSeed}, {"operations", 60}, {"rows", 3}, {"columns", 4}};
  return {{{"use", "recorded.fuzzed"}, {"with", with}}, Json::array({point("x", {3, 4})})};
}

Json mutant_manifest(const std::string& name, const std::string& level) {
  const Model of = model(name);
  return {
      {"broch", 1},
      {"seed", 7},
      {"plugins", {MODELS, FUZZED, PROBE}},
      {"model", of.use},
      {"optimizer", {{"use", "momentum"}, {"with", {{"learning_rate", 0.01}}}}},
      {"dataflow", {{"use", "fake"}, {"with", {{"size", 4}, {"components", of.components}}}}},
      {"callbacks", Json::array({{{"use", "conformance.probe"}, {"with", {{"names", {"cost"}}}}},
                                 "model-saver"})},
      {"monitors", Json::array()},
      {"runtime", {{"level", level}}},
      {"max_epoch", 3}};
}

const Outcome& eager_outcome(const std::string& model) {
  static std::map<std::string, Outcome> known;
  if (!known.contains(model))
    known[model] = outcomes(mutant_manifest(model, "bitwise"), {"eager"}).at("eager");
  return known.at(model);
}

struct Mutant {
  std::string name, model;
  std::string level = "bitwise";
};

const Mutant kMutants[] = {
    {"swaps operands", "mlp"},
    {"swaps operands", "mlp", "fast"},
    {"drops a write", "fuzzed"},
    {"drops a call", "mlp"},
    {"drops a call", "mlp", "fast"},
    {"reorders calls", "fuzzed"},
    {"forgets an offset", "mlp"},
    {"forgets an offset", "transformer", "fast"},
    {"forgets a stride", "mlp"},
    {"forgets a stride", "mlp", "fast"},
    {"takes another value", "transformer"},
    {"takes another axis", "mlp"},
    {"takes another axis", "mlp", "fast"},
    {"sums for a mean", "mlp"},
    {"sums for a mean", "mlp", "fast"},
    {"forgets a bias", "mlp"},
    {"forgets a bias", "mlp", "fast"},
    {"forgets a mask", "transformer"},
    {"forgets a mask", "transformer", "fast"},
    {"takes another epsilon", "transformer"},
    {"takes another epsilon", "transformer", "fast"},
    {"takes another slope", "transformer"},
    {"drops an activation", "mlp"},
    {"drops an activation", "mlp", "fast"},
    {"draws elsewhere", "convnet"},
    {"draws elsewhere", "convnet", "fast"},
    {"swaps outputs", "transformer"},
    {"swaps outputs", "transformer", "fast"},
    {"swaps queries and keys", "transformer", "fast"},
    {"folds a variable", "fuzzed"},
    {"folds an input", "fuzzed"},
    {"copies variables", "mlp"},
    {"copies variables", "mlp", "fast"},
    {"forgets an input", "mlp"},
    {"forgets reads", "mlp"},
    {"forgets reads", "transformer", "fast"},
    {"shares a place", "mlp"},
    {"shares a place", "transformer", "fast"},
    {"turns nothing", "convnet", "fast"},
    {"sgemm without tail", "mlp"},
    {"pointwise without tail", "mlp"},
    {"gemm without tail", "mlp", "fast"},
    {"gate without tail", "mlp", "fast"},
    {"nearly right gate", "mlp", "fast"},
    {"sums without tail", "mlp", "fast"},
    {"halved sums", "mlp", "fast"},
    {"loss without tail", "mlp", "fast"},
    {"halved loss", "mlp", "fast"},
    {"convolution without tail", "convnet", "fast"},
    {"halved image gradients", "convnet", "fast"},
    {"halved filter gradients", "convnet", "fast"},
    {"convolution without tail", "gan", "fast"},
    {"halved image gradients", "gan", "fast"},
    {"halved filter gradients", "gan", "fast"},
    {"turns nothing", "gan", "fast"},
    {"halved batch norm", "convnet"},
    {"batch norm without tail", "convnet", "fast"},
    {"halved batch norm gradients", "convnet", "fast"},
    {"pool without tail", "convnet"},
    {"pool without tail", "convnet", "fast"},
    {"layer norm without tail", "transformer", "fast"},
    {"halved layer norm gradients", "transformer", "fast"},
    {"gelu without tail", "transformer", "fast"},
    {"attention without tail", "transformer", "fast"},
    {"halved attention gradients", "transformer", "fast"},
};

}  // namespace

TEST_CASE("mutants: without one, the programs that they are planted in are replayed") {
  const Planted none("");
  for (const char* name : {"mlp", "convnet", "gan", "transformer", "fuzzed"})
    for (const char* level : {"bitwise", "fast"}) {
      CAPTURE(name);
      CAPTURE(level);
      const Outcome found = outcomes(mutant_manifest(name, level), {"auto"}).at("auto");
      CHECK(found.exit_code == 0);
      CHECK(cli_harness::count(found.log, kRecorded) > 0);
      CHECK_FALSE(stays_eager(found.log, ""));
    }
}

TEST_CASE("mutants: verification finds every one, and the bits are those of the eager step" *
          doctest::test_suite("long")) {
  for (const Mutant& mutant : kMutants) {
    CAPTURE(mutant.name);
    CAPTURE(mutant.model);
    CAPTURE(mutant.level);
    const Planted planted(mutant.name);
    const Outcome found =
        outcomes(mutant_manifest(mutant.model, mutant.level), {"auto"}).at("auto");
    INFO(found.log);
    CHECK(found.exit_code == 0);
    // At level fast a step may have counted that was within rounding.
    if (mutant.level == "bitwise") check_equal(eager_outcome(mutant.model), found);
    CHECK(stays_eager(found.log, "its program computes something else"));
  }
}

TEST_CASE("mutants: one that is found late is found at the same step of a continued training") {
  const Planted planted("nearly right gate");
  const std::string said = check_continued(mutant_manifest("mlp", "fast"), 4);
  CHECK(stays_eager(said, "never as near as rounding brings them"));
}

TEST_CASE("mutants: a program is compared again at its eighth step, also after a resume") {
  Json steps = mutant_manifest("mlp", "fast");
  steps["steps_per_epoch"] = 1;
  check_continued(steps, 8, true);
}
