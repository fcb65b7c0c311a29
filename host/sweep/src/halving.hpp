// halving.hpp: which trials go on, which wait, and which end early.
//
// Synchronous successive halving (Jamieson and Talwalkar, "Non-stochastic best arm identification
// and hyperparameter optimization", AISTATS 2016): all trials train to the first rung; when the
// last one is there, the best part goes on to the next rung. The asynchronous rule (ASHA) would
// never wait, but what it keeps depends on which trial is fastest. Here the same values always give
// the same decisions.
#pragma once
#include <cstdint>
#include <vector>

#include "sweep/trial.hpp"

namespace broch::sweep {

struct Decision {
  enum class What { go, wait, prune };
  What what = What::go;
  int64_t rung = 0;  // of wait and prune: the epoch after which
};

// The epochs after which trials are compared, before the last epoch. Empty without halving.
std::vector<int64_t> rungs_of(const Spec& spec, int64_t max_epoch);

// One decision for each trial. It depends on the values up to the rungs alone, not on how far a
// trial has got beyond them. A trial that has failed is compared only at rungs that it has
// reached; one that has finished early is compared by its last value. Of n trials at a rung,
// max(1, floor(keep * n)) go on; of equal values, the trial with the smaller number.
std::vector<Decision> decide(const std::vector<Trial>& trials, const std::vector<int64_t>& rungs,
                             const Spec& spec);

}  // namespace broch::sweep
