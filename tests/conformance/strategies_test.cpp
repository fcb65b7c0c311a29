// strategies_test.cpp: the towers under every strategy: the bits of the eager step in each, and the
// same bits where two strategies compute the same. Prints the table.
#include <doctest/doctest.h>

#include <iomanip>
#include <iostream>

#include "conformance/driver.hpp"
#include "recorded/modes.hpp"

using namespace broch::conformance;
using namespace broch::recorded;
using broch::cli_harness::Json;

namespace {

struct Strategy {
  const char* name;
  const char* like;  // computes the same as that one
  Json trainer;
  std::vector<std::string> started;
};

Json on_two(const char* trainer, Json with = Json::object()) {
  with.update({{"devices", {"cpu:0", "cpu:1"}}, {"gpu_prefetch", false}});
  return {{"use", trainer}, {"with", with}};
}

std::vector<Strategy> strategies() {
  return {{"simple", "", "simple", {}},
          {"server", "", on_two("sync-parameter-server"), {}},
          {"replicated", "server", on_two("sync-replicated"), {}},
          {"2 ranks", "server", "allreduce", {"--ranks", "2"}},
          {"async", "", on_two("async", {{"scale_gradient", false}}), {}},
          {"2 workers", "async", "distributed-replicated", {"--ranks", "3", "--ps", "1"}}};
}

// Twelve steps, each tower or rank on points of its own.
Json manifest_of(const char* tower, const Strategy& strategy) {
  Json made = manifest(tower, {"cost"});
  made["dataflow"]["with"]["size"] = 240;
  if (!strategy.started.empty())
    made["dataflow"] = {{"use", "shard"}, {"with", {{"dataflow", made["dataflow"]}}}};
  made["trainer"] = strategy.trainer;
  made["optimizer"]["with"]["learning_rate"] = kSlowRate;
  made["callbacks"] = {"model-saver"};
  made["monitors"] = {"json-writer"};
  made["steps_per_epoch"] = 12;
  return made;
}

using Saved = std::map<std::string, std::string>;

// Without the replicas of other towers.
Saved of_first_tower(Saved saved) {
  std::erase_if(saved, [](const auto& entry) { return entry.first.starts_with("tower"); });
  return saved;
}

struct Tower {
  const char* name;
  // False: draws, which a tower and a rank do differently, or writes to a variable that towers
  // share and ranks do not.
  bool agrees = true;
};

constexpr Tower kTowers[] = {{"two_costs"},
                             {"unused_variable"},
                             {"double_backward"},
                             {"captured_constant"},
                             {"complex"},
                             {"empty"},
                             {"frozen"},
                             {"inplace_view"},
                             {"lists"},
                             {"nms"},
                             {"no_grad"},
                             {"promotion"},
                             {"quantized"},
                             {"recompute"},
                             {"sorting"},
                             {"strides"},
                             {"tied"},
                             {"unique"},
                             {"views_of_one"},
                             {"kernel_pure", false},
                             {"published_variable"},
                             {"state", false},
                             {"read_after_update"},
                             {"update_twice", false},
                             {"batch_norm"},
                             {"target_network"},
                             {"draws", false},
                             {"dropout_rate", false}};

}  // namespace

TEST_CASE("strategies: towers have the bits of the exact mode under each, and agree") {
  const std::string exact = exact_mode();
  const std::vector<Strategy> all = strategies();
  std::cout << std::left << std::setw(20) << "tower";
  for (const Strategy& strategy : all) std::cout << std::setw(14) << strategy.name;
  std::cout << "\n";
  for (const Tower& tower : kTowers) {
    CAPTURE(std::string(tower.name));
    std::map<std::string, Saved> saved;
    std::cout << std::setw(20) << tower.name;
    for (const Strategy& strategy : all) {
      CAPTURE(std::string(strategy.name));
      const auto found =
          outcomes(manifest_of(tower.name, strategy), {exact, "auto"}, strategy.started);
      check_equal(found.at(exact), found.at("auto"));
      saved[strategy.name] = of_first_tower(found.at("auto").saved);
      const bool same = *strategy.like && saved[strategy.name] == saved[strategy.like];
      if (*strategy.like && tower.agrees) CHECK(same);
      std::cout << std::setw(14) << (same ? std::string("= ") + strategy.like : "bits");
    }
    std::cout << std::endl;
  }
}
