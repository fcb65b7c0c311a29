// draw_sites.hpp: which random numbers the operators of a tower draw.
//
// A site is the name of an operator within a scope; the calls at one site are numbered. So an
// operator draws the same numbers even if others are pruned, evaluated or added elsewhere.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/backend.hpp"
#include "tower/names.hpp"

namespace broch::tower {

class Tower;

class DrawSites {
 public:
  explicit DrawSites(const Tower& tower);

  DrawKey next(std::string_view operator_name, std::string_view scope, uint64_t hooked_run);
  // Starts a new call: all sites count from zero again.
  void clear() { uses_.clear(); }

 private:
  uint64_t seed_;
  std::vector<std::pair<uint64_t, uint32_t>> uses_;  // hash of the site, number of calls so far
};

}  // namespace broch::tower
