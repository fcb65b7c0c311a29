// modes_test.cpp: every tower eagerly, recorded and audited: equal bits, and the fate it deserves.
#include "recorded/modes.hpp"

#include <doctest/doctest.h>

#include "conformance/driver.hpp"

using namespace broch::conformance;
using namespace broch::recorded;

namespace {

struct Tower {
  std::string name;
  std::vector<std::string> fetched;
};

void check_replays(const std::vector<Tower>& towers) {
  for (const Tower& tower : towers) {
    CAPTURE(tower.name);
    check_modes(long_manifest(tower.name, tower.fetched), replays());
  }
}

}  // namespace

TEST_CASE("modes: towers with variables of their own replay with the bits of the eager step") {
  check_replays({{"state", {"x", "state_before", "state", "W", "cost"}},
                 {"read_after_update", {"old_kt", "new_kt", "kt", "W", "cost"}},
                 {"update_twice", {"between", "after", "a", "b", "cost"}},
                 {"unused_variable", {"unused", "W", "cost"}},
                 {"published_variable", {"input", "weight", "turned", "row", "W", "cost"}},
                 {"batch_norm", {"new_mean", "mean/EMA", "variance/EMA", "cost"}}});
}

TEST_CASE("modes: towers with unusual gradients replay with the bits of the eager step") {
  check_replays({{"two_costs", {"cost_a", "cost_b", "gen/W", "discrim/W", "cost"}},
                 {"double_backward", {"penalty", "W", "V", "shift", "cost"}},
                 {"quantized", {"rounded", "W", "cost"}},
                 {"recompute", {"W", "cost"}},
                 {"checkpointed", {"W", "cost"}},
                 {"saliency", {"saliency", "moved", "error", "W", "V", "cost"}},
                 {"gradient_penalty", {"between", "penalty", "W", "V", "G", "cost"}},
                 {"tied", {"W", "b", "cost"}},
                 {"no_grad", {"norm", "W", "cost"}}});
}

TEST_CASE("modes: towers with unusual memory replay with the bits of the eager step") {
  check_replays({{"inplace_view", {"before", "middle", "y", "W", "cost"}},
                 {"views_of_one", {"whole", "same", "left", "right", "turned", "cost"}},
                 {"strides", {"expanded", "stepped", "windows", "cost"}},
                 {"lists", {"joined", "product", "cost"}},
                 {"complex", {"real", "imaginary", "cost"}},
                 {"empty", {"none", "joined", "cost"}},
                 {"sorting", {"order", "best", "cost"}}});
}

TEST_CASE("modes: towers with numbers from outside replay with the bits of the eager step") {
  check_replays({{"captured_constant", {"W", "cost"}},
                 {"promotion", {"doubled", "whole", "mixed", "ratio", "cost"}},
                 {"counters", {"counted", "weight", "global_step", "cost"}},
                 {"learning_rate", {"learning_rate", "W", "cost"}},
                 {"fed_slice", {"slice", "value", "cost"}}});
}

TEST_CASE("modes: towers that draw replay with the draws of the eager step") {
  check_replays({{"draws", {"kept", "again", "normal", "chosen", "cost"}},
                 {"random_summary", {"cost"}},
                 {"dropout_rate", {"mask", "cost"}}});
  check_modes(long_manifest("attention_dropout", {"mixed", "cost"}), either());
}
