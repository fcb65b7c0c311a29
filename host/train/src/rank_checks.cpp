// rank_checks.cpp: describes plans and variables as text and compares it line by line.
#include "rank_checks.hpp"

#include <algorithm>

#include "abi/asked_tables.hpp"
#include "base/log.hpp"
#include "broch/ext/dist.h"

namespace broch::train {
namespace {

std::string line_of(const runtime::Variable& variable) {
  return "variable '" + variable.name + "' " + runtime::type_text(variable.dtype, variable.shape) +
         "\n";
}

constexpr const char* kBuiltAlike =
    "start all ranks with the same manifest and plugins, and let nothing that a rank alone knows "
    "decide what a model or a trainer builds";

// Throws base::Error that names the first line in which a rank differs from rank 0.
void require_same(dist::Group& group, const std::string& mine, const char* hint = kBuiltAlike) {
  const std::vector<std::string> all = group.all_gather(mine);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    const auto [ours, theirs] = std::ranges::mismatch(all[0], all[rank]);
    const auto line_at = [](const std::string& text, std::string::const_iterator at) {
      const size_t place = static_cast<size_t>(at - text.begin());
      const size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
      const std::string line = text.substr(begin, text.find('\n', begin) - begin);
      return line.empty() ? std::string("nothing more") : line;
    };
    throw base::Error{base::Exit::collective,
                      {"rank " + std::to_string(rank), line_at(all[rank], theirs),
                       "what rank 0 has: " + line_at(all[0], ours), hint}};
  }
}

}  // namespace

void require_same_plans(dist::Group& group, const runtime::VariableStore& variables,
                        const Plans& plans) {
  std::string mine;
  for (const auto& variable : variables.all())
    if (!variable->local()) mine += line_of(*variable);
  require_same(group, mine + plans.outline());
}

// With other seeds, shard would divide another order of the data on each rank.
void require_same_seed(dist::Group& group, uint64_t seed) {
  require_same(
      group, "seed " + std::to_string(seed) + "\n",
      "give all ranks the same seed; their random numbers differ anyway, where they should");
}

void require_same_length(dist::Group& group, const LoopConfig& config) {
  require_same(group,
               "steps_per_epoch " + std::to_string(config.steps_per_epoch) + ", epochs " +
                   std::to_string(config.starting_epoch) + " to " +
                   std::to_string(config.max_epoch) + "\n",
               "give all ranks data of the same size, for example with the dataflow shard, or set "
               "steps_per_epoch in the manifest");
}

// Rank 0 gives its variables to all, but not its place: the others would train other epochs.
void require_same_start(dist::Group& group, const std::optional<Position>& resume_at) {
  const std::string mine = resume_at ? "a run resumed after " + std::to_string(resume_at->step) +
                                           " steps of epoch " + std::to_string(resume_at->epoch)
                                     : "a run from the start";
  require_same(group, mine + "\n",
               "let all ranks see the same log folder, and resume them in the same way");
}

void require_same_served(dist::Group& everyone, const Plans& plans,
                         const runtime::HyperParams& hypers, const abi::Instance& trainer) {
  std::string mine;
  for (const ParameterServerShard* list : plans.served_lists())
    for (const runtime::Variable* variable : list->variables()) mine += line_of(*variable);
  if (mine.empty())  // there is nothing to serve
    throw base::Error{base::Exit::usage,
                      {abi::describe(trainer), "a trainer that needs no parameter server",
                       "one whose plans have serve nodes, as there are parameter servers among the "
                       "ranks",
                       "leave --ps and BROCH_PS out, or name another trainer"}};
  for (const std::string& name : hypers.names()) mine += "hyper-parameter " + name + "\n";
  require_same(everyone, mine);
}

void warn_of_ranks_apart(const dist::Ranks& ranks, const std::vector<Agreed>& kept_alike,
                         const abi::Instance& trainer) {
  if (ranks.rank != 0 || !kept_alike.empty()) return;
  const auto* const asked = trainer.context().find<abi::AskedTables>();
  if (asked && asked->has(trainer, BROCH_EXT_DIST)) return;
  base::warning(abi::describe(trainer) + " combines nothing of the " + std::to_string(ranks.world) +
                " ranks: each rank trains a model of its own, and only that of rank 0 is saved; "
                "name a trainer that is made for ranks, or start one rank");
}

}  // namespace broch::train
