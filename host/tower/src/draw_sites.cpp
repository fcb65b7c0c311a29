// draw_sites.cpp: a key is a hash of seed, rank, tower, scope, operator and number of the call.
#include "draw_sites.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "tower/tower.hpp"

namespace broch::tower {
namespace {

// Everything but the site. Operators of two towers, modes or ranks never draw the same numbers.
// Operations are not towers: all ranks compute them alike, so that variables stay equal.
uint64_t seed_of(const Tower& tower) {
  const TowerSpec& spec = tower.spec();
  const uint64_t rank = spec.operation ? 0 : tower.context().rank;
  uint64_t seed = base::hash64(rank, tower.context().root_seed);
  seed = base::hash64(spec.training ? 1 : spec.operation ? 2 : 0, seed);
  seed = base::hash64(spec.index, seed);
  return spec.operation ? base::hash64(spec.name, seed) : seed;
}

}  // namespace

DrawSites::DrawSites(const Tower& tower) : seed_(seed_of(tower)) {}

DrawKey DrawSites::next(std::string_view operator_name, std::string_view scope,
                        uint64_t hooked_run) {
  const uint64_t site = base::hash64(operator_name, base::hash64(scope, seed_));
  auto use = std::ranges::find(uses_, site, &std::pair<uint64_t, uint32_t>::first);
  if (use == uses_.end()) use = uses_.insert(use, {site, 0});
  return {base::hash64(use->second++, site), hooked_run};
}

}  // namespace broch::tower
