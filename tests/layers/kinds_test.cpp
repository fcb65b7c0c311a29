// kinds_test.cpp: layers of all kinds train as their definitions do, under the names they promise.
#include "kinds.hpp"

#include <doctest/doctest.h>

#include "cli_harness/cli_harness.hpp"
#include "waves.hpp"

using namespace broch;
using namespace broch::layers_test;
using cli_harness::Json;

namespace {

constexpr double kRate = 0.05;

Json manifest(const std::string& execution) {
  const Json saver{{"use", "model-saver"},
                   {"when", {{"before_train", true}, {"every_k_epochs", 1}}}};
  return {{"broch", 1},
          {"plugins", {MODELS, KINDS_MODEL}},
          {"model", "layers.kinds"},
          {"dataflow", "layers.waves"},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", kRate}}}}},
          {"callbacks", {saver}},
          {"runtime", {{"execution", execution}}},
          {"max_epoch", 1}};
}

}  // namespace

TEST_CASE("layers: each kind by its definition") {
  for (const std::string execution : {"eager", "auto"}) {
    CAPTURE(execution);
    const cli_harness::Folder folder;
    const cli_harness::Training training(folder, "run", manifest(execution));
    REQUIRE_MESSAGE(training.run() == 0, training.talk());
    const cli_harness::Values before = training.checkpoint(0), after = training.checkpoint(kPoints);
    Weights first;
    for (const auto& [name, values] : before) {
      CAPTURE(name);
      if (name == "global_step" || name == "learning_rate" || name == "weight_decay") continue;
      REQUIRE(shapes_of_kinds().contains(name));
      first[name] = {shapes_of_kinds().at(name), values};
    }
    REQUIRE(first.size() == shapes_of_kinds().size());
    for (const auto& [name, weight] : trained_kinds(first, kRate)) {
      CAPTURE(name);
      const std::vector<double>& ours = after.at(name);
      REQUIRE(ours.size() == weight.values.size());
      for (size_t i = 0; i < ours.size(); ++i)
        CHECK(ours[i] == doctest::Approx(weight.values[i]).epsilon(2e-5));
    }
  }
}
