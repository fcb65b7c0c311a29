// rank_checks.hpp: checks that all ranks have built the same training.
#pragma once
#include <cstdint>
#include <optional>

#include "abi/instance.hpp"
#include "dist/group.hpp"
#include "plan/agreement.hpp"
#include "plan/plans.hpp"
#include "train/loop.hpp"
#include "train/names.hpp"

namespace broch::train {

// Plans and variables decide what ranks exchange, so they must be the same on all ranks. Throws
// base::Error that names a line in which a rank differs from rank 0.
void require_same_plans(dist::Group& group, const runtime::VariableStore& variables,
                        const Plans& plans);

// The same for the seed, from which each rank makes random numbers of its own.
void require_same_seed(dist::Group& group, uint64_t seed);

// The same for the steps and epochs that the ranks train.
void require_same_length(dist::Group& group, const LoopConfig& config);

// The same for where they begin: nullopt: a training from the start.
void require_same_start(dist::Group& group, const std::optional<Position>& resume_at);

// The same for what parameter servers store, between workers and servers. Other variables and
// plans are not compared: servers have no callbacks, which may make some.
void require_same_served(dist::Group& everyone, const Plans& plans,
                         const runtime::HyperParams& hypers, const abi::Instance& trainer);

// Warns on rank 0 if the trainer keeps nothing alike on the ranks, neither by its plans nor by
// broch.dist.
void warn_of_ranks_apart(const dist::Ranks& ranks, const std::vector<Agreed>& kept_alike,
                         const abi::Instance& trainer);

}  // namespace broch::train
