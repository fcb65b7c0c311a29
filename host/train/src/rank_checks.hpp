// rank_checks.hpp: whether all ranks have built the same training.
#pragma once
#include "abi/instance.hpp"
#include "dist/group.hpp"
#include "plan/plans.hpp"
#include "train/names.hpp"

namespace broch::train {

// What the ranks exchange is decided by their plans and variables: those have to be the same.
// Throws base::Error naming what a rank has and rank 0 has not.
void require_same_plans(dist::Group& group, const runtime::VariableStore& variables,
                        const Plans& plans);

// The same of what parameter servers keep, among workers and servers, which have no callbacks:
// these may make variables and plans.
void require_same_served(dist::Group& everyone, const Plans& plans,
                         const runtime::HyperParams& hypers, const abi::Instance& trainer);

}  // namespace broch::train
